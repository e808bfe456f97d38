/** Twenty requests with 200 pieces in one process: the flow's own runs, seats and store; tasks and trees are objects. */
import path from "node:path";
import { expect, onTestFinished, test, vi } from "vitest";
import { requestView } from "../../../src/flow/index.ts";
import { driveRequest } from "../../../src/flow/drive-request.ts";
import { sqliteDriver } from "../../../src/journal/index.ts";
import { must, systemClock } from "../../../src/kernel/index.ts";
import { EVENTS, STREAMS } from "../../../src/protocol/events/index.ts";
import { FLOW_LIMITS, FLOW_VIEWS, flowHands, planOfPieces, requestCreated } from "../../support/flow-hands.ts";
import { MemoryRepository } from "../../support/memory-repository.ts";
import { spread } from "../../support/many-sessions.ts";
import { tempDir } from "../../support/temp.ts";

vi.setConfig({ testTimeout: 120_000 });

const REQUESTS = 20;
const PIECES = 10;

test("20 equal requests with 200 pieces: all end, and the last when the journal is at most half as long again as for the first", async () => {
  const store = await sqliteDriver.open({
    path: path.join(tempDir("requests"), "sylk.db"),
    clock: systemClock,
    durability: "process",
    views: FLOW_VIEWS,
  });
  onTestFinished(() => store.close());
  const { journal, work, blobs } = store;
  const plan = planOfPieces(Array.from({ length: PIECES }, () => ({})));
  // Each request has trees of its own; seats are shared.
  const repository = new MemoryRepository({ "start.txt": "start\n" });
  const parts = flowHands({
    journal,
    work,
    clock: systemClock,
    blobs,
    repository,
    limits: FLOW_LIMITS,
    seats: 6,
    script: (request) => ({
      plan: { ...plan, nodes: plan.nodes.map((node) => ({ ...node, files: node.files.map((file) => `${request}/${file}`) })) },
      fateOf: () => "works",
    }),
  });
  const ids = Array.from({ length: REQUESTS }, (_value, index) => `req_${index}`);
  for (const id of ids) await journal.append(STREAMS.request(id), 0, [requestCreated(id)]);
  await Promise.all(ids.map(async (id) => driveRequest(parts, must(await journal.get(requestView, STREAMS.request(id))), {})));
  const ends: number[] = [];
  for (const id of ids) {
    const ended = (await journal.read(STREAMS.request(id))).find((event) => EVENTS.request.ended.is(event));
    ends.push(must(ended).position);
  }
  expect(repository.user.size).toBe(REQUESTS * PIECES + 1);
  expect(spread(ends)).toBeLessThanOrEqual(1.5);
});
