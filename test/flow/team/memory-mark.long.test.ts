/** A machine that runs out of memory: what is at work goes on, nothing new begins, and the user's own questions are answered. */
import path from "node:path";
import { expect, onTestFinished, test, vi } from "vitest";
import { driveRequest } from "../../../src/flow/drive-request.ts";
import { requestView } from "../../../src/flow/index.ts";
import { createQuestions, sqliteDriver } from "../../../src/journal/index.ts";
import { must, systemClock, yieldToLoop } from "../../../src/kernel/index.ts";
import { STREAMS, USER } from "../../../src/protocol/events/index.ts";
import { FLOW_LIMITS, FLOW_VIEWS, flowHands, planOfPieces, requestCreated } from "../../support/flow-hands.ts";
import { openApp } from "../../support/lab.ts";
import { ManualClock } from "../../support/manual-clock.ts";
import { MemoryRepository } from "../../support/memory-repository.ts";
import { tempDir } from "../../support/temp.ts";
import { planOf, simplePiece, teamProject } from "../../support/team-project.ts";

// Whole requests with real trees and tests: a busy machine needs its time.
vi.setConfig({ testTimeout: 600_000 });

const never = new AbortController().signal;

test("above the memory mark no piece begins and the request says why, a task of the user's own is worked on all the same, and with room it goes on by itself", async () => {
  const pieces = [simplePiece("loud"), simplePiece("calm")];
  const own = {
    when: { role: "engineer", text: "say hello" },
    answer: { text: "hello", tool_calls: [{ name: "complete", input: { summary: "hello" } }] },
  };
  const project = teamProject(planOf(pieces), pieces, {}, [own]);
  let used = 0.96;
  const app = await openApp({ cwd: project.dir, env: project.env, clock: systemClock, memory: { used: () => used } });
  onTestFinished(() => app.close());
  const { id } = await app.api.send({ type: "request.start", options: project.options() });
  const running = app.api.send({ type: "request.run", id });
  const told: string[] = [];
  for await (const { type, payload } of app.api.events({ types: ["pipeline.blocked"] }, 0, never)) {
    told.push(`${type} ${(payload as { node: string }).node} by ${(payload as { by: string }).by}`);
    if (told.length === 2) break;
  }
  expect(told).toEqual(["pipeline.blocked n1 by memory", "pipeline.blocked n2 by memory"]);

  const held = await app.api.query({ type: "request.show", id });
  expect([held.status, held.waits_for, held.work.map(({ state }) => state)]).toEqual(["building", "memory", ["blocked", "blocked"]]);
  expect(held.work[0]?.why).toContain("memory is nearly used up");
  expect((await app.api.query({ type: "request.list" }))[0]?.waits_for).toBe("memory");
  const task = await app.tasks.start({
    goal: "say hello",
    type: "discover",
    role: "engineer",
    criteria: [],
    constraints: [],
    checks: [],
    model: project.rules,
    profile: "default",
    maxSteps: 3,
  });
  expect((await app.tasks.run(task, () => undefined, never)).status).toBe("complete");

  used = 0.5;
  const end = await running;
  expect([end.status, end.waits_for, end.work.map(({ state }) => state)]).toEqual(["done", undefined, ["merged", "merged"]]);
});

test("memory that does not come back is asked about after the time a piece may take, and is waited for again when the user says so", async () => {
  const clock = new ManualClock();
  const file = path.join(tempDir("memory-mark"), "sylk.db");
  const store = await sqliteDriver.open({ path: file, clock, durability: "process", views: FLOW_VIEWS });
  onTestFinished(() => store.close());
  const { journal, work, blobs } = store;
  const stream = STREAMS.request("req_1");
  await journal.append(stream, 0, [requestCreated("req_1")]);
  let used = 0.99;
  const hands = flowHands({
    journal,
    work,
    clock,
    blobs,
    repository: new MemoryRepository({ "start.txt": "start\n" }),
    limits: { ...FLOW_LIMITS, pipelineMs: 200_000 },
    memoryMark: 0.9,
    memoryUsed: () => used,
    script: () => ({ plan: planOfPieces([{}, {}]), fateOf: () => "works" }),
  });
  const state = async () => must(await journal.get(requestView, stream));
  const drive = async (): Promise<void> => {
    let isOver = false;
    const all = driveRequest(hands, await state(), {}).finally(() => (isOver = true));
    while (!isOver) {
      for (let round = 0; round < 10; round += 1) await yieldToLoop();
      await clock.advance(500);
    }
    await all;
  };
  const began = clock.now();
  await drive();
  const { waits, blocked } = await state();
  expect([waits?.why, blocked]).toEqual(["memory", { n1: "memory", n2: "memory" }]);
  expect(clock.now() - began).toBeLessThan(220_000);
  const questions = createQuestions({
    journal: () => Promise.resolve(journal),
    clock,
    attended: false,
    redact: (text) => text,
    screen: (text) => Promise.resolve(text),
  });
  await questions.answer(must(waits).question, { kind: "chosen", value: "again" }, USER);
  used = 0.2;
  await drive();
  const { ended, blocked: left } = await state();
  expect([ended?.how, left]).toEqual(["not_shown", {}]);
});
