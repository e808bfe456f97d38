import { mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { tempDir } from "../../../test/support/temp.ts";
import { readProjectRules } from "./project-rules.ts";

test("the project's rules come first, nearer ones after it; of several names in a folder the first counts", () => {
  const dir = tempDir();
  mkdirSync(path.join(dir, "a/b"), { recursive: true });
  for (const [name, text] of [
    ["AGENTS.md", "top\n"],
    ["CLAUDE.md", "not this"],
    ["a/GEMINI.md", "middle"],
    ["a/b/AGENTS.md", "  \n"],
  ] as const)
    writeFileSync(path.join(dir, name), text);
  const rules = [
    { path: "AGENTS.md", text: "top" },
    { path: "a/GEMINI.md", text: "middle" },
  ];
  expect(readProjectRules(dir, path.join(dir, "a/b"))).toEqual({ rules, refused: [] });
  // A work tree lies elsewhere.
  expect(readProjectRules(dir, path.join(dir, "../elsewhere")).rules).toEqual(rules.slice(0, 1));
});

test("H4: a rule file without end is cut between two lines, and says so", () => {
  const dir = tempDir();
  writeFileSync(path.join(dir, "AGENTS.md"), "HERON and more\n".repeat(40_000));
  const text = readProjectRules(dir).rules[0]?.text ?? "";
  expect(text.length).toBeLessThan(257 * 1024);
  expect(text.endsWith("HERON and more\n\n(The file is longer; its first 256 KiB are shown.)")).toBe(true);
});
