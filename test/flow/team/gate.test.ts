/** What a review sends back: never without the gate, never against a limit of the person, and with its warnings. */
import { expect, test, vi } from "vitest";
import { AGAINST, reviewed, run } from "./gate.ts";

// Whole requests with real trees and tests: a busy machine needs its time.
vi.setConfig({ testTimeout: 600_000 });

test("a finding that holds work up says what would mend it, or the reviewer is asked again", async () => {
  const { text, evidence } = AGAINST;
  const { app, end } = await run(reviewed({ text, evidence }));
  expect([end.status, end.questions[0]?.text]).toEqual(["needs_you", expect.stringContaining("nobody reviewed it")]);
  const review = (await app.tasks.list()).find(({ role }) => role === "inspector");
  const { steps } = await app.tasks.show(review?.id ?? "");
  expect(steps[0]?.actions.join()).toContain("say in `fix` what would mend it");
  await app.close();
});
