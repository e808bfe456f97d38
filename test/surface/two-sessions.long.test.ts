/** Several sessions beside each other, as a user goes from one to the other. */
import { expect, test, vi } from "vitest";
import { runSylk } from "../support/run-sylk.ts";
import { filesOf } from "../support/scripted-project.ts";
import { FILES, planOf, simplePiece, teamProject } from "../support/team-project.ts";

// Whole requests with real trees and tests: a busy machine needs its time.
vi.setConfig({ testTimeout: 300_000 });

interface Session {
  id: string;
  status: string;
  questions: { id: string; text: string }[];
  work: { state: string }[];
}

test("who goes to another session leaves the first where it stood and finds the other as it was; one that is not there changes nothing", async () => {
  const pieces = [simplePiece("loud")];
  const project = teamProject(planOf(pieces), pieces);
  const sylk = (...args: string[]) => runSylk(project.dir, { ...project.env, NO_COLOR: "1" }, args, 200_000);
  const show = async (id: string): Promise<Session> => JSON.parse((await sylk("session", "show", id, "--json")).out) as Session;
  const begin = async (words: string): Promise<Session> => {
    const run = await sylk("run", words, "--check", "node --test", "-m", project.rules);
    expect(run.code).toBe(4);
    return show("last");
  };
  const first = await begin("add loud");
  const second = await begin("add it another time");
  expect(first.id).not.toBe(second.id);
  const nowhere = await sylk("session", "attach", "zzz");
  expect([nowhere.code > 0, nowhere.err]).toEqual([true, expect.stringContaining("there is no request zzz")]);
  expect([await show(first.id), await show(second.id)]).toEqual([first, second]);
  // Back to the first: it goes on to its merge, and the second rests at its plan all the while.
  await sylk("answer", first.questions[0]?.id ?? "", "approve");
  expect((await sylk("session", "resume", first.id)).code).toBe(4);
  const built = await show(first.id);
  expect([built.status, built.work.map(({ state }) => state)]).toEqual(["needs_you", ["merged"]]);
  expect(await show(second.id)).toEqual(second);
  // And to the second, which asks what it asked; what the first has built stands apart and waits.
  const again = await sylk("session", "resume", second.id);
  expect([again.code, again.out]).toEqual([4, expect.stringContaining("Is this how it should be done?")]);
  expect([await show(first.id), filesOf(project.dir)]).toEqual([built, FILES]);
  await sylk("answer", built.questions[0]?.id ?? "", "yes");
  expect((await sylk("session", "resume", first.id)).code).toBe(0);
  expect((await show(second.id)).questions).toEqual(second.questions);
});
