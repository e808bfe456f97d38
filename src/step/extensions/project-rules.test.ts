import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { tempDir } from "../../../test/support/temp.ts";
import { longRules, readProjectRules } from "./project-rules.ts";

test("the project's rules come first, nearer ones after it; AGENTS.md and CLAUDE.md both count, GEMINI.md where there is neither", () => {
  const dir = tempDir();
  mkdirSync(path.join(dir, "a/b"), { recursive: true });
  for (const [name, text] of [
    ["AGENTS.md", "top\n"],
    ["CLAUDE.md", "and this"],
    ["GEMINI.md", "not this"],
    ["a/GEMINI.md", "middle"],
    ["a/b/AGENTS.md", "  \n"],
  ] as const)
    writeFileSync(path.join(dir, name), text);
  const rules = [
    { path: "AGENTS.md", text: "top" },
    { path: "CLAUDE.md", text: "and this" },
    { path: "a/GEMINI.md", text: "middle" },
  ];
  expect(readProjectRules(dir, path.join(dir, "a/b"))).toEqual({ rules, refused: [] });
  // A work tree lies elsewhere.
  expect(readProjectRules(dir, path.join(dir, "../elsewhere")).rules).toEqual(rules.slice(0, 2));
});

test("H4: a rule file without end is cut between two lines, and says so", () => {
  const dir = tempDir();
  writeFileSync(path.join(dir, "AGENTS.md"), "HERON and more\n".repeat(40_000));
  const text = readProjectRules(dir).rules[0]?.text ?? "";
  expect(text.length).toBeLessThan(257 * 1024);
  expect(text.endsWith("HERON and more\n\n(The file is longer; its first 256 KiB are shown.)")).toBe(true);
});

function project(files: Record<string, string>): string {
  const dir = tempDir();
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(path.dirname(path.join(dir, name)), { recursive: true });
    writeFileSync(path.join(dir, name), text);
  }
  return dir;
}

test("what a rule file takes in by @ follows it, once, relative to it, also in a circle; code and names are no imports", () => {
  const dir = project({
    "AGENTS.md": "See @docs/style.md, and (@docs/style.md).\n`@docs/span.md`\n```\n@docs/fenced.md\n```\nAsk @anna, use @types/node.\n",
    "CLAUDE.md": "@AGENTS.md\n- @./docs/extra.md\n",
    "docs/style.md": "Tabs. @more/deep.md",
    "docs/more/deep.md": "Deep. @../../AGENTS.md",
    "docs/extra.md": "Extra.",
    "docs/span.md": "no",
    "docs/fenced.md": "no",
  });
  const { rules, refused } = readProjectRules(dir);
  expect(rules.map(({ path: file }) => file)).toEqual(["AGENTS.md", "docs/style.md", "docs/more/deep.md", "CLAUDE.md", "docs/extra.md"]);
  expect(refused).toEqual([]);
});

test("CLAUDE.md that is a link to AGENTS.md is read once", () => {
  const dir = project({ "AGENTS.md": "top" });
  symlinkSync("AGENTS.md", path.join(dir, "CLAUDE.md"));
  expect(readProjectRules(dir)).toEqual({ rules: [{ path: "AGENTS.md", text: "top" }], refused: [] });
});

test("an import leads neither out of the project nor to what is never shown, and is neither endless nor deeper than five", () => {
  const chain = Object.fromEntries(Array.from({ length: 8 }, (_, i) => [`c${i}.md`, `c${i} @c${i + 1}.md`]));
  const many = Object.fromEntries(Array.from({ length: 30 }, (_, i) => [`m/${i}.md`, `m${i}`]));
  const dir = project({ ".env": "PIN=1", ...chain, ...many, "data.md": "a\0b" });
  writeFileSync(path.join(dir, "../outside.md"), "OUTSIDE");
  symlinkSync("../outside.md", path.join(dir, "link.md"));
  symlinkSync("/dev/zero", path.join(dir, "endless.md"));
  const told = (text: string): ReturnType<typeof readProjectRules> => {
    writeFileSync(path.join(dir, "AGENTS.md"), text);
    return readProjectRules(dir);
  };
  const out = told("@../outside.md @~/private.md @link.md @endless.md @.env @gone.md @data.md");
  expect(out.rules.map(({ path: file }) => file)).toEqual(["AGENTS.md"]);
  expect(out.refused.map(({ path: file }) => file)).toEqual([
    "../outside.md",
    "~/private.md",
    "link.md",
    "endless.md",
    ".env",
    "gone.md",
    "data.md",
  ]);
  const deep = told("@c0.md");
  expect(deep.rules.map(({ path: file }) => file)).toEqual(["AGENTS.md", "c0.md", "c1.md", "c2.md", "c3.md", "c4.md"]);
  expect(deep.refused).toEqual([{ path: "c5.md", reason: "is taken in more than 5 levels deep" }]);
  const wide = told(
    Object.keys(many)
      .map((name) => `@${name}`)
      .join("\n"),
  );
  expect(wide.rules).toHaveLength(21);
  expect(wide.refused[0]?.reason).toContain("more than 20 files");
});

test("the user's own rules come first, and what is longer than helps is told", () => {
  const own = project({ "AGENTS.md": "Answer in French. @tone.md", "tone.md": "Kindly." });
  const dir = project({ "AGENTS.md": `${"a rule\n".repeat(5_000)}`, "CLAUDE.md": "short" });
  const { rules } = readProjectRules(dir, dir, own);
  expect(rules.map(({ path: file }) => file)).toEqual([path.join(own, "AGENTS.md"), path.join(own, "tone.md"), "AGENTS.md", "CLAUDE.md"]);
  expect(longRules(rules)).toEqual([{ path: "AGENTS.md", kib: 34 }]);
});

test("rows of backticks and of dots without an end are read through once; code between equal rows is no import", () => {
  const dir = project({
    "AGENTS.md": `x ${"`".repeat(20_000)}${"a".repeat(20_000)}\n${Array.from({ length: 300 }, (_, i) => "`".repeat(i + 1)).join(" ")}\n@${".".repeat(20_000)}a\n\`\`@no.md \` @no.md\`\` @yes.md\n`,
    "yes.md": "yes",
    "no.md": "no",
  });
  expect(readProjectRules(dir).rules.map(({ path: file }) => file)).toEqual(["AGENTS.md", "yes.md"]);
});

test("nothing of the git folder is taken in, and a place outside is told once", () => {
  const dir = project({
    "AGENTS.md": "@.git/config @.git/logs/HEAD @sub/.GIT/notes.md @/etc/passwd",
    "CLAUDE.md": "@/etc/passwd",
    ".git/config": "[remote] url",
    ".git/logs/HEAD": "clone",
    "sub/.GIT/notes.md": "x",
  });
  const { rules, refused } = readProjectRules(dir);
  expect(rules.map(({ path: file }) => file)).toEqual(["AGENTS.md", "CLAUDE.md"]);
  expect(refused).toEqual([
    { path: ".git/config", reason: "lies in the git folder" },
    { path: ".git/logs/HEAD", reason: "lies in the git folder" },
    { path: "sub/.GIT/notes.md", reason: "lies in the git folder" },
    { path: "/etc/passwd", reason: "leads out of the project" },
  ]);
});
