/** What `failed-attempts.test.ts` and its long form share. */
import { type ScriptedCall } from "../support/scripted-project.ts";

export const FILES = {
  "src/total.mjs": "export const total = (items) => items.length;\n",
  "check.mjs":
    'import { total } from "./src/total.mjs";\nif (total([1, 2]) !== 3) {\n  console.error("total of 1 and 2 is not 3");\n  process.exit(1);\n}\n',
};

export const complete: ScriptedCall = { name: "complete", input: { summary: "done" } };
