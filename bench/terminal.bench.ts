/**
 * The session on a terminal beside two others of the field, in one run: until something stands on the screen, what it
 * costs while nothing happens and while a command says twenty lines a second, and what it holds after a thousand steps.
 * The others come from npm into a folder that is kept; where npm cannot be reached only Sylk is measured.
 */
import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import path from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { stringify } from "yaml";
import { inTempDir, median } from "./measure.ts";
import { OnTerminal } from "./on-terminal.ts";
import type { BenchRow } from "./run.ts";

const ROOT = path.resolve(import.meta.dirname, "..");
const OTHERS = path.join(ROOT, "node_modules/.cache/sylk-bench-others");
const PI = "@earendil-works/pi-coding-agent@0.87.1";
const OPENCODE = "opencode-ai@1.18.33";
const ROUNDS = 7;
const IDLE_MS = 10_000;
const SETTLE_MS = 5_000;
const LINES = 200;
const SAID_MS = 40_000;
const STEPS = 1_000;
const LOOP = `for i in $(seq ${LINES}); do echo line $i of what a command says while it runs; sleep 0.05; done; echo all $((1 + 1)) said`;

interface Program {
  name: string;
  command: string[];
  /** Typed before a line that the shell is to run. */
  shell: string[];
  /** What has to be on the screen besides some words. */
  with?: RegExp;
}

function others(): Program[] {
  mkdirSync(OTHERS, { recursive: true });
  if (!existsSync(path.join(OTHERS, "node_modules/opencode-ai"))) {
    const args = ["install", "--prefix", OTHERS, "--no-save", "--ignore-scripts", "--no-audit", "--no-fund", PI, OPENCODE];
    if (spawnSync("npm", args, { stdio: "ignore" }).status !== 0) return [];
  }
  const at = (name: string): string => path.join(OTHERS, "node_modules", name);
  return [
    { name: "pi", command: [process.execPath, at("@earendil-works/pi-coding-agent/dist/cli.js")], shell: ["!"] },
    { name: "opencode", command: [at(`opencode-linux-${process.arch}/bin/opencode`)], shell: ["!", ""] },
  ].filter(({ command }) => command.every((file) => existsSync(file)));
}

/** As it is installed: the published package, with the packages of this clone. */
function packed(dir: string): string {
  execFileSync(process.execPath, [path.join(ROOT, "scripts/pack.ts"), dir], { stdio: ["ignore", "ignore", "inherit"] });
  symlinkSync(path.join(ROOT, "node_modules"), path.join(dir, "package/node_modules"));
  return path.join(dir, "package/sylk.mjs");
}

/** Enough that a person sees what it is. */
const somethingStands = (text: string): boolean => text.replaceAll(/\s/gu, "").length >= 60;
/** Sylk is measured until its input can be typed into: the two lines around it. */
const INPUT = /─{20}[\s\S]*─{20}/u;

interface Seen {
  firstMs: number;
  idlePercent: number;
  /** Nothing where it does not show what a command says. */
  busy: { percent: number; kilobytesPerSecond: number } | undefined;
  residentMegabytes: number;
}

async function measure(program: Program, cwd: string, env: NodeJS.ProcessEnv): Promise<Seen> {
  const first: number[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    const one = new OnTerminal(program.command, cwd, env);
    first.push(await one.shows((text) => somethingStands(text) && (program.with?.test(text) ?? true)));
    await one.close();
  }
  const one = new OnTerminal(program.command, cwd, env);
  await one.shows(somethingStands);
  await wait(SETTLE_MS);
  const idle = await costOf(one, () => wait(IDLE_MS));
  for (const keys of program.shell) {
    if (keys !== "") one.type(keys);
    await wait(300);
  }
  const busy = await costOf(one, async () => {
    one.type(LOOP);
    await wait(200);
    one.type("\r");
    await one.shows((text) => text.includes("all 2 said"), SAID_MS);
  }).catch(() => undefined);
  const seen = {
    firstMs: median(first),
    idlePercent: idle.percent,
    busy: busy === undefined ? undefined : { percent: busy.percent, kilobytesPerSecond: busy.bytes / 1_024 / busy.seconds },
    residentMegabytes: one.residentMegabytes(),
  };
  await one.close();
  return seen;
}

async function costOf(one: OnTerminal, work: () => Promise<unknown>): Promise<{ percent: number; bytes: number; seconds: number }> {
  const [from, ticks, bytes] = [performance.now(), one.processorSeconds(), one.bytes];
  await work();
  const seconds = (performance.now() - from) / 1_000;
  return { percent: (100 * (one.processorSeconds() - ticks)) / seconds, bytes: one.bytes - bytes, seconds };
}

/** A task of a thousand steps in a session, each a change. */
async function afterManySteps(command: string[], cwd: string, env: NodeJS.ProcessEnv, dir: string): Promise<number> {
  const rules = path.join(dir, "rules.yaml");
  const write = (step: number): unknown => ({ name: "write_file", input: { path: `out/${step}.txt`, content: `this is ${step}\n` } });
  const steps = Array.from({ length: STEPS }, (_v, i) => ({
    when: { step: i + 1 },
    answer: {
      text: `step ${i + 1}`,
      tool_calls: [i + 1 < STEPS ? write(i + 1) : { name: "escalate", input: { reason: "all steps made" } }],
    },
  }));
  writeFileSync(rules, stringify({ rules: steps }));
  const one = new OnTerminal(command, cwd, env);
  await one.shows((text) => INPUT.test(text));
  one.type(`/task write many files --max-steps ${STEPS + 10} -m scripted/${rules}\r`);
  await one.shows((text) => text.includes("all steps made"), 1_200_000);
  const megabytes = one.residentMegabytes();
  await one.close();
  return megabytes;
}

export function run(): Promise<BenchRow[]> {
  return inTempDir(async (dir) => {
    const cwd = path.join(dir, "project");
    const home = path.join(dir, "home");
    mkdirSync(cwd);
    mkdirSync(home);
    execFileSync("git", ["init", "-q"], { cwd });
    const env = {
      PATH: process.env["PATH"] ?? "",
      HOME: home,
      SYLK_HOME: path.join(home, "sylk"),
      NODE_COMPILE_CACHE: path.join(dir, "cache"),
      // No key of anybody is used: no model is asked anything.
      OPENAI_API_KEY: "sk-nobody",
      OPENCODE_DISABLE_AUTOUPDATE: "1",
    };
    const sylk = { name: "sylk", command: [process.execPath, packed(dir)], shell: ["!"], with: INPUT };
    const rows: BenchRow[] = [];
    const seen = new Map<string, Seen>();
    for (const program of [sylk, ...others()]) seen.set(program.name, await measure(program, cwd, env));
    const pi = seen.get("pi");
    for (const [name, one] of seen) {
      const own = name === "sylk";
      rows.push(
        {
          name: `${name}: until something stands on the screen`,
          value: one.firstMs,
          unit: "ms",
          ...(own && pi !== undefined ? { target: "<= pi's", met: one.firstMs <= pi.firstMs } : {}),
        },
        {
          name: `${name}: processor while nothing happens`,
          value: one.idlePercent,
          unit: "%",
          ...(own ? { target: "0.0 %", met: one.idlePercent < 0.05 } : {}),
        },
        ...(one.busy === undefined
          ? []
          : [
              { name: `${name}: processor at 20 lines a second`, value: one.busy.percent, unit: "%" },
              { name: `${name}: sent to the terminal meanwhile`, value: one.busy.kilobytesPerSecond, unit: "KB/s" },
            ]),
        { name: `${name}: memory after that`, value: one.residentMegabytes, unit: "MB" },
      );
    }
    const megabytes = await afterManySteps(sylk.command, cwd, env, dir);
    rows.push({ name: "sylk: memory after 1,000 steps", value: megabytes, unit: "MB", target: "<= 180 MB", met: megabytes <= 180 });
    return rows;
  });
}
