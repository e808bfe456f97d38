/** Of two pieces that have nothing to do with each other the later is checked again after the earlier was merged, and not read again. */
import { expect, test, vi } from "vitest";
import { planOf, simplePiece, teamProject } from "../../support/team-project.ts";

// Whole requests with real trees and tests: a busy machine needs its time.
vi.setConfig({ testTimeout: 600_000 });

test("a change that is the same after others merged is checked on the new state and reviewed once", async () => {
  const pieces = [simplePiece("loud"), simplePiece("calm")];
  const project = teamProject(planOf(pieces), pieces);
  const app = await project.open();
  const { id } = await app.api.send({ type: "request.start", options: project.options() });
  const end = await app.api.send({ type: "request.run", id });
  expect(end.status).toBe("done");
  const roles = await Promise.all(
    end.work.map(async ({ tasks }) => Promise.all(tasks.map(async (task) => (await app.tasks.show(task)).role))),
  );
  expect(roles.map((all) => all.filter((role) => role === "inspector"))).toEqual([["inspector"], ["inspector"]]);
  const { position: until } = await app.api.query({ type: "journal.head" });
  const judged = new Map<string, string[]>();
  for await (const { stream, payload } of app.api.events({ types: ["pipeline.judged"], until }, 0, new AbortController().signal))
    judged.set(stream, [...(judged.get(stream) ?? []), (payload as { commit: string }).commit]);
  // One was merged first; the other was judged on what stood there before and on what stood there then.
  expect([...judged.values()].map((commits) => new Set(commits).size).toSorted((a, b) => a - b)).toEqual([1, 2]);
  await app.close();
});
