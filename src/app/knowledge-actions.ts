/**
 * Knowledge as actions of the three roles that hold it (KNO-020…036, SRC-003…007). Other roles get the one
 * that finds code; for everything else they ask a role.
 */
import { z } from "zod";
import { newId, type Clock } from "../kernel/index.ts";
import { CODE_EDGES, SUMMARY_TYPES, type EdgeName, type KnowledgeNode, type SearchDomain, type SearchHit } from "../knowledge/index.ts";
import { defineAction, fitLines, type Action } from "../step/index.ts";
import type { KnowledgeApi } from "./knowledge-api.ts";

type Execute = Action["execute"];
type Context = Parameters<Execute>[1];
type Result = Awaited<ReturnType<Execute>>;

const ROLES: Readonly<Record<"code" | "history" | "docs", readonly string[]>> = {
  code: ["librarian", "academic"],
  history: ["archivalist"],
  docs: ["academic"],
};
/** Planners look for code themselves; whoever builds loads what is known with load_context. */
const FINDERS = new Set(["architect", "librarian", "archivalist", "academic"]);

function line(hit: SearchHit): string {
  const where = hit.path === "" ? hit.node : `${hit.path}${hit.lines === undefined ? "" : `:${hit.lines.from}-${hit.lines.to}`}`;
  return `${where}  ${hit.title}${hit.time === undefined ? "" : ` (${hit.time.slice(0, 10)})`}${hit.warning === undefined ? "" : ` ⚠️ ${hit.warning}`}`.trim();
}

function nodeLine(node: KnowledgeNode): string {
  const where = node.path === undefined ? node.id : `${node.path}${node.line === undefined ? "" : `:${node.line}`}`;
  return `${where}  ${node.type} ${node.signature ?? node.name}${node.time === undefined ? "" : ` (${node.time.slice(0, 10)})`}`;
}

/** Puts lines in view, as many as fit. */
async function show(context: Context, key: string, title: string, lines: readonly string[]): Promise<Result> {
  if (lines.length === 0)
    return { ok: true, outcome: "nothing", summary: `${title}: no matches; try other words or another domain`, newsKey: `${key}:0` };
  const fitting = fitLines(lines, context.profile.page);
  const text = [...lines.slice(0, fitting), ...(fitting < lines.length ? [`and ${lines.length - fitting} more`] : [])].join("\n");
  const item = {
    key,
    kind: "action_result" as const,
    title: `${title} (${lines.length})`,
    content: await context.blobs.put(text),
    pinned: false,
    step: context.step,
  };
  return {
    ok: true,
    outcome: "found",
    summary: `${title}: ${lines.length}`,
    effects: [{ op: "put", item }],
    newsKey: `${key}:${lines.join("|").slice(0, 500)}`,
  };
}

export function createKnowledgeActions(knowledge: KnowledgeApi, clock: Clock): Action[] {
  const find = (
    name: string,
    summary: string,
    domain: SearchDomain,
    roles: (role: string) => boolean,
    keep: (hit: SearchHit) => boolean = () => true,
  ): Action =>
    defineAction({
      name,
      summary,
      kind: "read",
      schema: z.object({ query: z.string().min(1), limit: z.int().min(1).max(50).default(10), path: z.string().optional() }),
      target: (args) => args.query,
      offeredTo: (task) => roles(task.role),
      async execute(args, context) {
        await knowledge.refresh({ signal: context.signal });
        const found = await knowledge.search({ text: args.query, domain, k: args.limit * 3, pathGlob: args.path, signal: context.signal });
        const hits = found.hits.filter(keep).slice(0, args.limit);
        return show(context, `${name}:${args.query}`, `${name} "${args.query.slice(0, 60)}"`, hits.map(line));
      },
    });
  const walk = (name: string, summary: string, direction: "outgoing" | "incoming"): Action =>
    defineAction({
      name,
      summary,
      kind: "read",
      schema: z.object({
        symbol_id: z.string(),
        edge_type: z.enum([...CODE_EDGES, "all"]).default("all"),
        depth: z.int().min(1).max(5).default(1),
      }),
      target: (args) => args.symbol_id,
      offeredTo: (task) => ROLES.code.includes(task.role),
      async execute(args, context) {
        const edges: readonly EdgeName[] | undefined = args.edge_type === "all" ? undefined : [args.edge_type];
        const steps = knowledge.graph().traverse(args.symbol_id, { direction, edges, depth: args.depth });
        return show(
          context,
          `${name}:${args.symbol_id}`,
          `${name} ${args.symbol_id}`,
          steps.map((step) => `${step.edge} ${nodeLine(step.node)}`),
        );
      },
    });
  const ofType =
    (type: string) =>
    (hit: SearchHit): boolean =>
      knowledge.graph().get(hit.node)?.type === type;
  return [
    find("find_code", "Find files and symbols by words, names, paths or an error message.", "code", (role) => FINDERS.has(role)),
    find("search_history", "What was done, decided or said before.", "history", (role) => ROLES.history.includes(role)),
    find("find_failures", "What failed before.", "history", (role) => ROLES.history.includes(role), ofType("failure")),
    find("get_decisions", "What was decided, and why.", "history", (role) => ROLES.history.includes(role), ofType("decision")),
    find("search_documents", "Find sections of documents.", "docs", (role) => ROLES.docs.includes(role)),
    walk("get_dependencies", "What a symbol or file uses.", "outgoing"),
    walk("get_dependents", "What uses a symbol or file.", "incoming"),
    defineAction({
      name: "get_file_symbols",
      summary: "What a file defines.",
      kind: "read",
      schema: z.object({ file_path: z.string(), symbol_type: z.string().optional() }),
      target: (args) => args.file_path,
      offeredTo: (task) => ROLES.code.includes(task.role),
      async execute(args, context) {
        const { symbols, truncated } = knowledge
          .graph()
          .symbolsOf(args.file_path, args.symbol_type === "any" ? undefined : args.symbol_type);
        return show(
          context,
          `symbols:${args.file_path}`,
          `symbols of ${args.file_path}${truncated ? ", truncated" : ""}`,
          symbols.map(nodeLine),
        );
      },
    }),
    defineAction({
      name: "get_history_for_code",
      summary: "When and why a file or symbol was changed.",
      kind: "read",
      schema: z.object({ symbol_id: z.string(), limit: z.int().min(1).max(50).default(10) }),
      target: (args) => args.symbol_id,
      offeredTo: (task) => ROLES.code.includes(task.role) || ROLES.history.includes(task.role),
      async execute(args, context) {
        const past = knowledge.graph().historyFor(args.symbol_id, args.limit);
        return show(
          context,
          `past:${args.symbol_id}`,
          `history of ${args.symbol_id}`,
          past.map(({ node, change }) => `${change}: ${nodeLine(node)}`),
        );
      },
    }),
    defineAction({
      name: "store_summary",
      summary: "Keep what was done, decided or went wrong, with the code it is about.",
      kind: "memory",
      schema: z.object({
        content: z.string().min(1),
        summary_type: z.enum(SUMMARY_TYPES),
        code_references: z.array(z.string()).default([]),
        tags: z.array(z.string()).default([]),
      }),
      target: (args) => args.summary_type,
      offeredTo: (task) => ROLES.history.includes(task.role),
      async execute(args, context) {
        const { created } = context.state;
        const stored = await knowledge.storeSummary(
          { ...args, id: newId("sum", clock.now()), session_id: created.session, agent: created.role, task_id: created.id, resolved: null },
          created.role,
        );
        const doubt = stored.verdict.verified ? "" : "; kept as unverified";
        return {
          ok: true,
          outcome: "stored",
          summary: `stored ${stored.nodeId}, ${stored.edges} references${stored.unresolvedReferences.length === 0 ? "" : `, unknown: ${stored.unresolvedReferences.join(", ")}`}${doubt}`,
        };
      },
    }),
  ];
}
