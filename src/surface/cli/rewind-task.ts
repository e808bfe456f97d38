/** Goes back to a step of the last task, chosen by its user: files and what the next step is told, as they were then. */
import { shortIds, wording } from "../../kernel/index.ts";
import type { CliContext } from "./command.ts";

const SHOWN = { steps: 40, chars: 80 };

/** The words of the command line that go back, or nothing: nothing was chosen. */
export async function chooseStep(cli: CliContext): Promise<string[] | undefined> {
  const { id } = await cli.query({ type: "task.resolve", id: "last" });
  const { goal, step: made, steps } = await cli.query({ type: "task.show", id });
  const earlier = steps.filter(({ step }) => step < made).slice(-SHOWN.steps);
  const chosen = await cli.ask.choice({
    message: `Back to where in “${wording.oneLine(goal, SHOWN.chars)}”?`,
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
  return chosen === undefined || chosen === "stay" ? undefined : ["task", "undo", shortIds.shorten(id), "--to", chosen];
}
