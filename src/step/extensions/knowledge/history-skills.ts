/** What the Archivalist keeps and finds again (KNO-030…038). */
import { z } from "zod";
import { type KnowledgeNode, type SearchHit } from "../../../knowledge/index.ts";
import type { ProjectKnowledge } from "../../../knowledge/index.ts";
import { listed, nodeResult } from "./code-skills.ts";
import { groupPatterns } from "./group-patterns.ts";
import { answerSearch, rerank, searchOne, sinceOf } from "./search-skills.ts";
import { defineSkill, freshen, type Skill, type SkillResponse } from "./skill.ts";
import { agentActor } from "../../../protocol/events/index.ts";
import { CHOICES } from "../../../protocol/index.ts";

const query = z.string().min(1);
const limit = z.int().min(1).max(50).default(10);
const INCLUDE = { all: undefined, decisions: ["decision"], tasks: ["task_completion"], failures: ["failure"] } as const;
const PATTERN_HITS = 50;

export function createHistorySkills(knowledge: ProjectKnowledge): Skill[] {
  const nodeOf = (hit: SearchHit): KnowledgeNode | undefined => knowledge.graph().get(hit.node);
  const ofType = (name: string, type: string, summary: string, keywords: RegExp): Skill =>
    defineSkill({
      name,
      summary,
      tier: 2,
      priority: 85,
      keywords,
      schema: z.object({ query, limit }),
      about: (args) => args.query,
      run: (args, { signal }) => answerSearch(knowledge, { ...args, domain: "history", keep: (hit) => nodeOf(hit)?.type === type, signal }),
    });
  return [
    defineSkill({
      name: "store_summary",
      summary: "Keep what was done, decided or went wrong, with the code it is about.",
      effect: "record",
      tier: 1,
      priority: 100,
      keywords: /store|save|record|log/iu,
      schema: z.object({
        content: z.string().min(1),
        summary_type: z.enum(CHOICES.summaryType),
        code_references: z.array(z.string()).default([]),
        tags: z.array(z.string()).default([]),
      }),
      about: (args) => args.summary_type,
      async run(args, context): Promise<SkillResponse> {
        const { created } = context.state;
        const stored = await knowledge.storeSummary(
          // KNO-072: the session is the caller's, whatever was said.
          { ...args, id: `sum_${context.callId}`, session_id: created.session, agent: created.role, task_id: created.id, resolved: null },
          agentActor(created.role),
          `evt_sum_${context.callId}`,
        );
        const notes = [
          `${stored.edges} references`,
          ...(stored.unresolvedReferences.length === 0 ? [] : [`unknown: ${stored.unresolvedReferences.join(", ")}`]),
          ...(stored.verdict.verified ? [] : ["kept as unverified"]),
        ];
        return { status: "ok", results: [{ id: stored.nodeId, snippet: `stored; ${notes.join("; ")}` }] };
      },
    }),
    defineSkill({
      name: "search_history",
      summary: "What was done, decided or said before.",
      tier: 1,
      priority: 95,
      keywords: /history|past|previous|before|earlier/iu,
      schema: z.object({
        query,
        limit,
        summary_type: z.string().optional(),
        session_id: z.string().optional(),
        since: z.string().optional(),
        rerank,
      }),
      about: (args) => args.query,
      async run(args, { signal }) {
        const since = sinceOf(args.since);
        const type = args.summary_type === "any" ? undefined : args.summary_type;
        const session = args.session_id === "" ? undefined : args.session_id;
        const keep = (hit: SearchHit): boolean => {
          const node = nodeOf(hit);
          return (
            node !== undefined &&
            (type === undefined || node.type === type || node.category === type) &&
            (session === undefined || node.session === session) &&
            (since === undefined || (node.time !== undefined && Date.parse(node.time) >= since))
          );
        };
        return answerSearch(knowledge, { query: args.query, limit: args.limit, domain: "history", rerank: args.rerank, keep, signal });
      },
    }),
    defineSkill({
      name: "find_failures",
      summary: "What failed before.",
      tier: 2,
      priority: 90,
      keywords: /fail|error|bug|issue|problem|broke|fix/iu,
      schema: z.object({ query, limit, resolved_only: z.boolean().default(false) }),
      about: (args) => args.query,
      run: (args, { signal }) =>
        answerSearch(knowledge, {
          query: args.query,
          limit: args.limit,
          domain: "history",
          keep: (hit) => {
            const node = nodeOf(hit);
            return node?.type === "failure" && (!args.resolved_only || node.resolved === true);
          },
          signal,
        }),
    }),
    ofType("get_decisions", "decision", "What was decided, and why.", /deci|chose|why|rationale|architect/iu),
    defineSkill({
      name: "find_patterns",
      summary: "What keeps coming back: entries that say the same, from several sessions.",
      tier: 2,
      priority: 90,
      keywords: /pattern|recurring|common|typical|usually/iu,
      schema: z.object({ query, min_occurrences: z.int().min(1).max(50).default(2), category: z.string().optional() }),
      about: (args) => args.query,
      async run(args, { signal }) {
        const indexing = await freshen(knowledge, signal);
        const hits = await searchOne(knowledge, { query: args.query, limit: PATTERN_HITS, domain: "history", signal });
        const nodes = hits
          .flatMap((hit) => nodeOf(hit) ?? [])
          .filter((node) => args.category === undefined || node.category === args.category);
        const groups = groupPatterns(nodes).filter((group) => group.occurrences >= args.min_occurrences);
        return { ...listed(groups.map((group) => nodeResult(group.newest, `${group.occurrences}×: `))), ...indexing };
      },
    }),
    defineSkill({
      name: "get_session_history",
      summary: "Everything of one session, in order.",
      tier: 2,
      priority: 85,
      keywords: /session|current|today/iu,
      schema: z.object({
        session_id: z.string().default(""),
        chronological: z.boolean().default(true),
        include: z.enum(["all", "decisions", "tasks", "failures"]).default("all"),
      }),
      about: (args) => args.session_id,
      async run(args, context) {
        const session = args.session_id === "" ? context.state.created.session : args.session_id;
        const { entries, truncated } = knowledge
          .cross()
          .session(session, { types: INCLUDE[args.include], chronological: args.chronological });
        return listed(
          entries.map((node) => nodeResult(node)),
          truncated ? "truncated" : undefined,
        );
      },
    }),
    defineSkill({
      name: "get_code_for_history",
      summary: "Which code an entry of history is about.",
      tier: 2,
      priority: 75,
      keywords: /what code|which code|related code|files/iu,
      schema: z.object({ history_id: z.string().min(1) }),
      about: (args) => args.history_id,
      async run(args) {
        const node = knowledge.graph().resolve(args.history_id);
        const related = knowledge.cross().codeForHistory(node?.id ?? args.history_id);
        return listed(related.map((one) => nodeResult(one.node, `${one.edge}: `)));
      },
    }),
  ];
}
