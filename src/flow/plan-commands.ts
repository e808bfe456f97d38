/** Commands that a plan names to show something: which run as they are, which the user must allow first, which never may. */
import type { Plan } from "../protocol/plan/index.ts";
import type { TaskState } from "../step/index.ts";
import type { FlowParts } from "./parts.ts";

type Check = TaskState["created"]["checks"][number];

/** As checks of a judgement; what the user allowed with the plan is the user's word, the rest a model's, judged like any of its commands. */
export function commandChecks(assertions: Plan["assertions"], allowed: readonly string[]): Check[] {
  return assertions.flatMap((one) =>
    one.shown_by === "command" && one.command !== undefined
      ? [{ name: one.id, command: one.command, from: allowed.includes(one.command) ? ("person" as const) : ("agent" as const) }]
      : [],
  );
}

/** `as`: the task the plan came from; checks are run by whoever tests. */
export async function judgeCommands(
  parts: FlowParts,
  { assertions }: Plan,
  as: TaskState["created"],
): Promise<{ asks: string[]; never: string[] }> {
  const engine = await parts.engine();
  const found: { asks: string[]; never: string[] } = { asks: [], never: [] };
  for (const check of commandChecks(assertions, [])) {
    const said = await engine.mayRun({ ...as, role: "tester", checks: [check] }, check.command);
    if (said !== "runs" && !found[said].includes(check.command)) found[said].push(check.command);
  }
  return found;
}
