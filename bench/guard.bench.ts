/** The guard: how fast text is redacted, what a permission costs, and that generated lines and paths do not escape. */
import { readFileSync, readdirSync } from "node:fs";
import path from "node:path";
import { createRedactor, openPermissions, type Permissions } from "../src/guard/index.ts";
import { fuzzPaths } from "../test/fuzz/path-oracle.ts";
import { fuzzShell } from "../test/fuzz/shell-oracle.ts";
import { inTempDir, median } from "./measure.ts";
import type { BenchRow } from "./run.ts";
import { shippedRole } from "../test/support/shipped-roles.ts";

type GuardedAction = Parameters<Permissions["decide"]>[0];

const ROUNDS = 7;
const FUZZ_CASES = 100_000;

function sourceText(folder: string): string {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith(".ts"))
    .map((entry) => readFileSync(path.join(entry.parentPath, entry.name), "utf8"))
    .join("\n");
}

function megabytesPerSecond(text: string): number {
  const rates = Array.from({ length: ROUNDS }, () => {
    // One that has seen the text before would only remember it.
    const redactor = createRedactor();
    const start = performance.now();
    redactor.redact(text);
    return text.length / 1e6 / ((performance.now() - start) / 1000);
  });
  return median(rates);
}

export function run(): Promise<BenchRow[]> {
  return inTempDir(async (dir) => {
    const root = path.resolve(import.meta.dirname, "..");
    const source = sourceText(path.join(root, "src"));
    const log =
      "2026-01-01T00:00:00Z INFO request id=8f14e45f user=17 path=/api/v1/items?page=3 status=200 token refreshed in 12 ms\n".repeat(
        20_000,
      );
    const secret = `ghp_${"aB3dE6gH9jK2mN5pQ8sT1vW4yZ7x".repeat(2).slice(0, 36)}`;
    const leaky = `${"x".repeat(200)} api_key = ${"aB3dE6gH9jK2mN5pQ8sT1vW4".repeat(1)}\nauthorization: bearer ${secret}\n`.repeat(4_000);
    const rows: BenchRow[] = [];
    for (const [name, text] of [
      ["TypeScript source", source],
      ["log lines", log],
      ["text with a secret every 150 bytes", leaky],
    ] as const) {
      const rate = megabytesPerSecond(text);
      rows.push({
        name: `redaction of ${name}`,
        value: rate,
        unit: "MB/s",
        target: ">= 20 MB/s",
        met: rate >= 20,
        note: `${(text.length / 1e6).toFixed(1)} MB`,
      });
    }
    const gate = openPermissions({
      role: shippedRole("engineer"),
      project: dir,
      projectFile: path.join(dir, "permissions.yaml"),
      home: dir,
      record: () => Promise.resolve(),
    });
    const action: GuardedAction = {
      kind: "run",
      command: { kind: "shell", line: "git status && cat src/a.ts | head -20 > out.txt" },
      cwd: dir,
      background: false,
      network: [],
    };
    const calls = 2_000;
    const start = performance.now();
    for (let i = 0; i < calls; i += 1) await gate.decide(action);
    rows.push({ name: "one permission decision of a four-part line", value: ((performance.now() - start) / calls) * 1000, unit: "µs" });
    const paths = fuzzPaths({ seed: 1, cases: FUZZ_CASES });
    rows.push({
      name: "generated paths that escape",
      value: paths.escapes.length,
      unit: "",
      target: "0",
      met: paths.escapes.length === 0,
      note: `${paths.generated} generated, ${paths.written} written`,
    });
    const lines = await fuzzShell({ seed: 1, cases: FUZZ_CASES, traced: false });
    rows.push({
      name: "generated shell lines that escape",
      value: lines.escapes.length,
      unit: "",
      target: "0",
      met: lines.escapes.length === 0,
      note: `${lines.generated} generated, ${lines.allowed} allowed and run in bash and sh`,
    });
    return rows;
  });
}
