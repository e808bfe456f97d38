/** A step as a user has it: the whole command, over HTTP to a model on this machine that answers at once. */
import { spawn } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { startWireServer } from "../test/support/wire-server/wire-server.ts";
import { inTempDir, median } from "./measure.ts";
import type { BenchRow } from "./run.ts";

const STEPS = 40;
const LINES = 400;
const SYLK = path.join(import.meta.dirname, "../src/surface/cli/main.ts");

const source = (i: number): string =>
  Array.from({ length: LINES }, (_v, n) => `export const value_${i}_${n} = compute("input", ${n}); // line ${n} of module ${i}`).join("\n");

/** Peak resident memory of a living process, in MB; 0 where the system does not tell. */
function peakOf(pid: number): number {
  try {
    const kilobytes = /^VmHWM:\s+(?<kb>\d+)/mu.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.groups?.["kb"];
    return Number(kilobytes ?? 0) / 1024;
  } catch {
    return 0;
  }
}

export function run(): Promise<BenchRow[]> {
  return inTempDir(async (dir) => {
    const project = path.join(dir, "project");
    mkdirSync(path.join(project, "src"), { recursive: true });
    for (let i = 0; i < STEPS; i += 1) writeFileSync(path.join(project, `src/m${i}.ts`), source(i));
    const arrivals: number[] = [];
    let peak = 0;
    await using server = await startWireServer(() => {
      arrivals.push(performance.now());
      const step = arrivals.length;
      const call =
        step === STEPS
          ? { name: "complete", input: { summary: "all read" } }
          : { name: "read_file", input: { path: `src/m${step - 1}.ts` } };
      return { text: `Looking at module ${step}.`, toolCalls: [call], usage: { input: 1_000, output: 20 } };
    });
    const child = spawn(
      process.execPath,
      [SYLK, "task", "start", "read the modules", "--type", "discover", "--role", "librarian", "-m", "openai/tiny", "--max-steps", "45"],
      {
        cwd: project,
        env: {
          PATH: process.env["PATH"] ?? "",
          HOME: dir,
          SYLK_HOME: path.join(dir, "home"),
          OPENAI_BASE_URL: `${server.url}/v1`,
          OPENAI_API_KEY: "key-for-the-bench",
        },
        stdio: "ignore",
      },
    );
    const watch = setInterval(() => (peak = Math.max(peak, peakOf(child.pid ?? 0))), 20);
    await new Promise((resolve) => child.once("exit", resolve));
    clearInterval(watch);
    if (arrivals.length !== STEPS) throw new Error(`the model was asked ${arrivals.length} times instead of ${STEPS}`);
    const gaps = arrivals.slice(1).map((at, i) => at - (arrivals[i] as number));
    const typical = median(gaps.slice(5));
    return [
      {
        name: `a step over HTTP, whole command of ${STEPS} steps, median`,
        value: typical,
        unit: "ms",
        target: "<= 8 ms",
        met: typical <= 8,
      },
      { name: "peak resident memory of that command, from source", value: peak, unit: "MB", target: "<= 180 MB", met: peak <= 180 },
    ];
  });
}
