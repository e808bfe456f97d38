/** `sylk -c`, `sylk -r` and `--fork`: going on with a request of earlier, chosen in the session where none is named. */
import { expect, test, vi } from "vitest";
import { KEYS, openHeadlessSession } from "../support/headless-session.ts";
import { runSylk } from "../support/run-sylk.ts";
import { planOf, teamProject } from "../support/team-project.ts";
import { pieces } from "./continue-request.ts";

// Whole requests with real trees and tests: a busy machine needs its time.
vi.setConfig({ testTimeout: 600_000 });

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
