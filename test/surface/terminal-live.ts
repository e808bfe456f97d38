/** What `terminal-live.test.ts` and its long form share. */
import { writeFileSync } from "node:fs";
import path from "node:path";
import { stripVTControlCharacters } from "node:util";
import { expect } from "vitest";
import { openHeadlessSession } from "../support/headless-session.ts";
import { script, scriptedProject, type ScriptedCall, type ScriptedProject } from "../support/scripted-project.ts";
import { atTerminal } from "../support/terminal.ts";
import { MAIN } from "../support/built-command.ts";

export const FILES = {
  "add.mjs": "export const add = (a, b) => a - b;\n",
  "check.mjs": 'import { add } from "./add.mjs";\nif (add(2, 3) !== 5) process.exit(1);\n',
};

export const STEPS: ScriptedCall[] = [
  { name: "edit_file", input: { path: "add.mjs", find: "a - b", replace: "a + b" } },
  { name: "complete", input: { summary: "it adds now" } },
];

const LONG = `one ${"and another word ".repeat(12)}`;

/** Says a short and a long line, and stands until it may go on. */
const CHECK = `echo TAP version 13; while [ ! -e go ]; do sleep 0.05; done; echo ${LONG}; while [ ! -e on ]; do sleep 0.05; done; node check.mjs`;

/** What stands for a colour inside the program. */
const MARKER = /[0-9a-f]{12,};/u;

const project = (): ScriptedProject => scriptedProject(FILES, script(STEPS));

export async function livesInOneLine(columns: number): Promise<void> {
  const here = project();
  await using session = await openHeadlessSession(
    { dir: here.dir, env: { ...here.env, SYLK_LLM_DEFAULT_MODEL: here.rules } },
    { columns, rows: 40, color: true },
  );
  await session.sees("ready");
  session.say(`/task mend it --check "${CHECK}"`);
  expect(await session.sees(/│ TAP version 13/u)).toMatch(/^ {2}│ TAP version 13$/mu);
  writeFileSync(path.join(here.dir, "go"), "");
  expect(await session.sees(/│ one and another/u)).toMatch(/^ {2}│ one and another word.*(?:…|\.\.\.)$/mu);
  writeFileSync(path.join(here.dir, "on"), "");
  await session.sees(/verified[\s\S]*ready$/u);
  session.say("/btw where is add?");
  await session.sees(/› \/btw[\s\S]*ready$/u);
  expect(session.terminal.said).toContain("\u001b[2m  │ TAP version 13\u001b[22m");
  expect(session.terminal.said).not.toMatch(MARKER);
}

export async function saysItDim(columns: number): Promise<void> {
  const here = project();
  const { screen } = await atTerminal([process.execPath, MAIN, "mend it", "--check", CHECK, "-m", here.rules], {
    cwd: here.dir,
    env: { ...here.env, NODE_COMPILE_CACHE: process.env["NODE_COMPILE_CACHE"], NO_COLOR: undefined },
    columns,
    typed: [
      { when: "│ TAP version 13", keys: "", meanwhile: () => writeFileSync(path.join(here.dir, "go"), "") },
      { when: "│ one and another", keys: "", meanwhile: () => writeFileSync(path.join(here.dir, "on"), "") },
    ],
  });
  expect(screen).toContain("\u001b[2m  │ TAP version 13\u001b[22m\u001b[?7h");
  const long = screen.split("\u001b[?7h").find((frame) => frame.includes("│ one and another")) ?? "";
  expect(stripVTControlCharacters(long.slice(long.lastIndexOf("\u001b[2m"))).length).toBeLessThanOrEqual(columns);
  expect(long.endsWith("…\u001b[22m")).toBe(true);
  expect(screen).not.toMatch(MARKER);
}
