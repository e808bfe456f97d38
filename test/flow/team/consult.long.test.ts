/** `consult.test.ts` goes on here with what takes longer. */
import { expect, test, vi } from "vitest";
import { liveOut, NEVER } from "../../crash/run-life.ts";
import { call, answers, asking, asked, heard } from "./consult.ts";

// Whole requests with real trees and tests: a busy machine needs its time.
vi.setConfig({ testTimeout: 600_000 });

test(
  "killed while the other one works, nothing is asked twice: the same question goes on and its answer is the asker's",
  { timeout: 60_000 },
  async () => {
    const project = asking(
      "librarian",
      { when: { role: "librarian", step: 1 }, answer: call("read_file", { path: "src/trim.js" }) },
      { when: { role: "librarian" }, answer: answers() },
    );
    const app = await project.open();
    const { id } = await app.api.send({ type: "request.start", options: project.options({ approve: "plan-only" }) });
    await app.close();
    const job = { do: "request" as const, id, streams: ["task/"] };
    // In the middle of the first step of the asked one, and once more while it goes on.
    for (const n of [6, 3]) expect((await liveOut(project, job, { when: "after", n })).killed).toBe(true);
    expect((await liveOut(project, job, NEVER)).outcome).toMatchObject({ status: "planned" });
    const again = await project.open();
    const [one, ...more] = await asked(again);
    expect([one?.status, one?.step, more]).toEqual(["complete", 2, []]);
    const architect = (await again.tasks.list()).find(({ role }) => role === "architect");
    expect(architect?.step).toBe(2);
    expect(await heard(again, architect?.id ?? "")).toContain("src/trim.js:1");
    await again.close();
  },
);
