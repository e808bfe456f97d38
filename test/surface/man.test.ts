import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { manPage } from "../../scripts/man.ts";
import { COMMANDS } from "../../src/surface/cli/command-table.ts";

const NO_GROFF = spawnSync("groff", ["--version"], { stdio: "ignore" }).status === 0 ? undefined : "the program `groff` is not here";

test("the manual page is the one the command table makes (`npm run man`), and names every word", async () => {
  const page = await manPage();
  expect(readFileSync("man/sylk.1", "utf8")).toBe(page);
  for (const { name } of COMMANDS) expect(page).toContain(`.SS sylk ${name}\n`);
  expect(page).toMatch(/^[\n\u0020-\u007E]*$/u);
});

test.skipIf(NO_GROFF !== undefined)("a formatter reads it without a warning", () => {
  const { stderr, stdout } = spawnSync("groff", ["-man", "-Tutf8", "-ww", "man/sylk.1"], { encoding: "utf8" });
  expect(stderr).toBe("");
  expect(stdout).toContain("work in another folder");
});
