/** The reproduction of a bug: a command that fails because of it, named before anything is mended. It is a check from then on. */
import { z } from "zod";
import { shortLine } from "../context/fit-lines.ts";
import { defineAction, type ActionResult } from "../actions/action.ts";
import type { StepExtension } from "../extension.ts";
import { changedFilesOf } from "../verdict/changed-files.ts";
import { REPRODUCTION } from "../verdict/reproduction.ts";

const refused = (summary: string): ActionResult => ({ ok: false, outcome: "refused", summary });

const reproduce = defineAction({
  name: "reproduce",
  summary: "Name a command that fails because of the bug; it becomes a check. Before you mend anything.",
  effect: "process",
  schema: z.object({ command: z.string().min(1).max(500) }),
  target: (args) => args.command,
  offeredTo: ({ type, checks }) => type === "fix_bug" && !checks.some((check) => check.name === REPRODUCTION),
  async execute({ command }, context) {
    const { checks } = context.state.created;
    const known = checks.find((check) => check.name === REPRODUCTION);
    if (known !== undefined) return refused(`there is a reproduction already: \`${shortLine(known.command, 120)}\``);
    const { sources } = changedFilesOf(context.state);
    if (sources.length > 0) return refused(`${sources.slice(0, 3).join(", ")} changed already: what fails now may be your doing`);
    const name = `\`${shortLine(command, 120)}\``;
    const check = { name: REPRODUCTION, command };
    const first = await context.runCheck(check);
    if (first.could_not_run !== undefined) return { ok: false, outcome: "could_not_run", summary: `${name} ${first.summary}` };
    const second = first.passed ? first : await context.runCheck(check);
    if (second.passed)
      return {
        ok: false,
        outcome: "not_reproduced",
        summary: first.passed ? `${name} passes: it does not show the bug` : `${name} fails now and then: it shows nothing`,
      };
    return {
      ok: true,
      outcome: "reproduced",
      summary: `${name} fails: ${second.summary}. It is a check from now on`,
      newsKey: `reproduce:${command}`,
      reproduction: second,
    };
  },
});

export function createReproduction(): StepExtension {
  return { name: "reproduction", actions: [reproduce] };
}
