/** The demonstration as anybody starts it: the real command, real trees, edits, tests and merges; only the model is recorded. */
import { execFile } from "node:child_process";
import { existsSync, readdirSync, readFileSync, realpathSync } from "node:fs";
import path from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { runSylk } from "../support/run-sylk.ts";
import { tempDir } from "../support/temp.ts";
import { MAIN } from "../support/built-command.ts";

const SHIPPED = path.join(import.meta.dirname, "../../demo/project");
const run = promisify(execFile);

type Line = { type: string; what?: string; piece?: string; text?: string; status?: string; folder?: string; would_cost_usd?: number };

const filesIn = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => path.relative(folder, path.join(entry.parentPath, entry.name)))
    .filter((file) => !file.startsWith(".git/"));

test(
  "sylk demo takes a request to merged code: four pieces, two at once, one sent back, one merged by structure",
  { timeout: 600_000 },
  async () => {
    const base = realpathSync(tempDir("sylk-demo"));
    const env = { PATH: process.env["PATH"], HOME: base, TMPDIR: base, NO_COLOR: "1" };
    const { stdout } = await run(process.execPath, [MAIN, "demo", "--keep", "--json"], { cwd: base, env, maxBuffer: 16 * 1024 * 1024 });
    const lines = stdout
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line) as Line);
    const at = (what: string, piece: string): number => lines.findIndex((line) => line.what === what && line.piece === piece);
    const pieces = lines.filter(({ what }) => what === "merged").map(({ piece }) => piece);
    expect(new Set(pieces)).toEqual(new Set(["n1", "n2", "n3", "n4"]));
    expect(Math.max(at("begins", "n1"), at("begins", "n2"))).toBeLessThan(Math.min(at("merged", "n1"), at("merged", "n2")));
    expect(lines.filter(({ what }) => what === "returned").map(({ piece }) => piece)).toEqual(["n1"]);
    expect(lines.some(({ what, text }) => what === "rebased" && text?.includes("src/reports/index.js merged by structure"))).toBe(true);
    expect(lines.find(({ type }) => type === "outcome")?.status).toBe("done");
    const told = lines.at(-1);
    expect(told).toMatchObject({ type: "demo", folder: expect.any(String) as unknown, would_cost_usd: expect.any(Number) as unknown });

    const folder = told?.folder ?? "";
    expect(path.relative(base, folder).startsWith("..")).toBe(false);
    const invoice = async (at: string, ...args: string[]): Promise<string> =>
      (await run(process.execPath, ["bin/invoice.js", ...args, "examples/march.json"], { cwd: at })).stdout;
    await run(process.execPath, ["--test"], { cwd: folder, env });
    expect(await invoice(folder)).toBe(await invoice(SHIPPED));
    expect(await invoice(folder, "--format", "csv")).toBe(
      'text,quantity,price,total\n"Roof tiles, red",120,2.49,298.80\nDelivery,1,45.00,45.00\n',
    );
    expect(await invoice(folder, "--format", "html")).toContain("Müller &amp; Sons");
    expect(filesIn(folder)).toEqual(expect.arrayContaining(["test/csv-fields.test.js", "test/cli-format.test.js"]));
    const { stdout: refs } = await run("git", ["worktree", "list"], { cwd: folder, env });
    expect(refs.trim().split("\n")).toHaveLength(1);
    expect(existsSync(path.join(base, ".sylk"))).toBe(false);
    expect(readFileSync(path.join(folder, "src/reports/text.js"), "utf8")).toBe(
      readFileSync(path.join(SHIPPED, "src/reports/text.js"), "utf8"),
    );
  },
);

// Without a sandbox what would be asked about is allowed beforehand, as nobody is there to ask.
test("sylk demo ends as done without a sandbox too", { timeout: 600_000 }, async () => {
  const base = realpathSync(tempDir("sylk-demo"));
  const env = { PATH: process.env["PATH"] ?? "", HOME: base, TMPDIR: base, NO_COLOR: "1", SYLK_SECURITY_SANDBOX_MODE: "off" };
  const { code, out } = await runSylk(base, env, ["demo"], 500_000);
  expect({ code, out }).toEqual({ code: 0, out: expect.stringContaining("done: every assertion has its evidence") as unknown });
});
