/** Skills as actions of a step: offered as far as the tokens allow, their answers put in view as far as these fit. */
import { SylkError } from "../../../kernel/index.ts";
import { defineAction, type Action } from "../../actions/action.ts";
import { fitLines } from "../../context/fit-lines.ts";
import { chooseSkills } from "./choose-skills.ts";
import type { Context, Skill, SkillResponse, SkillResult } from "./skill.ts";

type ActionResult = Awaited<ReturnType<Action["execute"]>>;

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
    ...(response.indexing === undefined ? [] : [response.indexing]),
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
      summary: `${title}: no matches${elsewhere}; ${response.indexing ?? response.hint ?? "try other words or another domain"}`,
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
  const chosenFor = (task: { role: string; type: string; goal: string }, actions: readonly string[]): Set<string> => {
    const key = [...actions, task.type, task.goal].join("|");
    if (last?.key !== key) last = { key, chosen: chooseSkills(skills, { ...task, actions }) };
    return last.chosen;
  };
  return skills.map((skill) =>
    defineAction({
      name: skill.name,
      summary: skill.summary,
      slow: true,
      effect: skill.effect ?? "none",
      schema: skill.schema,
      target: (args) => skill.about(args),
      offeredTo: (task, { actions }) => chosenFor(task, actions).has(skill.name),
      async execute(args, context) {
        const about = skill.about(args);
        try {
          return await toResult(skill, about, await skill.run(args, context), context);
        } catch (error) {
          // What the caller can mend is an answer, not the end of the step.
          if (!SylkError.is(error) || error.tier !== "user_fixable") throw error;
          const hint = [error.message, error.fix].filter((part) => part !== undefined).join("; ");
          return toResult(skill, about, { status: "error", results: [], hint }, context);
        }
      },
    }),
  );
}
