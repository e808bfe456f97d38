/** A request that was cut off between its merge and its end, taken back: the tree knows what was merged, nobody wrote it down. */
import { expect, test, vi } from "vitest";
import { filesOf } from "../support/scripted-project.ts";
import { planOf, simplePiece, teamProject } from "../support/team-project.ts";
import { liveOut, NEVER, type Point } from "./run-life.ts";

vi.setConfig({ testTimeout: 600_000 });

const pieces = [simplePiece("loud")];

async function begun(point: Point) {
  const project = teamProject(planOf(pieces), pieces);
  const before = filesOf(project.dir);
  const app = await project.open();
  const { id } = await app.api.send({ type: "request.start", options: project.options() });
  await app.close();
  return { project, id, before, life: await liveOut(project, { do: "request", id, streams: ["request/"] }, point) };
}

test("~ERR-048: undo after a kill between the merge and the end of a request takes back what was merged", async () => {
  const whole = await begun(NEVER);
  const merged = filesOf(whole.project.dir);
  expect(merged).not.toEqual(whole.before);
  const { project, id, before, life } = await begun({ when: "before", n: whole.life.appends });
  expect(life.killed).toBe(true);
  // Merged, and not ended.
  expect(filesOf(project.dir)).toEqual(merged);
  const app = await project.open();
  const receipt = await app.api.send({ type: "request.rollback", id, force: false });
  expect(receipt).toMatchObject({ files_restored: ["src/loud.js", "test/loud.test.js"] });
  expect(filesOf(project.dir)).toEqual(before);
  await app.close();
});
