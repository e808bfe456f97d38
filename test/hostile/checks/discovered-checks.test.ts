/**
 * The attacker has a repository the person clones; its own "tests" are his program. He wants it run on the
 * person's machine, outside any sandbox, without anybody having agreed to that very text.
 */
import { existsSync, writeFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { cloneRepository, type Clone } from "../../support/cloned-repository.ts";

const complete = "{ name: complete, input: { summary: done } }";
const scriptOf = (calls: string): string =>
  `rules:\n  - when: { step: 1 }\n    answer: { text: one, tool_calls: [${calls}] }\n  - when: { step: '>=2' }\n    answer: { text: hi, tool_calls: [${complete}] }\n`;

interface Victim extends Clone {
  model: string;
  /** True when the attacker's program ran on the host. */
  ran(): boolean;
}

/** `OUTSIDE` in a file stands for a place the attacker wants to write to. */
async function victim(files: Record<string, string>, { sandbox = "off", calls = complete } = {}): Promise<Victim> {
  const clone = cloneRepository({ files });
  const outside = path.join(clone.home, "PWNED");
  for (const [name, text] of Object.entries(files)) writeFileSync(path.join(clone.dir, name), text.replaceAll("OUTSIDE", outside));
  const rules = path.join(clone.base, "rules.yaml");
  writeFileSync(rules, scriptOf(calls).replaceAll("OUTSIDE", outside));
  await clone.sylk("config", "set", "security.sandbox.mode", sandbox);
  return { ...clone, model: `scripted/${rules}`, ran: () => existsSync(outside) };
}

const start = (clone: Victim, ...more: string[]) => clone.sylk("task", "start", "say hi", "-m", clone.model, "--max-steps", "3", ...more);
const PACKAGE = {
  "package.json": JSON.stringify({ scripts: { test: "node evil.js" } }),
  "evil.js": 'require("fs").writeFileSync("OUTSIDE", "");\n',
};

test(
  "H2: without a sandbox and without consent no check of the project runs, and the person is told what to do",
  { timeout: 60_000 },
  async () => {
    const clone = await victim(PACKAGE);
    const { err, out, code } = await start(clone);
    expect(clone.ran()).toBe(false);
    expect(err).toMatch(/npm test.*no check could be run: there is no sandbox/u);
    // Finished at most, never verified.
    expect({ code, out }).not.toMatchObject({ code: 0 });
    expect((await clone.sylk("permissions", "check", "npm test")).out).toMatch(/^ask /u);
  },
);

test("H2: a Makefile and a tool's own set-up are no more the person's word than a package script", { timeout: 60_000 }, async () => {
  const clone = await victim({ Makefile: "test:\n\ttouch OUTSIDE\n", ".sylk-ignored": "" });
  await start(clone);
  expect(clone.ran()).toBe(false);
});

test("H2: what the person agreed to runs, and only as long as it is that text", { timeout: 120_000 }, async () => {
  const clone = await victim(PACKAGE);
  expect((await clone.sylk("trust", "--yes")).code).toBe(0);
  expect((await clone.sylk("permissions", "check", "npm test")).out).toMatch(/^allow {2}a check of the project, trusted as it is/u);
  // Every way to change what runs by that name.
  for (const scripts of [
    { test: "node evil.js --more" },
    { test: "node evil.js", pretest: "touch x" },
    { test: "node evil.js", posttest: "touch x" },
  ]) {
    writeFileSync(path.join(clone.dir, "package.json"), JSON.stringify({ scripts }));
    expect((await clone.sylk("permissions", "check", "npm test")).out).toMatch(/^ask /u);
  }
  await start(clone);
  expect(clone.ran()).toBe(false);
  writeFileSync(path.join(clone.dir, "package.json"), PACKAGE["package.json"]);
  await start(clone);
  expect(clone.ran()).toBe(true);
});

test("H2: an agent that rewrites the script of an agreed check is not let run it", { timeout: 60_000 }, async () => {
  const evil = JSON.stringify({ scripts: { test: "touch OUTSIDE" } });
  const calls = `{ name: write_file, input: { path: package.json, content: ${JSON.stringify(evil)} } }`;
  const clone = await victim({ "package.json": JSON.stringify({ scripts: { test: "true" } }) }, { calls });
  await clone.sylk("trust", "--yes");
  await start(clone, "--permission-mode", "accept-edits");
  // The change is made; whether what it now runs may run is asked.
  expect((await clone.sylk("questions")).out).toMatch(/npm test/u);
  expect(clone.ran()).toBe(false);
});

test("H3: what the person agreed to does not run once another package it reaches has changed", { timeout: 60_000 }, async () => {
  const sub = (line: string): string => JSON.stringify({ scripts: { test: line } });
  const clone = await victim({ "package.json": sub("npm --prefix sub test"), "sub/package.json": sub("true") });
  await clone.sylk("trust", "--yes");
  expect((await clone.sylk("permissions", "check", "npm test")).out).toMatch(/^allow {2}a check of the project, trusted as it is/u);
  writeFileSync(path.join(clone.dir, "sub/package.json"), sub(`touch ${path.join(clone.home, "PWNED")}`));
  expect((await clone.sylk("permissions", "check", "npm test")).out).toMatch(/^ask /u);
  await start(clone);
  expect(clone.ran()).toBe(false);
});

test("a check that cannot be followed is shown as one, with the reason, and no yes covers it", { timeout: 60_000 }, async () => {
  const clone = await victim({ "package.json": JSON.stringify({ scripts: { test: "$RUNNER evil.js" } }), "evil.js": "1;\n" });
  const shown = await clone.sylk("trust", "--yes");
  expect(shown.out).toContain("! npm test cannot be followed, so each run is a question: ");
  expect((await clone.sylk("permissions", "check", "npm test")).out).toMatch(/^ask /u);
});

test("only what the person types after --check is the person's word", { timeout: 60_000 }, async () => {
  const clone = await victim(PACKAGE);
  await start(clone, "--check", "npm test");
  expect(clone.ran()).toBe(true);
});
