/** Programs read `--json`: every name Sylk chose is snake_case, whichever command prints it. */
import { Command } from "commander";
import { expect, test } from "vitest";
import { COMMANDS } from "../../src/surface/cli/command-table.ts";
import type { CliContext } from "../../src/surface/cli/command.ts";
import { script, scriptedProject } from "../support/scripted-project.ts";
import { runSylk } from "../support/run-sylk.ts";

/** Commands that only show something, each with what it is asked here. */
const SHOWING: Readonly<Record<string, readonly string[]>> = {
  doctor: [],
  "config list": [],
  "config show": [],
  "config get": ["log.level"],
  "config path": [],
  "config schema": [],
  trust: ["--yes"],
  "trust status": [],
  "session list": [],
  "session show": [],
  "session logs": [],
  "session search": ["later"],
  "session export": [],
  status: [],
  "task list": [],
  "task show": [],
  "task watch": [],
  "task context": [],
  "task diff": [],
  "goal stats": [],
  "journal tail": ["--all"],
  "journal show": ["1"],
  "journal verify": [],
  "journal export": [],
  "journal path": [],
  "journal compact": [],
  "auth list": [],
  "auth grants": [],
  "agents list": [],
  "agents show": ["engineer"],
  "hooks list": [],
  "permissions list": [],
  "permissions show": ["engineer"],
  "permissions check": ["ls"],
  "secrets scan": ["a.ts"],
  "secrets view": ["a.ts"],
  "audit query": [],
  "audit verify": [],
  "audit export": [],
  "models list": ["--all"],
  usage: ["--by", "task"],
  tools: [],
  "sandbox status": [],
  "mcp list": [],
  "memory show": ["engineer"],
  "memory load": ["engineer"],
  "memory budget": [],
  "memory hygiene": [],
  "memory log": ["engineer"],
  "memory preferences": [],
  "memory mistakes": [],
  "skill list": [],
  "skill show": ["lock-review"],
  "skill validate": [".claude/skills/lock-review"],
  questions: ["--all"],
  search: ["twice"],
  ask: ["where is twice"],
  map: [],
  why: ["a.ts"],
  index: [],
  "history search": ["twice"],
  "history show": ["a.ts:twice"],
  "knowledge status": [],
  "knowledge health": [],
  "knowledge conflicts": [],
  "knowledge verify": [],
  completion: ["bash"],
  import: ["claude"],
  update: [],
};

/** Those that change something, ask, or serve; what they print goes through the same door. */
const CHANGING = new Set(
  [
    "run|plan|review|demo|record|replay|session add|session attach|session continue|session fork|session resume|session pause|session stop|session tell|session undo|init|serve|config set|config unset|answer|task start|task resume|task answer|task accept|task pause|task cancel|task rebuild|task undo|task merge|task discard",
    "exec|journal accept|journal rebuild|journal adopt|auth login|auth remove|auth test|permissions allow|permissions deny|permissions forget|secrets redact",
    "hooks test|models test|models reset|sandbox test|memory save|memory refresh|memory restore|memory forget|skill create|skill update|skill extract",
    "skill import|skill resume|skill remove|history import|knowledge add|knowledge resolve|knowledge rebuild|mcp|mcp add|mcp remove|mcp login|mcp logout|mcp prompt",
  ].flatMap((line) => line.split("|")),
);

/** Data whose names others chose: what an event holds, a setting's value, a schema. */
const FREE = new Set(["payload", "value", "tools", "details"]);

function camelNames(value: unknown, at = ""): string[] {
  if (Array.isArray(value)) return value.flatMap((one) => camelNames(one, `${at}[]`));
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([name, inner]) => [
    ...(/^[a-z][a-z0-9]*[A-Z]\w*$/u.test(name) ? [`${at}.${name}`] : []),
    ...(FREE.has(name) ? [] : camelNames(inner, `${at}.${name}`)),
  ]);
}

async function everyCommand(): Promise<string[]> {
  const leaves = (command: Command, words: string): string[] => {
    const below = command.commands.flatMap((one) => leaves(one, `${words} ${one.name()}`));
    return below.length === 0 || ["mcp", "trust"].includes(words) ? [words, ...below] : below;
  };
  const all = await Promise.all(
    COMMANDS.map(async ({ name, load }) => {
      const command = new Command(name);
      (await load()).command.build(command, { out: {}, commands: COMMANDS } as unknown as CliContext);
      return leaves(command, name);
    }),
  );
  return all.flat();
}

test("every command is known here as one that shows or one that changes", async () => {
  const known = [...Object.keys(SHOWING), ...CHANGING].toSorted();
  expect((await everyCommand()).toSorted()).toEqual(known);
});

test("no command that shows something prints a name in camelCase", async () => {
  const files = {
    "a.ts": "export function twice(n: number): number {\n  return n * 2;\n}\n",
    "package.json": '{"scripts":{"test":"true"}}',
  };
  const project = scriptedProject(files, script([{ name: "complete", input: { summary: "done" } }]));
  const sylk = async (args: readonly string[]): Promise<string> => (await runSylk(project.dir, project.env, [...args, "--json"])).out;
  await sylk(["task", "start", "rest", "-m", project.rules, "--check", "true"]);
  await sylk(["run", "later", "--detach", "-m", project.rules]);
  await sylk(["memory", "save", "engineer", "a title", "--body", "a body"]);
  await sylk(["skill", "create", "review SQL migrations for locks", "--target", "claude", "--no-model", "--name", "lock-review", "--yes"]);
  const wrong: Record<string, string[]> = {};
  for (const [words, args] of Object.entries(SHOWING)) {
    const out = await sylk([...words.split(" "), ...args]);
    const lines = out.split("\n").filter((line) => line !== "");
    const values = lines.map((line): unknown => JSON.parse(line));
    const failed = values.filter((value) => typeof value === "object" && value !== null && "error" in value);
    const names = words === "config schema" ? [] : values.flatMap((value) => camelNames(value));
    if (lines.length === 0) wrong[words] = ["printed nothing"];
    else if (failed.length > 0) wrong[words] = [JSON.stringify(failed[0])];
    else if (names.length > 0) wrong[words] = [...new Set(names)];
  }
  expect(wrong).toEqual({});
}, 240_000);
