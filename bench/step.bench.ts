/** The step engine: its own time per step, input tokens against an accumulating loop, many tasks at once. */
import { mkdirSync, writeFileSync } from "node:fs";
import { monitorEventLoopDelay } from "node:perf_hooks";
import path from "node:path";
import { stringify } from "yaml";
import { openApp } from "../test/support/lab.ts";
import { systemClock } from "../src/kernel/index.ts";
import { countTokens } from "../src/model/tokens/count-tokens.ts";
import { assess } from "../src/step/monitor/assess.ts";
import { labelledTraces } from "../test/support/goal-traces.ts";
import { inTempDir, median } from "./measure.ts";
import type { BenchRow } from "./run.ts";

const SOURCE_LINES = 400;
/** A short thought and a call. */
const ANSWER_TOKENS = 60;
const CACHE_READ = 0.1;
const CACHE_WRITE = 1.25;

function source(i: number): string {
  return Array.from({ length: SOURCE_LINES }, (_v, n) =>
    n % 20 === 0
      ? `export function part_${i}_${n}(input: string): string {`
      : n % 20 === 19
        ? "}"
        : `  const value_${n} = compute(input, ${n}); // line ${n} of module ${i}`,
  ).join("\n");
}

/** A reading task: every step looks at another file, as exploring an unknown project does. */
function readingRules(steps: number): string {
  return stringify({
    rules: Array.from({ length: steps }, (_v, i) => ({
      when: { step: i + 1 },
      answer: {
        text: `Looking at module ${i}.`,
        tool_calls: [
          i + 1 === steps
            ? { name: "complete", input: { summary: "read everything" } }
            : { name: "read_file", input: { path: `src/m${i}.ts` } },
        ],
      },
    })),
  });
}

interface Counted {
  tokens: number;
  /** How many of them equal the beginning of the step before. */
  shared: number;
}

interface Reading {
  inputs: Counted[];
  /** System prompt, tools and task. */
  fixed: number;
  /** What each step's answer and result add to a conversation. */
  pages: number[];
  stepMs: number[];
}

async function readingTask(dir: string, steps: number): Promise<Reading> {
  const project = path.join(dir, `reading-${steps}`);
  mkdirSync(path.join(project, "src"), { recursive: true });
  for (let i = 0; i < steps; i += 1) writeFileSync(path.join(project, `src/m${i}.ts`), source(i));
  writeFileSync(path.join(dir, `rules-${steps}.yaml`), readingRules(steps));
  const app = await openApp({
    cwd: project,
    env: { PATH: process.env["PATH"] ?? "", HOME: dir, SYLK_HOME: path.join(dir, "home") },
    clock: systemClock,
  });
  const id = await app.tasks.start({
    goal: "Read the modules and say how they hang together.",
    type: "discover",
    role: "librarian",
    criteria: ["every module is named"],
    constraints: [],
    checks: [],
    model: `scripted/${path.join(dir, `rules-${steps}.yaml`)}`,
    profile: "default",
    maxSteps: steps + 5,
  });
  const stepMs: number[] = [];
  let last = performance.now();
  await app.tasks.run(
    id,
    (line) => {
      if (line.type !== "decision") return;
      const now = performance.now();
      stepMs.push(now - last);
      last = now;
    },
    new AbortController().signal,
  );
  const inputs: Counted[] = [];
  const pages: number[] = [];
  let fixed = 0;
  let before = "";
  for (let step = 1; step <= steps; step += 1) {
    const seen = await app.tasks.context(id, step);
    const whole = `${seen.system}${JSON.stringify(seen.tools)}${seen.user}`;
    let same = 0;
    while (same < whole.length && whole[same] === before[same]) same += 1;
    inputs.push({ tokens: countTokens(whole), shared: countTokens(whole.slice(0, same)) });
    if (step === 1) fixed = countTokens(whole);
    // The page a step brought in is what the next request shows of it.
    const file = `## file:src/m${step - 2}.ts`;
    const at = seen.user.indexOf(file);
    if (step > 1)
      pages.push(
        at === -1
          ? 0
          : countTokens(seen.user.slice(at, seen.user.indexOf("\n```\n\n", at) === -1 ? undefined : seen.user.indexOf("\n```\n\n", at))) +
              ANSWER_TOKENS,
      );
    before = whole;
  }
  pages.push(0);
  await app.close();
  return { inputs, fixed, pages, stepMs: stepMs.slice(2) };
}

/**
 * The same task by a loop that carries its conversation: every request holds the system prompt, the
 * tools, the task and every answer and result so far. It gets the same pages of the same files.
 */
function accumulating(ours: Reading): Counted[] {
  let history = ours.fixed;
  return ours.pages.map((_page, i) => {
    const shared = i === 0 ? 0 : history;
    if (i > 0) history += ours.pages[i - 1] as number;
    return { tokens: history, shared: Math.min(shared, history) };
  });
}

const sum = (list: { tokens: number }[]): number => list.reduce((total, one) => total + one.tokens, 0);
/**
 * What is billed with ideal caching: what equals the step before is read from the cache, what the
 * next step will find again is written to it, the rest is plain input.
 */
function billed(list: readonly Counted[]): number {
  return list.reduce((total, one, i) => {
    const written = Math.max(0, (list[i + 1]?.shared ?? 0) - one.shared);
    return total + one.shared * CACHE_READ + written * CACHE_WRITE + (one.tokens - one.shared - written);
  }, 0);
}

const PROJECT_RULES = `# Rules of this project
- Write small functions with one purpose; split a file before it reaches three hundred lines.
- Name things by what they are for, not by how they are made. No abbreviations outside loops.
- Errors carry what happened and what to do; never swallow one. Translate at the edge of a package only.
- No new dependency without asking. Prefer what the platform offers.
- Every exported function has a comment of one line. Comments inside say why, never what.
- Tests stand beside the code, run in any order, and use real files in temporary folders.
- Dates are kept in UTC as ISO text; money in cents as whole numbers.
- Public types change only together with their users, in one commit.
- Log through the logger in packages/util; the console belongs to the command line alone.
- A change that touches the database needs a migration and a note in docs/changes.md.
`;

/** A task as they usually go: look, look, change, read the failure, change again. */
async function typicalShare(dir: string): Promise<BenchRow> {
  const project = path.join(dir, "typical");
  mkdirSync(path.join(project, "src"), { recursive: true });
  for (let i = 0; i < 30; i += 1) writeFileSync(path.join(project, `src/m${i}.ts`), source(i).split("\n").slice(0, 60).join("\n"));
  // Around them a project of ordinary size, with ordinary rules.
  for (const folder of ["api", "core", "db", "jobs", "mail", "ui", "util", "web"]) {
    mkdirSync(path.join(project, "packages", folder), { recursive: true });
    for (const name of ["index", "types", "client", "server", "parse", "render", "errors", "config", "queue", "store"])
      writeFileSync(path.join(project, "packages", folder, `${name}.ts`), "export {};\n");
  }
  writeFileSync(path.join(project, "AGENTS.md"), PROJECT_RULES);
  const turn = (i: number): { name: string; input: unknown } => {
    const file = `src/m${Math.floor(i / 6)}.ts`;
    switch (i % 6) {
      case 0:
        return { name: "search", input: { pattern: `part_${Math.floor(i / 6)}_20` } };
      case 1:
        return { name: "read_file", input: { path: file } };
      case 3:
        return { name: "run_command", input: { command: "ls src" } };
      case 5:
        return { name: "note_fact", input: { subject: file, fact: "done" } };
      default:
        return {
          name: "edit_file",
          input: { path: file, find: i % 6 === 2 ? "// line 31 of" : "// line 42 of", replace: `// line ${i} now of` },
        };
    }
  };
  const steps = 36;
  const rules = Array.from({ length: steps }, (_v, i) => ({
    when: { step: i + 1 },
    answer: { text: "Next.", tool_calls: [i + 1 === steps ? { name: "complete", input: { summary: "done" } } : turn(i)] },
  }));
  writeFileSync(path.join(dir, "typical.yaml"), stringify({ rules }));
  const app = await openApp({
    cwd: project,
    env: { PATH: process.env["PATH"] ?? "", HOME: dir, SYLK_HOME: path.join(dir, "home") },
    clock: systemClock,
  });
  const id = await app.tasks.start({
    goal: "Number the lines of the modules anew and keep everything else.",
    type: "implement_feature",
    role: "engineer",
    criteria: ["every module is renumbered"],
    constraints: ["no other change"],
    checks: [],
    model: `scripted/${path.join(dir, "typical.yaml")}`,
    profile: "minimal",
    maxSteps: steps + 5,
  });
  await app.tasks.run(id, () => undefined, new AbortController().signal);
  const shares: number[] = [];
  let before = "";
  for (let step = 1; step < steps; step += 1) {
    const seen = await app.tasks.context(id, step);
    const whole = `${seen.system}${JSON.stringify(seen.tools)}${seen.user}`;
    let same = 0;
    while (same < whole.length && whole[same] === before[same]) same += 1;
    if (step > 2) shares.push(countTokens(whole.slice(0, same)) / countTokens(whole));
    before = whole;
  }
  await app.close();
  return {
    name: "share of a typical step's input that equals the step before",
    value: median(shares) * 100,
    unit: "%",
    target: ">= 60 %",
    met: median(shares) >= 0.6,
  };
}

/** One look of the goal monitor at a long run, without a model. */
async function monitorTime(): Promise<BenchRow> {
  const times: number[] = [];
  for (const trace of labelledTraces(40, 200)) {
    const start = performance.now();
    await assess(trace.input);
    times.push(performance.now() - start);
  }
  return {
    name: "goal monitor, one look without a model, median",
    value: median(times),
    unit: "ms",
    target: "< 5 ms",
    met: median(times) < 5,
  };
}

/** The longest stretch between two turns of the event loop in time this thread really worked. */
function watchOwnTime(): { stop(): number } {
  const now = (): number => {
    const { user, system } = process.threadCpuUsage();
    return (user + system) / 1000;
  };
  let last = now();
  let longest = 0;
  const timer = setInterval(() => {
    const time = now();
    longest = Math.max(longest, time - last);
    last = time;
  }, 5);
  return {
    stop() {
      clearInterval(timer);
      return longest;
    },
  };
}

async function manyTasks(dir: string, tasks: number, steps: number): Promise<BenchRow[]> {
  const project = path.join(dir, "many");
  for (let i = 0; i < tasks; i += 1) {
    mkdirSync(path.join(project, `t${i}`), { recursive: true });
    writeFileSync(path.join(project, `t${i}`, "note.txt"), "start\n");
  }
  const rules = Array.from({ length: steps }, (_v, i) => ({
    when: { step: i + 1 },
    answer: {
      tool_calls: [
        i + 1 === steps
          ? { name: "complete", input: { summary: "done" } }
          : i % 4 === 3
            ? { name: "write_file", input: { path: `out-${i}.txt`, content: `${i}\n` } }
            : { name: "read_file", input: { path: "note.txt" } },
      ],
    },
  }));
  writeFileSync(path.join(dir, "many.yaml"), stringify({ rules }));
  const env = {
    PATH: process.env["PATH"] ?? "",
    HOME: dir,
    SYLK_HOME: path.join(dir, "home-many"),
    SYLK_STORAGE_DATABASE_DURABILITY: "process",
    SYLK_LLM_PER_SESSION_MAX_CONCURRENT: String(tasks),
  };
  const app = await openApp({ cwd: project, env, clock: systemClock });
  const ids: string[] = [];
  for (let i = 0; i < tasks; i += 1)
    ids.push(
      await app.tasks.start({
        goal: `task ${i}`,
        type: "implement_feature",
        role: "engineer",
        criteria: [],
        constraints: [],
        checks: [],
        model: `scripted/${path.join(dir, "many.yaml")}`,
        profile: "minimal",
        maxSteps: steps + 5,
        folder: `t${i}`,
      }),
    );
  globalThis.gc?.();
  const base = process.memoryUsage().rss;
  let peak = base;
  const delay = monitorEventLoopDelay({ resolution: 5 });
  delay.enable();
  const watch = setInterval(() => (peak = Math.max(peak, process.memoryUsage().rss)), 50);
  const own = watchOwnTime();
  const start = performance.now();
  const ends = await Promise.all(ids.map((id) => app.tasks.run(id, () => undefined, new AbortController().signal)));
  const seconds = (performance.now() - start) / 1000;
  clearInterval(watch);
  const ownMs = own.stop();
  delay.disable();
  await app.close();
  const finished = ends.filter((end) => end.status === "complete").length;
  const perTask = (peak - base) / tasks / 1024 / 1024;
  return [
    {
      name: `${tasks} tasks of ${steps} steps at once: finished`,
      value: finished,
      unit: "tasks",
      target: `${tasks}`,
      met: finished === tasks,
      note: `${seconds.toFixed(1)} s`,
    },
    { name: "memory per active task over the base", value: perTask, unit: "MB", target: "<= 1 MB", met: perTask <= 1 },
    {
      name: "longest block of the event loop",
      value: delay.max / 1e6,
      unit: "ms",
      target: "<= 50 ms",
      met: delay.max / 1e6 <= 50,
      note: `p99 ${(delay.percentile(99) / 1e6).toFixed(1)} ms; longest stretch of this thread's own work ${ownMs.toFixed(0)} ms`,
    },
  ];
}

export function run(): Promise<BenchRow[]> {
  return inTempDir(async (dir) => {
    countTokens("warm up");
    const rows: BenchRow[] = [];
    for (const [steps, target] of [
      [12, 0.8],
      [20, 0.6],
      [40, 0.35],
      [100, 0.15],
    ] as const) {
      const ours = await readingTask(dir, steps);
      const theirs = accumulating(ours);
      const raw = sum(ours.inputs) / sum(theirs);
      const bill = billed(ours.inputs) / billed(theirs);
      if (steps === 100)
        rows.push({
          name: "engine time per step (full durability), median",
          value: median(ours.stepMs),
          unit: "ms",
          target: "<= 6 ms",
          met: median(ours.stepMs) <= 6,
        });
      rows.push({
        name: `input tokens of a ${steps}-step reading task`,
        value: raw,
        unit: "of an accumulating loop's",
        target: `<= ${target}`,
        met: raw <= target,
        note: `${sum(ours.inputs)} against ${sum(theirs)}`,
      });
      rows.push({
        name: `billed-equivalent with ideal caching, ${steps} steps`,
        value: bill,
        unit: "of theirs",
        target: "< 1",
        met: bill < 1,
      });
    }
    rows.push(await monitorTime());
    rows.push(await typicalShare(dir));
    rows.push(...(await manyTasks(dir, 1_000, 20)));
    return rows;
  });
}
