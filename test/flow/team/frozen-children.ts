/** Requests some of whose pieces freeze: in a task, or while their tree is changed; who is told to stop does not. */
import path from "node:path";
import { expect, onTestFinished } from "vitest";
import { pipelineView, requestView } from "../../../src/flow/index.ts";
import { driveRequest } from "../../../src/flow/drive-request.ts";
import { createQuestions, sqliteDriver } from "../../../src/journal/index.ts";
import { must, yieldToLoop } from "../../../src/kernel/index.ts";
import { STREAMS, USER } from "../../../src/protocol/events/index.ts";
import { FLOW_LIMITS, FLOW_VIEWS, flowHands, planOfPieces, requestCreated } from "../../support/flow-hands.ts";
import { ManualClock } from "../../support/manual-clock.ts";
import { MemoryRepository } from "../../support/memory-repository.ts";
import { tempDir } from "../../support/temp.ts";

const LIMITS = { ...FLOW_LIMITS, phaseMs: 60_000, pipelineMs: 200_000, attempts: 2 };
/** Whoever is told to stop is waited for so long, and a pool looks so often. */
const LET_GO_MS = 30_000;
const LOOK_MS = 2_000;
const TICK_MS = 50;
/** Three of ten. */
const freezes = (index: number): boolean => index % 10 < 3;
const freezesInTask = (index: number): boolean => freezes(index) && index % 2 === 0;

export async function freezeChildren(requests: number, pieces: number): Promise<{ frozen: number; merged: number }> {
  const clock = new ManualClock();
  const store = await sqliteDriver.open({
    path: path.join(tempDir("frozen"), "sylk.db"),
    clock,
    durability: "process",
    views: FLOW_VIEWS,
  });
  onTestFinished(() => store.close());
  const { journal, work } = store;
  let isFrozen = true;
  const ids = Array.from({ length: requests }, (_value, index) => `req_${index}`);
  const runOf = async (id: string): Promise<void> => {
    const plan = planOfPieces(Array.from({ length: pieces }, () => ({})));
    const indexOf = (node: string): number => Number(/\d+/u.exec(node)?.[0]) - 1;
    const repository = must(repositories.get(id));
    await driveRequest(
      flowHands({
        journal,
        work,
        clock,
        blobs: store.blobs,
        repository,
        limits: LIMITS,
        script: () => ({ plan, fateOf: ({ node }) => (isFrozen && freezesInTask(indexOf(node)) ? "freezes" : "works") }),
        moment: async (what) => {
          const tree = /^committed team_(pipe_.*)$/u.exec(what)?.[1];
          if (tree === undefined || !isFrozen) return;
          const index = indexOf((await journal.get(pipelineView, STREAMS.pipeline(tree)))?.opened.node.id ?? "");
          if (freezes(index) && !freezesInTask(index)) await new Promise<never>(() => undefined);
        },
      }),
      must(await journal.get(requestView, STREAMS.request(id))),
      {},
    );
  };
  const repositories = new Map(ids.map((id) => [id, new MemoryRepository({ "start.txt": "start\n" })]));
  const drive = async (): Promise<void> => {
    let isOver = false;
    const all = Promise.all(ids.map((id) => runOf(id))).finally(() => (isOver = true));
    while (!isOver) {
      // The more there is to do, the slower the clock goes.
      for (let round = 0; round < requests * 2; round += 1) await yieldToLoop();
      await clock.advance(TICK_MS);
    }
    await all;
  };
  for (const id of ids) await journal.append(STREAMS.request(id), 0, [requestCreated(id)]);
  await drive();

  const known = (await journal.list(pipelineView, { prefix: "pipeline/" })).map(({ state }) => state);
  expect(known).toHaveLength(requests * pieces);
  const waiting = known.filter(({ waits }) => waits !== undefined);
  expect(waiting.map(({ opened }) => opened.node.id).every((id) => freezes(Number(id.slice(1)) - 1))).toBe(true);
  expect(known.filter(({ ended }) => ended?.how === "merged")).toHaveLength(known.length - waiting.length);
  for (const { openedAt, updatedAt } of known) expect(updatedAt - openedAt).toBeLessThanOrEqual(LIMITS.pipelineMs + LET_GO_MS + LOOK_MS);
  // Nobody has anything of it any more.
  for (const { state } of await journal.list(pipelineView, { prefix: "pipeline/" }))
    expect(await work.holder(STREAMS.pipeline(state.opened.id))).toBeUndefined();
  for (const id of ids) expect(await work.holder(STREAMS.request(id))).toBeUndefined();

  isFrozen = false;
  const questions = createQuestions({
    journal: () => Promise.resolve(journal),
    clock,
    attended: false,
    redact: (text) => text,
    screen: (text) => Promise.resolve(text),
  });
  for (const { waits } of waiting) await questions.answer(must(waits).question, { kind: "chosen", value: "retry" }, USER);
  await drive();
  for (const id of ids) {
    expect((await journal.get(requestView, STREAMS.request(id)))?.ended?.how).toBe("not_shown");
    expect(must(repositories.get(id)).user.size).toBe(pieces + 1);
  }
  return { frozen: waiting.length, merged: known.length - waiting.length };
}
