/**
 * Commands over a journal that grew for years: `node bench/big-journal.ts [events]`, 100,000 when absent. One real task
 * is run by a scripted model, then written again and again under new ids; every command is a process of its own.
 */
import { execFileSync, spawnSync } from "node:child_process";
import { mkdirSync, statSync, writeFileSync } from "node:fs";
import path from "node:path";
import { openApp } from "../src/app/index.ts";
import { sqliteDriver } from "../src/journal/index.ts";
import { newId, openProject, systemClock, systemPaths } from "../src/kernel/index.ts";
import { STREAMS, agentActor, type NewEvent } from "../src/protocol/events/index.ts";
import { inTempDir } from "./measure.ts";

const EVENTS = Number(process.argv[2] ?? 100_000);
const STEPS = 12;
const SYLK = path.join(import.meta.dirname, "..", "src", "surface", "cli", "main.ts");

const rules = `rules:
${Array.from({ length: STEPS }, (_, step) => `  - when: { step: ${step + 1} }\n    answer: { text: "step ${step + 1}", tool_calls: [{ name: write_file, input: { path: "f${step}.txt", content: "made ${step}" } }] }`).join("\n")}
  - when: { step: ">=${STEPS + 1}" }
    answer: { text: done, tool_calls: [{ name: complete, input: { summary: done } }] }
`;

await inTempDir(async (base) => {
  const project = path.join(base, "project");
  mkdirSync(project);
  execFileSync("git", ["init", "-q", project]);
  writeFileSync(path.join(base, "rules.yaml"), rules);
  const env = { PATH: process.env["PATH"] ?? "", HOME: base, SYLK_HOME: path.join(base, "home") };
  const words = { goal: "make the files", type: "implement_feature", role: "engineer", criteria: [], constraints: [], checks: [] };
  const app = await openApp({ cwd: project, env, clock: systemClock });
  const model = `scripted/${path.join(base, "rules.yaml")}`;
  const { id } = await app.api.send({ type: "task.start", options: { ...words, discover_checks: false, model, profile: "minimal" } });
  await app.api.send({ type: "task.run", id });
  await app.close();

  const file = openProject(project, systemPaths.dirs({ env, platform: process.platform })).database;
  const store = await sqliteDriver.open({ path: file, clock: systemClock, durability: "process" });
  const made = await store.journal.read(STREAMS.task(id));
  const tasks = Math.ceil(EVENTS / made.length);
  const began = performance.now();
  for (let i = 0; i < tasks; i += 1) {
    const another = newId("task", systemClock.now());
    const events = made.map((event): NewEvent => ({
      type: event.type,
      actor: agentActor("engineer"),
      payload: JSON.parse(JSON.stringify(event.payload).replaceAll(id, another)),
    }));
    await store.journal.append(STREAMS.task(another), 0, events);
  }
  const seconds = (performance.now() - began) / 1000;
  const head = await store.journal.headPosition();
  await store.close();
  const size = Math.round(statSync(file).size / 1024 / 1024);
  console.log(`${head} events, ${tasks + 1} tasks, ${size} MB, written in ${seconds.toFixed(1)} s`);

  const run = (what: string, ...args: string[]): void => {
    const start = performance.now();
    const { status, stdout, stderr } = spawnSync(process.execPath, [SYLK, "-C", project, ...args], { env, encoding: "utf8" });
    const ms = Math.round(performance.now() - start);
    const told = stderr.trim().split("\n")[0] ?? "";
    console.log(
      `${String(ms).padStart(7)} ms  ${what} (exit ${status}, ${stdout.split("\n").length - 1} lines)${told === "" ? "" : `  said: ${told}`}`,
    );
  };
  run("the first command, which folds the views anew", "task", "list");
  run("task list", "task", "list");
  run("task list", "task", "list");
  run("task show last", "task", "show", "last");
  run("task show, by the end of its id", "task", "show", id.slice(-8));
  run("journal tail", "journal", "tail");
  run("journal verify", "journal", "verify");
  run("--version, for comparison", "--version");
});
