/** That what a piece is told is heard in time, by a clock that only the test moves. */
import path from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { FLOW_LIMITS, FLOW_VIEWS, flowHands, planOfPieces, requestCreated } from "../../test/support/flow-hands.ts";
import { ManualClock } from "../../test/support/manual-clock.ts";
import { MemoryRepository } from "../../test/support/memory-repository.ts";
import { tempDir } from "../../test/support/temp.ts";
import { sqliteDriver } from "../journal/sqlite-driver.ts";
import { must, yieldToLoop } from "../kernel/index.ts";
import { EVENTS, STREAMS, type JournalEvent } from "../protocol/events/index.ts";
import { driveRequest } from "./drive-request.ts";
import { signalPiece } from "./piece-signals.ts";
import { pipelineView } from "./pipeline-state.ts";
import { requestView } from "./request-state.ts";

test("SIG-004 SIG-023: a piece whose work cannot be left at once acknowledges its pause within five seconds, with what it stood at; the other is not touched", async () => {
  const clock = new ManualClock();
  const store = await sqliteDriver.open({
    path: path.join(tempDir("signals"), "sylk.db"),
    clock,
    durability: "process",
    views: FLOW_VIEWS,
  });
  onTestFinished(() => store.close());
  const { journal } = store;
  const request = STREAMS.request("req_1");
  await journal.append(request, 0, [requestCreated("req_1")]);
  const parts = flowHands({
    ...store,
    clock,
    repository: new MemoryRepository({ "start.txt": "start\n" }),
    limits: FLOW_LIMITS,
    script: () => ({
      plan: planOfPieces([{}, {}]),
      fateOf: ({ node, role }) => (node === "piece 1" && role === "engineer" ? "freezes" : "works"),
    }),
  });
  const stop = new AbortController();
  const running = driveRequest(parts, must(await journal.get(requestView, request)), { signal: stop.signal }).catch(() => undefined);
  const state = async () => must(await journal.get(requestView, request));
  const pieceOf = async (node: string) => journal.get(pipelineView, STREAMS.pipeline((await state()).pipelines[node] ?? ""));
  const until = async (isSo: () => Promise<boolean>): Promise<void> => {
    while (!(await isSo())) {
      for (let round = 0; round < 5; round += 1) await yieldToLoop();
      await clock.advance(50);
    }
  };
  await until(async () => (await pieceOf("n2"))?.ended?.how === "merged" && (await pieceOf("n1"))?.phase?.phase === "green");
  let heard: unknown;
  void signalPiece(parts, (await state()).pipelines, "n1", "pause").then((said) => (heard = said ?? "nobody"));
  await until(() => Promise.resolve(heard !== undefined));
  const facts = async (node: string): Promise<JournalEvent[]> => journal.read(STREAMS.pipeline((await state()).pipelines[node] ?? ""));
  const [asked, told] = [EVENTS.pipeline.signalled, EVENTS.pipeline.acknowledged].map(({ type }) => type);
  const own = (await facts("n1")).filter(({ type }) => type === asked || type === told);
  expect(own.map(({ type }) => type)).toEqual([asked, told]);
  expect(must(own[1]).at - must(own[0]).at).toBeLessThanOrEqual(5_000);
  expect(heard).toEqual({ signal: "pause", stands: "paused", after: must(own[0]).seq, running: [] });
  expect((await facts("n2")).some(({ type }) => type === told)).toBe(false);
  expect((await pieceOf("n1"))?.paused).toBe(true);
  stop.abort();
  let isOver = false;
  void running.then(() => (isOver = true));
  await until(() => Promise.resolve(isOver));
});
