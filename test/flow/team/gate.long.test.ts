/** `gate.test.ts` goes on here with what takes longer. */
import path from "node:path";
import { expect, test, vi } from "vitest";
import { sqliteDriver } from "../../../src/journal/index.ts";
import { systemClock } from "../../../src/kernel/index.ts";
import type { App } from "../../support/lab.ts";
import { EVENTS, SYSTEM, type NewEvent } from "../../../src/protocol/events/index.ts";
import { privateOf } from "../../support/scripted-project.ts";
import { RULE, fix, AGAINST, reviewed, run } from "./gate.ts";

// Whole requests with real trees and tests: a busy machine needs its time.
vi.setConfig({ testTimeout: 600_000 });

const WEAK = {
  text: "its test is slow",
  evidence: RULE,
  fix: fix("answer from a table", { impacts: [{ criterion: "A1", impact: "NEGATIVE", reason: "nothing is worked out" }], cause: 0.35 }),
};

const engineers = async (app: App): Promise<string[]> => {
  const tasks = (await app.tasks.list()).filter(({ role }) => role === "engineer").toReversed();
  return Promise.all(tasks.map(async ({ id }) => (await app.tasks.context(id, 1)).user));
};

async function eventsOf(app: App, type: string): Promise<{ stream: string; payload: Record<string, unknown> }[]> {
  const { position: until } = await app.api.query({ type: "journal.head" });
  const found: { stream: string; payload: Record<string, unknown> }[] = [];
  for await (const { stream, payload } of app.api.events({ types: [type], until }, 0, new AbortController().signal))
    found.push({ stream, payload: payload as Record<string, unknown> });
  return found;
}

test("INT-060 INT-081: of what a review finds only what passed the gate reaches the builder, with its warning; what breaks a limit never does, and nothing can be sent without the gate", async () => {
  const project = reviewed(AGAINST, WEAK);
  const { app, end } = await run(project);
  expect([end.status, end.work[0]?.attempt]).toEqual(["done", 2]);
  const [returned] = await eventsOf(app, "pipeline.returned");
  const sent = returned?.payload["message"] as { from: string; to: string; body: { corrections: Record<string, unknown>[] } };
  expect([sent.from, sent.to]).toEqual(["inspector", "engineer"]);
  expect(sent.body.corrections).toEqual([
    {
      from: "inspector",
      issue: "The review found: its test is slow [rule: no new dependencies]",
      correction: "answer from a table",
      intent_alignment: {
        decision: "FLAGGED_STRONG",
        conflicts_with_constraints: [],
        affected_criteria: [{ criterion: "A1", impact: "NEGATIVE", reason: "nothing is worked out" }],
        root_cause_confidence: 0.35,
        root_cause_assessment: "seen",
        warning: 'it works against "A1" (nothing is worked out); likely only a symptom: find the cause first',
      },
    },
  ]);
  const [, second] = await engineers(app);
  expect(second).toContain("Mend it so: answer from a table");
  expect(second).toContain('Careful: it works against "A1" (nothing is worked out); likely only a symptom');
  for (const text of await engineers(app)) expect(text).not.toMatch(/counting package|counts by hand/);
  const [judged] = await eventsOf(app, "pipeline.judged");
  expect(judged?.payload["findings"]).toMatchObject([
    { text: "it counts by hand", alignment: { decision: "BLOCKED", conflicts_with_constraints: ["no new dependencies"] } },
    { alignment: { decision: "FLAGGED_STRONG" } },
  ]);
  // Whoever writes to the journal by hand is refused as well.
  await app.close();
  await using store = await sqliteDriver.open({ path: path.join(privateOf(project), "sylk.db"), clock: systemClock });
  const stream = returned?.stream ?? "";
  const put = (change: (one: Record<string, unknown>) => object): Promise<unknown> => {
    const corrections = sent.body.corrections.map((one) => change(structuredClone(one)));
    const payload = { ...returned?.payload, message: { ...sent, body: { ...sent.body, corrections } } };
    const event = EVENTS.pipeline.returned.create(payload as never, { actor: SYSTEM.engine }) as NewEvent;
    return store.journal.append(stream, "any", [event]);
  };
  await expect(put(({ intent_alignment: _gone, ...bare }) => bare)).rejects.toThrow(/intent_alignment/);
  await expect(
    put((one) => ({ ...one, intent_alignment: { ...(one["intent_alignment"] as object), decision: "PASSED" } })),
  ).rejects.toThrow(/does not follow/);
  await expect(
    put((one) => ({
      ...one,
      intent_alignment: {
        ...(one["intent_alignment"] as object),
        decision: "BLOCKED",
        conflicts_with_constraints: ["no new dependencies"],
      },
    })),
  ).rejects.toThrow(/is not sent/);
});

test("~INT-067: where nothing else is left to say the user is asked, who alone can let a limit go; tried again, the builder hears only the user", async () => {
  const { app, id, end } = await run(reviewed(AGAINST));
  expect([end.status, end.work[0]?.attempt]).toEqual(["needs_you", 1]);
  for (const text of ["it counts by hand", "install the counting package", 'your limit "no new dependencies"'])
    expect(end.questions[0]?.text).toContain(text);
  const answer = { kind: "chosen" as const, value: "retry", words: "count as you did" };
  await app.api.send({ type: "question.answer", id: end.questions[0]?.id ?? "", answer });
  expect((await app.api.send({ type: "request.run", id })).status).toBe("done");
  const texts = await engineers(app);
  expect(texts[1]).toContain("The user says: count as you did");
  for (const text of texts) expect(text).not.toMatch(/counting package|counts by hand/);
  await app.close();
});
