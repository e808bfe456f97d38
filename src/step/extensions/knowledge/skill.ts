/**
 * A skill of a role that holds knowledge: an action, its answer in one shape (SRC-004), and when it is
 * offered (SRC-002). The few a role always needs are always there; others come when the goal speaks of
 * them, as many as the tokens for actions allow.
 */
import type { ZodType } from "zod";
import type { Action } from "../../actions/action.ts";
import type { ProjectKnowledge } from "../../../knowledge/index.ts";

export type Context = Parameters<Action["execute"]>[1];

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
  /** The index is still being made: what was not found may be there all the same. */
  indexing?: string | undefined;
  tokens_used?: number | undefined;
  budget?: number | undefined;
}

export interface Skill<Args = unknown> {
  name: string;
  summary: string;
  /** `record`: it keeps something; `none` when absent. */
  effect?: "record" | undefined;
  /** 1 always, 2 when the goal speaks of it, 3 when the goal names it. */
  tier: 1 | 2 | 3;
  /** Of two skills that do not both fit, the higher one stays. */
  priority: number;
  keywords: RegExp;
  schema: ZodType<Args>;
  about(args: Args): string;
  run(args: Args, context: Context): Promise<SkillResponse>;
}

/** Brings the index up to date, or gives what an answer must say of how far it is. */
export async function freshen(knowledge: ProjectKnowledge, signal: AbortSignal): Promise<{ indexing?: string }> {
  const { indexing } = await knowledge.refresh({ signal });
  return indexing === null ? {} : { indexing: indexing.note };
}

export function defineSkill<Args>(skill: Skill<Args>): Skill {
  return skill;
}
