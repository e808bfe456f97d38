/** Something nobody foresaw is thrown in one piece while another is frozen: nobody waits for either past its time. */
import path from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { driveRequest } from "../../../src/flow/drive-request.ts";
import { pipelineView, requestView } from "../../../src/flow/index.ts";
import type { PipelineState } from "../../../src/flow/pipeline-state.ts";
import { createQuestions, sqliteDriver, type Store } from "../../../src/journal/index.ts";
import { must, yieldToLoop } from "../../../src/kernel/index.ts";
import { STREAMS, USER } from "../../../src/protocol/events/index.ts";
import { FLOW_LIMITS, FLOW_VIEWS, flowHands, planOfPieces, requestCreated } from "../../support/flow-hands.ts";
import { ManualClock } from "../../support/manual-clock.ts";
import { MemoryRepository } from "../../support/memory-repository.ts";
import { tempDir } from "../../support/temp.ts";

const LIMITS = { ...FLOW_LIMITS, phaseMs: 60_000, pipelineMs: 200_000, attempts: 2 };
const TICK_MS = 500;
/** Far past every deadline there is. */
const MOST_TICKS = 4_000;

interface Breaking {
  store: Store;
  clock: ManualClock;
  repository: MemoryRepository;
  /** Until all of it rests; `waits`: it never did. */
  drive: (moment: (what: string, node: string) => Promise<void>) => Promise<"rested" | "waits" | { thrown: unknown }>;
  pieces: () => Promise<Record<string, PipelineState>>;
}

async function twoPieces(): Promise<Breaking> {
  const clock = new ManualClock();
  const file = path.join(tempDir("breaking"), "sylk.db");
  const store = await sqliteDriver.open({ path: file, clock, durability: "process", views: FLOW_VIEWS });
  onTestFinished(() => store.close());
  const { journal, work, blobs } = store;
  const repository = new MemoryRepository({ "start.txt": "start\n" });
  const plan = planOfPieces([{}, {}]);
  const stream = STREAMS.request("req_1");
  await journal.append(stream, 0, [requestCreated("req_1")]);
  const nodeOf = async (what: string): Promise<string> => {
    const pipeline = /team_(pipe_\w+)/u.exec(what)?.[1];
    return pipeline === undefined ? "" : ((await journal.get(pipelineView, STREAMS.pipeline(pipeline)))?.opened.node.id ?? "");
  };
  return {
    store,
    clock,
    repository,
    async drive(moment) {
      let ended: "rested" | "waits" | { thrown: unknown } = "waits";
      const hands = flowHands({
        journal,
        work,
        clock,
        blobs,
        repository,
        limits: LIMITS,
        script: () => ({ plan, fateOf: () => "works" }),
        moment: async (what) => moment(what, await nodeOf(what)),
      });
      void driveRequest(hands, must(await journal.get(requestView, stream)), {}).then(
        () => (ended = "rested"),
        (thrown: unknown) => (ended = { thrown }),
      );
      for (let ticks = 0; ticks < MOST_TICKS && ended === "waits"; ticks += 1) {
        for (let round = 0; round < 20; round += 1) await yieldToLoop();
        await clock.advance(TICK_MS);
      }
      return ended;
    },
    pieces: async () => {
      const all = await journal.list(pipelineView, { prefix: "pipeline/" });
      return Object.fromEntries(all.map(({ state }) => [state.opened.node.id, state]));
    },
  };
}

test("a piece that breaks is tried again with a briefing and then asked about, while another is frozen; answered, both are merged", async () => {
  const at = await twoPieces();
  const told = await at.drive(async (what, node) => {
    if (node === "n1" && what.startsWith("committed")) await new Promise<never>(() => undefined);
    if (node === "n2" && what.startsWith("commit ")) throw new TypeError("nobody foresaw this");
  });
  expect(told).toBe("rested");
  const { n1, n2 } = await at.pieces();
  expect(n1?.waits?.why).toBe("late");
  expect(n2?.waits).toMatchObject({ why: "not_done", text: expect.stringContaining("nobody foresaw this") as string });
  expect(n2?.briefing).toMatchObject({
    attempt_number: 2,
    prior_attempts: [{ error_tier: "transient", error: expect.stringContaining("nobody foresaw this") as string }],
  });
  const questions = createQuestions({
    journal: () => Promise.resolve(at.store.journal),
    clock: at.clock,
    attended: false,
    redact: (text) => text,
    screen: (text) => Promise.resolve(text),
  });
  for (const piece of [n1, n2]) await questions.answer(must(must(piece).waits).question, { kind: "chosen", value: "retry" }, USER);
  expect(await at.drive(() => Promise.resolve())).toBe("rested");
  expect([...at.repository.user.keys()].toSorted()).toEqual(["piece1.txt", "piece2.txt", "start.txt"]);
});
