/** Goes back to a step of a task, named or chosen by its user: files and what the next step is told, as they were then. */
import { shortIds, SylkError, wording } from "../../kernel/index.ts";
import type { CliContext } from "./command.ts";

const SHOWN = { steps: 40, chars: 80 };

/** `2`, `last 2`, `4m2kq7ds`, `4m2kq7ds 2`: a task, a step of it, or both; a short number is a step. */
const SAID = /^(?:(?<task>[a-z_0-9]{5,}|last)(?:\s+|$))?(?:(?<step>\d{1,4})$)?/u;

function readPlace(said: string): { task: string; step: number | undefined } {
  const found = SAID.exec(said);
  if (found === null || found[0].length !== said.length)
    throw new SylkError({
      code: "USAGE_CHOICE",
      tier: "user_fixable",
      message: `there is no step ${said}`,
      fix: "/rewind 2 goes back to after step 2 of the last task, /rewind <id> 2 to one of another; /rewind alone lets you choose",
    });
  const { task = "last", step } = found.groups ?? {};
  return { task, step: step === undefined ? undefined : Number(step) };
}

function noSuchStep(step: number, made: number): SylkError {
  const there =
    made === 0 ? "it has made none" : made === 1 ? "there is 0, before the first" : `there are 0 (before the first) to ${made - 1}`;
  return new SylkError({ code: "TASK_NO_SUCH_STEP", tier: "user_fixable", message: `it cannot go back to step ${step}`, fix: there });
}

/** The words of the command line that go back to what was said or is chosen, or nothing: nothing was chosen. */
export async function chooseStep(cli: CliContext, said: string): Promise<string[] | undefined> {
  const { task, step: wanted } = readPlace(said);
  const { id } = await cli.query({ type: "task.resolve", id: task });
  const { goal, step: made, steps } = await cli.query({ type: "task.show", id });
  const back = (step: string): string[] => ["task", "undo", shortIds.shorten(id), "--to", step];
  if (wanted !== undefined) {
    if (wanted >= made) throw noSuchStep(wanted, made);
    return back(String(wanted));
  }
  const earlier = steps.filter(({ step }) => step < made).slice(-SHOWN.steps);
  const chosen = await cli.ask.choice({
    message: `Back to where in “${wording.title(goal, SHOWN.chars)}”?`,
    options: [
      { value: "stay", label: "stay here" },
      ...earlier.toReversed().map(({ step, actions }) => ({
        value: String(step),
        label: `after step ${step}`,
        hint: wording.oneLine(actions.join("; "), SHOWN.chars),
      })),
      { value: "0", label: "before the first step", hint: "none of its changes is left" },
    ],
    initial: "stay",
    signal: cli.signal,
  });
  return chosen === undefined || chosen === "stay" ? undefined : back(chosen);
}
