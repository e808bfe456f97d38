/** The project's own test, type and lint commands, for a task that was given none; what may not run here is said. */
import path from "node:path";
import type { StepExtension } from "../extension.ts";

const HELD_INPUT = "checks of the project that nobody allowed to run here";

/** Told where the sandbox bounds commands: the list of what is known to be harmless is longer there. */
const UNASKED = {
  "commands that run unasked": "the checks' programs on single files, node or python on project files and short code, go test, looking",
};

interface FoundCheck {
  name: string;
  command: string;
}

export function createOwnChecks(
  projectDir: string,
  checks: {
    find(folder: string): Promise<{ usable: readonly FoundCheck[]; held: readonly FoundCheck[] }>;
    sandboxed(): Promise<boolean>;
  },
): StepExtension {
  return {
    name: "own checks",
    async given(task) {
      const inputs = (await checks.sandboxed()) ? UNASKED : {};
      if (task.checks !== "own") return { inputs };
      const { usable, held } = await checks.find(path.resolve(projectDir, task.folder));
      return {
        inputs,
        checks: usable.map(({ name, command }) => ({ name, command, from: "project" })),
        facts: held.length === 0 ? {} : { [HELD_INPUT]: held.map(({ command }) => command).join(", ") },
      };
    },
    begins({ step, created }) {
      const held = created.inputs[HELD_INPUT];
      if (step > 0 || held === undefined) return Promise.resolve([]);
      const summary =
        "no check could be run: there is no sandbox, and nobody had trusted what these commands run when the task began; read it and `sylk trust`, which counts for the next task, or name one yourself with --check";
      return Promise.resolve([{ about: "project", target: held, outcome: "checks_not_run", summary }]);
    },
  };
}
