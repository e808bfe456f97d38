/** The project that tasks of a simulation work on: a few files with places to write at, committed. */
import { execFileSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { onTestFinished } from "vitest";
import { stringify } from "yaml";
import { openProject, systemClock, systemPaths } from "../../../src/kernel/index.ts";
import { tempDir } from "../../support/temp.ts";
import { openApp } from "../../support/lab.ts";
import type { Deed } from "./task-scenario.ts";
import { ToolRunner } from "./tool-runner.ts";

export const MAX_TASKS = 2;
const NAMES = ["a", "b", "move", "gone"];
const MEMORY = "/dev/shm";

export interface SimProject {
  dir: string;
  env: Record<string, string>;
  /** Where the work trees of tasks stand. */
  trees: string;
}

/** A place for simulations, with the project that each begins with. */
export interface TaskLab {
  dir: string;
  /** As the template was made, and as it stands in the records of where things are. */
  template: string;
  tools: ToolRunner;
  used: number;
}

const endOf = (file: string): string => `end of ${file}`;
const slotOf = (task: number): string => `slot ${task}`;
export const markOf = (task: number, deed: number): string => `m${task}x${deed}x`;
export const doneMark = (task: number): string => `done${task}x`;

function write(dir: string, files: Record<string, string>): void {
  mkdirSync(dir, { recursive: true });
  for (const [name, text] of Object.entries(files)) writeFileSync(path.join(dir, name), text);
}

const projectAt = (base: string): SimProject => {
  const dir = path.join(base, "project");
  const env = { PATH: process.env["PATH"] ?? "", HOME: base, SYLK_HOME: path.join(base, "home") };
  return { dir, env, trees: path.join(base, "home") };
};

/** In memory where the system has such a place: no disk is waited for. */
export async function makeTaskLab(): Promise<TaskLab> {
  const lab = tempDir("sim-tasks", existsSync(MEMORY) ? MEMORY : undefined);
  const base = path.join(lab, "template");
  const { dir, env } = projectAt(base);
  const slots = Array.from({ length: MAX_TASKS }, (_value, task) => `between\nand\n${slotOf(task)}\nbetween\nand`).join("\n");
  const files: Record<string, string> = { "shared.txt": `top\n${slots}\nlast\n` };
  for (let task = 0; task < MAX_TASKS; task += 1)
    for (const name of NAMES) files[`t${task}${name}.txt`] = `top\none\ntwo\nthree\nfour\n${endOf(`t${task}${name}`)}\n`;
  write(dir, files);
  for (const args of [
    ["init", "-q", "."],
    ["add", "."],
    ["-c", "user.name=u", "-c", "user.email=u@u", "commit", "-qm", "begin"],
  ])
    execFileSync("git", args, { cwd: dir, stdio: "ignore" });
  const providers = { sim: { kind: "openai-chat", base_url: "http://127.0.0.1:9/v1" } };
  const settings = {
    llm: { providers },
    memory: { place: "project" },
    security: { sandbox: { mode: "off" } },
    // Copying the database is the one thing it does beside its own thread.
    storage: { backup: { periodic: { enabled: false } } },
  };
  write(path.join(base, "home"), { "config.yaml": stringify(settings) });
  const app = await openApp({ cwd: dir, env, clock: systemClock });
  await app.journal.verify();
  await app.close();
  const tools = new ToolRunner(lab);
  onTestFinished(() => tools[Symbol.dispose]());
  return { dir: lab, template: base, tools, used: 0 };
}

/** As every simulation begins, each at a place of its own: nobody remembers another's files. */
export function freshProject(lab: TaskLab): SimProject & Disposable {
  lab.used += 1;
  const base = path.join(lab.dir, `seed${String(lab.used).padStart(5, "0")}`);
  cpSync(lab.template, base, { recursive: true });
  const project = projectAt(base);
  const dirs = systemPaths.dirs({ env: project.env, platform: process.platform });
  const before = openProject(
    path.join(lab.template, "project"),
    systemPaths.dirs({ env: projectAt(lab.template).env, platform: process.platform }),
  ).private;
  const record = path.join(base, path.relative(lab.template, before), "project.json");
  writeFileSync(record, readFileSync(record, "utf8").replaceAll(lab.template, base));
  mkdirSync(path.join(base, "tmp"));
  const { TMPDIR } = process.env;
  process.env["TMPDIR"] = path.join(base, "tmp");
  return {
    ...project,
    trees: path.join(openProject(project.dir, dirs).private, "work"),
    [Symbol.dispose]: () => {
      if (TMPDIR === undefined) delete process.env["TMPDIR"];
      else process.env["TMPDIR"] = TMPDIR;
      rmSync(base, { recursive: true, force: true });
    },
  };
}

export type ToolCall = { name: string; input: unknown };

const insert = (file: string, mark: string): { path: string; find: string; replace: string } => ({
  path: `${file}.txt`,
  find: endOf(file),
  replace: `${mark}\n${endOf(file)}`,
});

/** What a model calls to do it. */
export function callOf(task: number, index: number, deed: Deed): ToolCall {
  const mark = markOf(task, index);
  switch (deed) {
    case "insert":
      return { name: "edit_file", input: insert(`t${task}a`, mark) };
    case "pair":
      return { name: "multi_edit", input: { edits: [insert(`t${task}a`, mark), insert(`t${task}b`, mark)] } };
    case "shared":
      return { name: "edit_file", input: { path: "shared.txt", find: slotOf(task), replace: `${slotOf(task)}\n${mark}` } };
    case "write":
      return { name: "write_file", input: { path: `t${task}new${index}.txt`, content: `${mark}\n` } };
    case "move":
      return { name: "move_file", input: { from: `t${task}move.txt`, to: `t${task}moved${index}.txt` } };
    case "delete":
      return { name: "delete_file", input: { path: `t${task}gone.txt` } };
    case "run":
      return { name: "run_command", input: { command: `echo ${mark} >> t${task}log.txt` } };
    case "note":
      return { name: "note_fact", input: { subject: `deed ${index}`, fact: mark } };
  }
}

export function doneCall(task: number): ToolCall {
  return { name: "edit_file", input: insert(`t${task}a`, doneMark(task)) };
}

export const checkOf = (task: number): string => `grep -q ${doneMark(task)} t${task}a.txt`;

/** The user's own line. */
export function edited(text: string, task: number, place: "top" | "disputed", mark: string, file: string): string {
  if (place === "top") return text.replace("top\n", `top\n${mark}\n`);
  const target = file === "shared.txt" ? slotOf(task) : endOf(file.replace(".txt", ""));
  return text.replace(`${target}\n`, `${mark}\n${target}\n`);
}

/** Files of a folder by name, without what is hidden. */
export function filesIn(dir: string): Map<string, string> {
  const files = new Map<string, string>();
  if (!existsSync(dir)) return files;
  for (const name of readdirSync(dir)) if (!name.startsWith(".")) files.set(name, readFileSync(path.join(dir, name), "utf8"));
  return files;
}
