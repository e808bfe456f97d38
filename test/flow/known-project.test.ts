/** What a task that writes is told of the project: how it is written, and what it has already. */
import { expect, test } from "vitest";
import { mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { stringify } from "yaml";
import { systemClock, systemPaths } from "../../src/kernel/index.ts";
import { openApp } from "../support/lab.ts";
import { script, scriptedProject, type ScriptedCall } from "../support/scripted-project.ts";

const never = new AbortController().signal;

const FILES = {
  "src/dates/format-date.ts":
    "export function formatDate(date: Date): string {\n  return date.toISOString().slice(0, 10);\n}\n\nfunction padNumber(value: number): string {\n  return String(value).padStart(2, '0');\n}\n",
  "src/text/slug.ts":
    "export function slugOf(title: string): string {\n  const lower = title.trim().toLowerCase();\n  const words = lower.split(/[^a-z0-9]+/u).filter((word) => word !== '');\n  return words.join('-');\n}\n",
  "src/text/limit-words.ts":
    "export function limitWords(text: string, most: number): string {\n  return text.split(' ').slice(0, most).join(' ');\n}\n",
  "tools/run.py": "def run():\n    return 1\n",
  ".editorconfig": "[*.py]\nindent_style = space\nindent_size = 4\n",
  ".prettierrc": '{ "singleQuote": true, "printWidth": 100 }\n',
};

async function told(steps: ScriptedCall[], { type = "implement_feature", config = {} } = {}) {
  const project = scriptedProject(FILES, script([...steps, { name: "ask_user", input: { question: "enough?" } }]));
  const user = systemPaths.dirs({ env: project.env, platform: process.platform }).config;
  mkdirSync(user, { recursive: true });
  writeFileSync(path.join(user, "config.yaml"), stringify(config));
  const app = await openApp({ cwd: project.dir, env: project.env, clock: systemClock });
  const common = { goal: "work", criteria: [], constraints: [], checks: [], model: project.rules, profile: "minimal", maxSteps: undefined };
  const id = await app.tasks.start({ ...common, type, role: "engineer" });
  const end = await app.tasks.run(id, () => undefined, never);
  const first = (await app.tasks.context(id, 1)).user;
  await app.close();
  return { said: end.steps.map(({ actions }) => actions.join()), first };
}

const write = (file: string, content: string): ScriptedCall => ({ name: "write_file", input: { path: file, content } });

test("~EFF-031: a new exported helper brings the place of one that does nearly the same, once; private ones and tests bring nothing", async () => {
  const helper = "export function formatDateTime(date: Date): string {\n  return date.toISOString();\n}\n";
  const copied =
    "export const toHandle = (title: string): string => {\n  const lower = title.trim().toLowerCase();\n  const words = lower.split(/[^a-z0-9]+/u).filter((word) => word !== '');\n  return words.join('-');\n};\n";
  const { said } = await told([
    write("src/report/dates.ts", helper),
    write("src/report/dates.ts", `${helper}\nexport const other = 1;\n`),
    write("src/report/own.ts", helper.replace("export ", "")),
    write("test/dates.test.ts", helper),
    write("src/report/handle.ts", copied),
    write(
      "src/report/sum.ts",
      "export function sumOfSquares(list: number[]): number {\n  return list.reduce((sum, one) => sum + one * one, 0);\n}\n",
    ),
  ]);
  expect(said[0]).toContain(
    "the project has something like formatDateTime: src/dates/format-date.ts:1 export function formatDate(date: Date): string {",
  );
  expect(said[4]).toContain("something like toHandle: src/text/slug.ts:1");
  for (const at of [1, 2, 3, 5]) expect(said[at]).not.toContain("something like");
  expect(said.slice(0, 6).every((one) => one.includes("changed"))).toBe(true);
});

test("~EFF-031: it can be switched off", async () => {
  const { said } = await told([write("src/report/dates.ts", "export function formatDateTime(date: Date) {}\n")], {
    config: { knowledge: { suggest_existing: false } },
  });
  expect(said[0]).not.toContain("something like");
});

test("~EFF-021: a task that writes is told the style of the project's main languages, and of another when it is first changed", async () => {
  const { first, said } = await told([
    write("tools/new.py", "def new():\n    return 2\n"),
    write("tools/newer.py", "def newer():\n    return 2\n"),
  ]);
  expect(first).toMatch(/style of TypeScript here:\n2 spaces, single quotes, semicolons, up to 100 columns/u);
  expect(said[0] + first).toMatch(/style of Python here:\s4 spaces/u);
  expect(said[1]).not.toContain("style of");
  const { first: reader } = await told([], { type: "discover" });
  expect(reader).not.toContain("style of");
});
