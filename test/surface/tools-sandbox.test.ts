/** `sylk tools` and `sylk sandbox` as a person runs them. */
import { spawn } from "node:child_process";
import { mkdirSync, rmSync } from "node:fs";
import path from "node:path";
import { text } from "node:stream/consumers";
import { afterAll, beforeAll, expect, test } from "vitest";
import { putFiles, tempFolder } from "../support/temp-workspace.ts";
import { MAIN } from "../support/built-command.ts";

let folder = "";

beforeAll(() => {
  folder = tempFolder("tools");
  mkdirSync(path.join(folder, "project"));
  putFiles(path.join(folder, "project"), {
    "package.json": JSON.stringify({ devDependencies: { vitest: "5.0.0", prettier: "3.0.0" }, scripts: { lint: "eslint ." } }),
    "package-lock.json": "{}",
    ".prettierrc": "{}",
    "src/a.ts": "",
    "src/b.ts": "",
  });
});
afterAll(() => rmSync(folder, { recursive: true }));

async function sylk(args: string[], settings: Record<string, string> = {}): Promise<{ code: number | null; out: string; err: string }> {
  const { PATH, NODE_COMPILE_CACHE } = process.env;
  const child = spawn(process.execPath, [MAIN, ...args], {
    cwd: path.join(folder, "project"),
    env: { PATH, NODE_COMPILE_CACHE, HOME: folder, SYLK_HOME: path.join(folder, "home"), NO_COLOR: "1", ...settings },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const [out, err, code] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    new Promise<number | null>((resolve) => child.on("close", resolve)),
  ]);
  return { code, out, err };
}

test("~DIS-003 DIS-005: sylk tools names each tool with its command, its confidence and the reason", async () => {
  const shown = await sylk(["tools"], { PATH: "/usr/bin:/bin" });
  expect(shown).toMatchObject({ code: 0, err: "" });
  expect(shown.out).toContain("languages  typescript (2)");
  expect(shown.out).toContain("packages   npm  npm ci — found package-lock.json");
  expect(shown.out).toContain(
    "formatter for typescript: prettier  75 %: found .prettierrc, prettier in package.json, executable not found",
  );
  expect(shown.out).toContain("test framework for typescript: vitest  25 %: vitest in package.json, executable not found");
  expect(shown.out).toContain('linter for typescript: eslint  10 %: script "lint", executable not found');
  const json = JSON.parse((await sylk(["tools", "--json"])).out) as { choices: { category: string; tool: { id: string } }[] };
  expect(json.choices.find((choice) => choice.category === "formatter")?.tool.id).toBe("prettier");
});

interface Status {
  mode: string;
  available: boolean;
}

test("SEC-029 ~SEC-038: sylk sandbox says what holds here, and the setting changes it", async () => {
  const status = JSON.parse((await sylk(["sandbox", "status", "--json"])).out) as Status;
  expect(status.mode).toBe("auto");
  const off = await sylk(["sandbox", "status"], { SYLK_SECURITY_SANDBOX_MODE: "off" });
  expect(off.out).toContain("off: commands run directly, under permission checks only\nmode: off");
  const tried = await sylk(["sandbox", "test"]);
  expect(tried.code).toBe(status.available ? 0 : 1);
  expect(tried.out).toContain(status.available ? "✓ it cannot write elsewhere" : "? a command runs and writes in its folder");
});

test("~SEC-032: without the system's sandbox the status names what to install", async () => {
  const bare = await sylk(["sandbox", "status"], { PATH: path.join(folder, "empty") });
  expect(bare.out).toMatch(/off: commands run directly|on: commands run inside sandbox-runtime/u);
});
