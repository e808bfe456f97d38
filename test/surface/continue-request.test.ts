/** `sylk -c`, `sylk -r` and `--fork`: going on with a request of earlier, chosen in the session where none is named. */
import { expect, test, vi } from "vitest";
import { KEYS, openHeadlessSession } from "../support/headless-session.ts";
import { runSylk } from "../support/run-sylk.ts";
import { filesOf } from "../support/scripted-project.ts";
import { planOf, simplePiece, teamProject } from "../support/team-project.ts";

// Whole requests with real trees and tests: a busy machine needs its time.
vi.setConfig({ testTimeout: 600_000 });

const pieces = [simplePiece("loud")];

test("a plan that waits is gone on with by -c, an end is shown again, and a fork begins from the same state with the same plan", async () => {
  const project = teamProject(planOf(pieces), pieces);
  const sylk = (...args: string[]) => runSylk(project.dir, { ...project.env, NO_COLOR: "1" }, args);
  expect((await sylk("-c")).err).toContain("there is no request");
  expect((await sylk("run", "add loud", "--approve", "plan-only", "--check", "node --test", "-m", project.rules)).code).toBe(0);
  const before = filesOf(project.dir);
  // The plan is approved by going on; what reaches the folder is asked about.
  expect((await sylk("-c")).code).toBe(4);
  const [question] = JSON.parse((await sylk("questions", "--json")).out) as { id: string }[];
  await sylk("answer", question?.id ?? "", "yes");
  expect((await sylk("--continue")).code).toBe(0);
  expect(Object.keys(filesOf(project.dir))).toContain("src/loud.js");
  const shown = await sylk("-c");
  expect([shown.code, shown.out]).toEqual([0, expect.stringContaining("done")]);
  const last = JSON.parse((await sylk("session", "list", "--json")).out) as { id: string }[];
  const forked = await sylk("-r", last[0]?.id ?? "", "--fork");
  const list = JSON.parse((await sylk("session", "list", "--json")).out) as { id: string }[];
  expect([forked.code, forked.out, list.length]).toEqual([0, expect.stringMatching(/^planned; nothing was built/u), 2]);
  expect(before).not.toHaveProperty("src/loud.js");
});

test("a session begins with the choice among requests, newest first, told by their words and how they stand", async () => {
  const project = teamProject(planOf(pieces), pieces);
  const sylk = (...args: string[]) => runSylk(project.dir, { ...project.env, NO_COLOR: "1" }, args);
  for (const words of ["the first wish", "the second wish"])
    await sylk("run", words, "--approve", "plan-only", "-m", project.rules, "--detach");
  await using session = await openHeadlessSession(project, { first: ["session", "continue"] });
  const shown = await session.sees(/Which request\?[\s\S]*the second wish[\s\S]*the first wish/u);
  expect(shown).toContain("› sylk resume");
  session.type(KEYS.down);
  session.type(KEYS.enter);
  await session.sees(/A1: [\s\S]*ready/u);
  expect(JSON.parse((await sylk("session", "list", "--json")).out)).toEqual([
    expect.objectContaining({ words: "the second wish", status: "planning" }),
    expect.objectContaining({ words: "the first wish", status: "planned" }),
  ]);
});
