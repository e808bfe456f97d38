/** Inputs that the engine adds to a task and that can be found elsewhere: they give way to what a person said. */
import { countTokens } from "../model/index.ts";
import { headAndTail } from "./context/fit-lines.ts";
import type { NewTask } from "./extension.ts";

/** Of what is left, so much stays each time; a text of fewer tokens is not cut further. */
const STAYS = 0.75;
const LEAST_TOKENS = 60;

/** The same task, each time with less of what may be cut, the first named first. */
export function* withLess(task: NewTask): Generator<NewTask> {
  const inputs = { ...task.inputs };
  for (const name of task.yields ?? []) {
    const text = inputs[name] ?? "";
    for (let room = countTokens(text) * STAYS; room >= LEAST_TOKENS; room *= STAYS) {
      inputs[name] = headAndTail(text, Math.floor(room));
      yield { ...task, inputs: { ...inputs } };
    }
  }
}
