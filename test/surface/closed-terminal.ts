/** What `closed-terminal.test.ts` and its long form share. */
import { type ScriptedCall } from "../support/scripted-project.ts";

export const FILES = { "add.mjs": "export const add = (a, b) => a - b;\n" };

export const END: ScriptedCall = { name: "complete", input: { summary: "done" } };
