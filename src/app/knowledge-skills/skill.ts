/**
 * A skill of a role that holds knowledge: an action, its answer in one shape (SRC-004), and when it is
 * offered (SRC-002). The few a role always needs are always there; others come when the goal speaks of
 * them, as many as the tokens for actions allow.
 */
import type { ZodType } from "zod";
import { defineAction, fitLines, type Action } from "../../step/index.ts";
import { isSylkError } from "../../kernel/index.ts";
import { chooseSkills } from "./choose-skills.ts";

export type Context = Parameters<Action["execute"]>[1];
type ActionResult = Awaited<ReturnType<Action["execute"]>>;

export interface SkillResult {
  id: string;
  score?: number | undefined;
  snippet: string;
  path?: string | undefined;
  line_start?: number | undefined;
  trust?: number | undefined;
  warning?: string | undefined;
}

export interface SkillResponse {
  status: "ok" | "no_matches" | "error";
  results: SkillResult[];
  /** An answer in words, where a model gave one. */
  text?: string | undefined;
  also_exists_in?: string[] | undefined;
  suggestions?: string[] | undefined;
  hint?: string | undefined;
  tokens_used?: number | undefined;
  budget?: number | undefined;
}

export interface Skill<Args = unknown> {
  name: string;
  summary: string;
  kind?: "read" | "memory" | undefined;
  roles: readonly string[];
  /** 1 always, 2 when the goal speaks of it, 3 when the goal names it. */
  tier: 1 | 2 | 3;
  /** Of two skills that do not both fit, the higher one stays. */
  priority: number;
  keywords: RegExp;
  schema: ZodType<Args>;
  about(args: Args): string;
  run(args: Args, context: Context): Promise<SkillResponse>;
}

export function defineSkill<Args>(skill: Skill<Args>): Skill {
  return skill;
}

function shown(result: SkillResult): string {
  const where =
    result.path === undefined || result.path === ""
      ? result.id
      : `${result.path}${result.line_start === undefined ? "" : `:${result.line_start}`}`;
  const text = result.snippet === "" || result.snippet === where ? "" : `  ${result.snippet}`;
  return `${where}${text}${result.warning === undefined ? "" : ` ⚠️ ${result.warning}`}`;
}

function linesOf(response: SkillResponse): string[] {
  return [
    ...(response.text === undefined ? [] : response.text.split("\n")),
    ...response.results.map(shown),
    ...(response.suggestions ?? []),
    ...(response.hint === undefined ? [] : [response.hint]),
  ];
}

/** Puts the answer in view, as much of it as fits. */
async function toResult(skill: Skill, about: string, response: SkillResponse, context: Context): Promise<ActionResult> {
  const key = `${skill.name}:${about}`;
  const title = `${skill.name} "${about.slice(0, 60)}"`;
  if (response.status === "error")
    return { ok: false, outcome: "error", summary: `${title}: ${response.hint ?? "failed"}`, newsKey: `${key}:error` };
  if (response.status === "no_matches") {
    const elsewhere = response.also_exists_in?.length ? `; there is something in ${response.also_exists_in.join(", ")}` : "";
    return {
      ok: true,
      outcome: "no_matches",
      summary: `${title}: no matches${elsewhere}; ${response.hint ?? "try other words or another domain"}`,
      newsKey: `${key}:0`,
    };
  }
  const lines = linesOf(response);
  const fitting = fitLines(lines, context.profile.page);
  const text = [...lines.slice(0, fitting), ...(fitting < lines.length ? [`and ${lines.length - fitting} more`] : [])].join("\n");
  const item = {
    key,
    kind: "action_result" as const,
    title: `${title} (${response.results.length})`,
    content: await context.blobs.put(text),
    pinned: false,
    step: context.step,
  };
  return {
    ok: true,
    outcome: "found",
    summary: `${title}: ${response.results.length}`,
    effects: [{ op: "put", item }],
    detail: JSON.stringify(response),
    newsKey: `${key}:${lines.join("|").slice(0, 500)}`,
  };
}

export function toActions(skills: readonly Skill[]): Action[] {
  let last: { key: string; chosen: Set<string> } | undefined;
  const chosenFor = (task: { role: string; type: string; goal: string }): Set<string> => {
    const key = `${task.role}|${task.type}|${task.goal}`;
    if (last?.key !== key) last = { key, chosen: chooseSkills(skills, task) };
    return last.chosen;
  };
  return skills.map((skill) =>
    defineAction({
      name: skill.name,
      summary: skill.summary,
      slow: true,
      kind: skill.kind ?? "read",
      schema: skill.schema,
      target: (args) => skill.about(args),
      offeredTo: (task) => chosenFor(task).has(skill.name),
      async execute(args, context) {
        const about = skill.about(args);
        try {
          return await toResult(skill, about, await skill.run(args, context), context);
        } catch (error) {
          // What the caller can mend is an answer, not the end of the step.
          if (!isSylkError(error) || error.tier !== "user_fixable") throw error;
          const hint = [error.message, error.fix].filter((part) => part !== undefined).join("; ");
          return toResult(skill, about, { status: "error", results: [], hint }, context);
        }
      },
    }),
  );
}
