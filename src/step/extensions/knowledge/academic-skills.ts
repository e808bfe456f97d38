/** What the Academic says, with a model where one is configured, from documents and code (KNO-050…058). Sources come with every answer. */
import { z } from "zod";
import type { Answer } from "../../../knowledge/index.ts";
import { SylkError } from "../../../kernel/index.ts";
import type { ProjectKnowledge } from "../../../knowledge/index.ts";
import { listed, nodeResult } from "./code-skills.ts";
import { answerSearch, searchOne } from "./search-skills.ts";
import { defineSkill, freshen, type Skill, type SkillResponse } from "./skill.ts";

const BEST = new Set(["best_practice", "documentation"]);
const PER_APPROACH = 5;
const DEEPEST = 3;

function respond(answer: Answer): SkillResponse {
  return {
    status: answer.layer === "none" ? "no_matches" : "ok",
    results: answer.sources.map((source) => ({
      id: source.id,
      score: Math.round(source.quality * 1_000) / 1_000,
      snippet: source.shown,
      trust: source.trust,
    })),
    ...(answer.layer === "model" || answer.layer === "cache" ? { text: answer.text } : {}),
    suggestions: answer.warnings,
    tokens_used: answer.tokens,
  };
}

export function createAcademicSkills(knowledge: ProjectKnowledge): Skill[] {
  const typeOf = (id: string): string => knowledge.graph().get(id)?.type ?? "";
  return [
    defineSkill({
      name: "research",
      summary: "Answer a question from documents, with sources.",
      tier: 1,
      priority: 100,
      keywords: /research|learn|understand|how to|should/iu,
      schema: z.object({
        query: z.string().min(1),
        depth: z.int().min(1).max(3).default(2),
        focus_areas: z.array(z.string()).default([]),
        include_papers: z.boolean().default(true),
        include_docs: z.boolean().default(true),
      }),
      about: (args) => args.query,
      async run(args, { signal }) {
        if (!args.include_papers && !args.include_docs)
          throw new SylkError({
            code: "USAGE_NOTHING_INCLUDED",
            tier: "user_fixable",
            message: "neither papers nor documents may be used",
            fix: "leave include_papers or include_docs true",
          });
        const indexing = await freshen(knowledge, signal);
        const focus = args.focus_areas.length === 0 ? "" : ` Look above all at: ${args.focus_areas.join(", ")}.`;
        return {
          ...respond(
            await knowledge.ask({
              text: args.query,
              domain: "docs",
              k: args.depth * 10,
              model: "always",
              lookFurther: args.depth === DEEPEST,
              task: `Say what the sources recommend, and where they differ.${focus}`,
              signal,
            }),
          ),
          ...indexing,
        };
      },
    }),
    defineSkill({
      name: "find_best_practices",
      summary: "Recommended ways, from kept practices and documentation.",
      tier: 2,
      priority: 95,
      keywords: /best practice|recommended|standard|convention|proper/iu,
      schema: z.object({ topic: z.string().min(1), technology: z.string().optional(), limit: z.int().min(1).max(20).default(5) }),
      about: (args) => args.topic,
      run: (args, { signal }) =>
        answerSearch(knowledge, {
          query: args.technology === undefined ? args.topic : `${args.technology} ${args.topic} best practices`,
          limit: args.limit,
          domain: "docs",
          keep: (hit) => BEST.has(typeOf(hit.node)) || BEST.has(typeOf(hit.path)),
          signal,
        }),
    }),
    defineSkill({
      name: "compare_approaches",
      summary: "Compare two to four ways of doing something, from what is known of each.",
      tier: 2,
      priority: 90,
      keywords: /compar|versus|\bvs\b|difference|trade-?off|better/iu,
      schema: z.object({
        approaches: z.array(z.string().min(1)).min(2).max(4),
        context: z.string().optional(),
        criteria: z.array(z.string()).default([]),
      }),
      about: (args) => args.approaches.join(" / "),
      run: (args, { signal }) => compare(knowledge, args, signal),
    }),
    defineSkill({
      name: "synthesize_with_codebase",
      summary: "What the documents say, and how this project does it.",
      tier: 2,
      priority: 85,
      keywords: /how we do|our implementation|in practice|codebase/iu,
      schema: z.object({ topic: z.string().min(1), show_gaps: z.boolean().default(false) }),
      about: (args) => args.topic,
      async run(args, { signal }) {
        const indexing = await freshen(knowledge, signal);
        const gaps = args.show_gaps ? " List where the project differs from what is recommended." : "";
        return {
          ...respond(
            await knowledge.ask({
              text: args.topic,
              domain: "all",
              k: PER_APPROACH * 2,
              model: "always",
              task: `Set what the documents say beside what the code does.${gaps}`,
              signal,
            }),
          ),
          ...indexing,
        };
      },
    }),
    defineSkill({
      name: "get_code_for_academic",
      summary: "Code that follows or is described by a document.",
      tier: 2,
      priority: 80,
      keywords: /implementation|example|code for/iu,
      schema: z.object({ academic_id: z.string().min(1), limit: z.int().min(1).max(50).default(5) }),
      about: (args) => args.academic_id,
      run: async (args) =>
        listed(
          knowledge
            .cross()
            .codeForAcademic(args.academic_id)
            .slice(0, args.limit)
            .map((one) => nodeResult(one.node, `${one.edge}: `)),
        ),
    }),
    defineSkill({
      name: "get_history_for_academic",
      summary: "Decisions and discussions that rest on a document.",
      tier: 2,
      priority: 75,
      keywords: /history|decisions about|discussion/iu,
      schema: z.object({ academic_id: z.string().min(1) }),
      about: (args) => args.academic_id,
      run: async (args) =>
        listed(
          knowledge
            .cross()
            .historyForAcademic(args.academic_id)
            .map((one) => nodeResult(one.node, `${one.edge}: `)),
        ),
    }),
  ];
}

/** KNO-057: a leg without anything is named, not left out. */
async function compare(
  knowledge: ProjectKnowledge,
  args: { approaches: string[]; context?: string | undefined; criteria: string[] },
  signal: AbortSignal,
): Promise<SkillResponse> {
  const indexing = await freshen(knowledge, signal);
  const missing: string[] = [];
  for (const approach of args.approaches) {
    const query = args.context === undefined ? approach : `${approach} for ${args.context}`;
    const hits = await searchOne(knowledge, { query, limit: PER_APPROACH, domain: "all", signal });
    if (hits.length === 0) missing.push(`nothing is known of ${approach}`);
  }
  const criteria = args.criteria.length === 0 ? "" : ` Judge by: ${args.criteria.join(", ")}.`;
  const answer = await knowledge.ask({
    text: `${args.approaches.join(" versus ")}${args.context === undefined ? "" : ` for ${args.context}`}`,
    domain: "all",
    k: PER_APPROACH * args.approaches.length,
    model: "always",
    task: `Compare ${args.approaches.join(", ")}: what speaks for and against each.${criteria} Say which you would take, and what would change that.`,
    signal,
  });
  const response = respond(answer);
  return { ...response, suggestions: [...missing, ...(response.suggestions ?? [])], ...indexing };
}
