/** What the Librarian can say of symbols and files without a model (KNO-021…028). */
import { z } from "zod";
import { redactLines } from "../../../guard/index.ts";
import { SylkError, projectFile } from "../../../kernel/index.ts";
import { CODE_EDGES, type EdgeName, type KnowledgeNode } from "../../../knowledge/index.ts";
import type { ProjectKnowledge } from "../../../knowledge/index.ts";
import { defineSkill, type Skill, type SkillResponse, type SkillResult } from "./skill.ts";

export function nodeResult(node: KnowledgeNode, before = "", score?: number): SkillResult {
  const text = `${before}${node.type} ${node.signature ?? node.name}`;
  return {
    id: node.id,
    score,
    snippet: `${text}${node.time === undefined ? "" : ` (${node.time.slice(0, 10)})`}`,
    path: node.path,
    line_start: node.line,
    trust: node.trust,
  };
}

export function listed(results: SkillResult[], hint?: string): SkillResponse {
  return { status: results.length === 0 ? "no_matches" : "ok", results, ...(hint === undefined ? {} : { hint }) };
}

const id = z.string().min(1);
const limit = z.int().min(1).max(50).default(10);

export interface CodeSkillParts {
  knowledge: ProjectKnowledge;
  root: string;
  redact: (text: string) => string;
}

export function createCodeSkills({ knowledge, root, redact }: CodeSkillParts): Skill[] {
  const mustKnow = (symbol: string): KnowledgeNode => {
    const node = knowledge.graph().get(symbol);
    if (node !== undefined) return node;
    throw new SylkError({
      code: "KNOWLEDGE_NO_SUCH_NODE",
      tier: "user_fixable",
      message: `nothing is known under ${symbol}`,
      fix: "ids look like src/file.ts:name, or come from a search",
    });
  };
  const sourceOf = (node: KnowledgeNode): string => {
    const whole = projectFile.text(root, node.path ?? "") ?? "";
    return redactLines(whole.split("\n"), { from: node.line ?? 1, to: node.endLine ?? Infinity }, redact).join("\n");
  };
  const walk = (name: string, summary: string, direction: "outgoing" | "incoming", keywords: RegExp): Skill =>
    defineSkill({
      name,
      summary,
      tier: 2,
      priority: 85,
      keywords,
      schema: z.object({
        symbol_id: id,
        edge_type: z.enum([...CODE_EDGES, "all"]).default("all"),
        depth: z.int().min(1).max(5).default(1),
      }),
      about: (args) => args.symbol_id,
      async run(args) {
        const edges: readonly EdgeName[] | undefined = args.edge_type === "all" ? undefined : [args.edge_type];
        const steps = knowledge.graph().traverse(args.symbol_id, { direction, edges, depth: args.depth });
        return listed(steps.map((step) => nodeResult(step.node, `${step.edge} `)));
      },
    });
  return [
    defineSkill({
      name: "get_symbol",
      summary: "One symbol: signature, place, and its source when asked.",
      tier: 1,
      priority: 90,
      keywords: /symbol|definition|details|info/iu,
      schema: z.object({ symbol_id: id, include_source: z.boolean().default(false) }),
      about: (args) => args.symbol_id,
      async run(args) {
        const node = mustKnow(args.symbol_id);
        return { ...listed([nodeResult(node)]), ...(args.include_source ? { text: sourceOf(node) } : {}) };
      },
    }),
    walk("get_dependencies", "What a symbol or file uses.", "outgoing", /depend|import|uses|calls|requires/iu),
    walk("get_dependents", "What uses a symbol or file.", "incoming", /depend|used by|called by|callers|references|impact|refactor/iu),
    defineSkill({
      name: "find_similar_symbols",
      summary: "Symbols that look like this one.",
      tier: 2,
      priority: 80,
      keywords: /similar|like|related|duplicat/iu,
      schema: z.object({ symbol_id: id, limit, same_type_only: z.boolean().default(false) }),
      about: (args) => args.symbol_id,
      run: async (args) =>
        listed(
          knowledge
            .similar(args.symbol_id, { k: args.limit, sameType: args.same_type_only })
            .map(({ node, similarity }) => nodeResult(node, "", Math.round(similarity * 1_000) / 1_000)),
        ),
    }),
    defineSkill({
      name: "get_file_symbols",
      summary: "What a file defines.",
      tier: 1,
      priority: 75,
      keywords: /file|symbols in|contents/iu,
      schema: z.object({ file_path: z.string().min(1), symbol_type: z.string().optional() }),
      about: (args) => args.file_path,
      async run(args) {
        const type = args.symbol_type === "any" ? undefined : args.symbol_type;
        const { symbols, truncated } = knowledge.graph().symbolsOf(args.file_path, type);
        return listed(
          symbols.map((node) => nodeResult(node)),
          truncated ? "truncated" : undefined,
        );
      },
    }),
    defineSkill({
      name: "get_history_for_code",
      summary: "When and why a file or symbol was changed.",
      tier: 2,
      priority: 70,
      keywords: /history|change|why|when|modified/iu,
      schema: z.object({ symbol_id: id, limit }),
      about: (args) => args.symbol_id,
      run: async (args) =>
        listed(
          knowledge
            .graph()
            .historyFor(args.symbol_id, args.limit)
            .map(({ node, change }) => nodeResult(node, `${change}: `)),
        ),
    }),
  ];
}
