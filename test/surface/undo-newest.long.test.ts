/** Without an id, what is taken back is what was changed last and not undone, whatever was begun since. */
import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { openHeadlessSession } from "../support/headless-session.ts";
import { runSylk } from "../support/run-sylk.ts";
import { script, scriptedProject } from "../support/scripted-project.ts";

const FILES = { "a.txt": "before\n" };
const WRITE = script([
  { name: "write_file", input: { path: "a.txt", content: "after\n" } },
  { name: "complete", input: { summary: "written" } },
]);

test("`sylk undo` and /undo pass over what was only begun, say whose changes they take back, and then find nothing more", async () => {
  const here = scriptedProject(FILES, WRITE);
  const sylk = (...args: string[]) => runSylk(here.dir, here.env, args);
  const read = (): string => readFileSync(path.join(here.dir, "a.txt"), "utf8");
  const begin = async (goal: string, ...more: string[]): Promise<void> => {
    await sylk("exec", goal, "--no-checks", "-m", here.rules, ...more);
  };
  await begin("write it");
  await begin("and more", "--detach");
  expect(read()).toBe("after\n");
  const tried = await sylk("task", "undo", "--dry-run");
  expect([tried.out, read()]).toEqual(["would take back: a.txt\n", "after\n"]);
  const undone = await sylk("undo");
  expect([undone.code, undone.out, read()]).toEqual([0, "taken back: a.txt\n", "before\n"]);
  expect(undone.err).toMatch(/^of \w+: write it$/mu);
  expect((await sylk("undo")).out).toBe("nothing to take back: no task changed anything here that was not undone\n");
  await begin("write it once more");
  await begin("and even more", "--detach");
  await using session = await openHeadlessSession(here);
  await session.sees("ready");
  session.say("/undo");
  await session.sees(/of \w+: write it once more\ntaken back: a\.txt[\s\S]*ready$/u);
  expect(read()).toBe("before\n");
});

test("said twice, undo does not walk on to what was changed before: it names it, with the word that takes it back", async () => {
  const here = scriptedProject(FILES, WRITE);
  const sylk = (...args: string[]) => runSylk(here.dir, here.env, args);
  const read = (): string => readFileSync(path.join(here.dir, "a.txt"), "utf8");
  await sylk("exec", "the first", "--no-checks", "-m", here.rules);
  writeFileSync(here.rules.slice("scripted/".length), WRITE.replace("after", "later"));
  await sylk("exec", "the second", "--no-checks", "-m", here.rules);
  await using session = await openHeadlessSession(here);
  await session.sees("ready");
  session.say("/undo");
  await session.sees(/of \w+: the second\ntaken back: a\.txt[\s\S]*ready$/u);
  session.say("/undo");
  const shown = await session.sees(/taken back already \(\w{8}: the second\)[\s\S]*before it \(\w{8}: the first\)[\s\S]*ready$/u);
  expect(read()).toBe("after\n");
  session.say(/\/undo \w{8}/u.exec(shown)?.[0] ?? "");
  await session.sees(/\/undo \w{8}\s*\ntaken back: a\.txt[\s\S]*ready$/u);
  expect(read()).toBe("before\n");
});
