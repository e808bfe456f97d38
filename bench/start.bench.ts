/** What starting the command costs, against starting Node alone, with a warm compile cache. */
import { spawnSync } from "node:child_process";
import path from "node:path";
import { inTempDir, median } from "./measure.ts";
import type { BenchRow } from "./run.ts";

const ROUNDS = 25;

export function run(): Promise<BenchRow[]> {
  return inTempDir((dir) => {
    const root = path.resolve(import.meta.dirname, "..");
    const env = { ...process.env, NODE_COMPILE_CACHE: path.join(dir, "cache"), SYLK_HOME: path.join(dir, "home") };
    const start = (args: string[]): number => {
      const from = performance.now();
      const child = spawnSync(process.execPath, args, { env, encoding: "utf8" });
      if (child.status !== 0) throw new Error(child.stderr);
      return performance.now() - from;
    };
    const main = path.join(root, "src/surface/cli/main.ts");
    for (let i = 0; i < 3; i += 1) start([main, "--version"]);
    const bareTimes: number[] = [];
    const versionTimes: number[] = [];
    for (let i = 0; i < ROUNDS; i += 1) {
      bareTimes.push(start(["-e", "0"]));
      versionTimes.push(start([main, "--version"]));
    }
    const ratio = median(versionTimes) / median(bareTimes);
    // Peak resident memory of the child itself: what getrusage says includes the process it was forked from.
    const script = `process.argv.splice(1, 1, ${JSON.stringify(main)}); await import(${JSON.stringify(main)}); process.on("exit", () => process.stderr.write(/VmHWM:\\s*(\\d+)/.exec(process.getBuiltinModule("node:fs").readFileSync("/proc/self/status", "utf8"))[1]));`;
    const measured = spawnSync(process.execPath, ["--input-type=module", "-e", script, "x", "--version"], { env, encoding: "utf8" });
    const megabytes = Number(measured.stderr.trim().split("\n").at(-1)) / 1024;
    return Promise.resolve([
      {
        name: "sylk --version against node -e 0",
        value: ratio,
        unit: "x",
        target: "<= 1.6x",
        met: ratio <= 1.6,
        note: `${median(versionTimes).toFixed(0)} ms against ${median(bareTimes).toFixed(0)} ms`,
      },
      { name: "sylk --version, peak resident memory", value: megabytes, unit: "MB", target: "<= 60 MB", met: megabytes <= 60 },
    ]);
  });
}
