/** What `terminal-screens.test.ts` and its long form share. */
import { openHeadlessSession, type HeadlessOptions, type HeadlessSession } from "../support/headless-session.ts";
import { script, scriptedProject, type ScriptedCall, type ScriptedProject } from "../support/scripted-project.ts";

const FILES = {
  "add.mjs": "export const add = (a, b) => a - b;\n",
  "check.mjs": 'import { add } from "./add.mjs";\nif (add(2, 3) !== 5) process.exit(1);\n',
};

export const MEND: ScriptedCall = { name: "edit_file", input: { path: "add.mjs", find: "a - b", replace: "a + b" } };

export const END: ScriptedCall = { name: "complete", input: { summary: "it adds now" } };

export const run = (command: string): ScriptedCall => ({ name: "run_command", input: { command } });

export const project = (...steps: ScriptedCall[]): ScriptedProject => scriptedProject(FILES, script(steps));

export const TASK = '/task mend it --check "node check.mjs"';

/** From the last place where this stands: without what differs from run to run, and without empty lines. */
export function read(shown: string, from: string): string {
  return shown
    .slice(shown.lastIndexOf(from))
    .split("\n")
    .map((line) =>
      line
        .trimEnd()
        .replace(/─{4,}/u, "────")
        .replaceAll(/scripted\/\S*\/rules\.yaml/gu, "scripted/rules.yaml")
        .replaceAll(/\/[^\s;]*sylk-project[^\s;]*/gu, "/project")
        .replaceAll(/task_\w{26}/gu, "task_id")
        .replaceAll(/\d[\d.]*k?(?= tokens| in \(| out\b)/gu, "N")
        .replaceAll(/\b\d+ s\b/gu, "N s")
        .replaceAll(/(?:^|(?<= · ))[0-9a-hjkmnp-tv-z]{8}(?=$| {2})/gu, "id"),
    )
    .join("\n")
    .replaceAll(/\n{2,}/gu, "\n");
}

export const typed = (session: HeadlessSession, text: string): void => {
  for (const letter of text) session.type(letter);
};

/** A session on the one screen or the other. */
export const openOn =
  (screen: string) =>
  (here: ScriptedProject, options?: HeadlessOptions): Promise<HeadlessSession> =>
    openHeadlessSession(
      { dir: here.dir, env: { ...here.env, SYLK_TERMINAL_SCREEN: screen, SYLK_LLM_DEFAULT_MODEL: here.rules } },
      { rows: 50, ...options },
    );
