/** What `terminal-session.test.ts` and its long form share. */
import { script, scriptedProject, type ScriptedCall, type ScriptedProject } from "../support/scripted-project.ts";

export const FILES = {
  "add.mjs": "export const add = (a, b) => a - b;\n",
  "check.mjs": 'import { add } from "./add.mjs";\nif (add(2, 3) !== 5) process.exit(1);\n',
};

export const MEND: ScriptedCall = { name: "edit_file", input: { path: "add.mjs", find: "a - b", replace: "a + b" } };

export const END: ScriptedCall = { name: "complete", input: { summary: "it adds now" } };

export const project = (...steps: ScriptedCall[]): ScriptedProject => scriptedProject(FILES, script(steps));

export const task = ({ rules }: ScriptedProject): string => `/task mend it --check "node check.mjs" -m ${rules}`;
