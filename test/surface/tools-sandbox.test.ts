/** `sylk tools` and `sylk sandbox` as a person runs them. */
import path from "node:path";
import { expect, test } from "vitest";
import { place } from "./tools-sandbox.ts";

test("~DIS-003 DIS-005: sylk tools names each tool with its command, its confidence and the reason", async () => {
  const { sylk } = place();
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

test("~SEC-032: without the system's sandbox the status names what to install", async () => {
  const { folder, sylk } = place();
  const bare = await sylk(["sandbox", "status"], { PATH: path.join(folder, "empty") });
  expect(bare.out).toMatch(/off: commands run directly|on: commands run inside sandbox-runtime/u);
});
