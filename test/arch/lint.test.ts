/** The linter is configured to see what it must: each fault is planted once and has to be reported. */
import { execFile } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";

const ROOT = path.join(import.meta.dirname, "../..");
let folder = "";
let reported: string[] = [];

const FILES: Record<string, string> = {
  "src/kernel/low.ts": `import { high } from "../app/index.ts";\nexport const low = high;\n`,
  "src/app/index.ts": `export const high = 1;\n`,
  "src/app/floating.ts": `async function later() {}\nexport function start() {\n  later();\n}\n`,
  "src/app/misused.ts": `export function each(items: number[]) {\n  items.forEach(async () => {});\n}\n`,
  "src/app/loose.ts": `export const loose = (x: any): unknown => x;\n`,
  "src/app/one.ts": `import { two } from "./two.ts";\nexport const one = () => two;\n`,
  "src/app/two.ts": `import { one } from "./one.ts";\nexport const two = () => one;\n`,
  "src/app/chatty.ts": `export const chatty = () => console.log(1);\n`,
  "src/surface/around.ts": `import { low } from "../journal/index.ts";\nexport const around = low;\n`,
  "src/journal/index.ts": `export const low = 1;\n`,
  "src/app/lazy.test.ts": `import { test } from "vitest";\ntest.skip("never", () => {});\n`,
};

beforeAll(async () => {
  folder = mkdtempSync(path.join(tmpdir(), "sylk-lint-"));
  for (const name of [".oxlintrc.json", "tsconfig.json"]) cpSync(path.join(ROOT, name), path.join(folder, name));
  symlinkSync(path.join(ROOT, "node_modules"), path.join(folder, "node_modules"));
  for (const [name, text] of Object.entries(FILES)) {
    mkdirSync(path.dirname(path.join(folder, name)), { recursive: true });
    writeFileSync(path.join(folder, name), text);
  }
  const oxlint = path.join(ROOT, "node_modules/.bin/oxlint");
  const output = await new Promise<string>((resolve) =>
    execFile(oxlint, ["--type-aware", "--format", "json", "src"], { cwd: folder }, (_error, out) => resolve(out)),
  );
  const { diagnostics } = JSON.parse(output) as { diagnostics: { code: string; filename: string }[] };
  reported = diagnostics.map((d) => `${d.filename} ${d.code}`);
}, 60_000);
afterAll(() => rmSync(folder, { recursive: true }));

test.each([
  "src/kernel/low.ts eslint(no-restricted-imports)",
  "src/surface/around.ts eslint(no-restricted-imports)",
  "src/app/floating.ts typescript(no-floating-promises)",
  "src/app/misused.ts typescript(no-misused-promises)",
  "src/app/loose.ts typescript(no-explicit-any)",
  "src/app/one.ts import(no-cycle)",
  "src/app/chatty.ts eslint(no-console)",
  "src/app/lazy.test.ts vitest(no-disabled-tests)",
])("the linter sees %s", (expected) => {
  expect(reported).toContain(expected);
});
