/** Which pieces of a request may begin, on the flow's own runs. */
import path from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { FLOW_LIMITS, FLOW_VIEWS, flowHands, planOfPieces, requestCreated } from "../../test/support/flow-hands.ts";
import { MemoryRepository } from "../../test/support/memory-repository.ts";
import { tempDir } from "../../test/support/temp.ts";
import { sqliteDriver } from "../journal/sqlite-driver.ts";
import { must, systemClock } from "../kernel/index.ts";
import { STREAMS } from "../protocol/events/index.ts";
import { driveRequest } from "./drive-request.ts";
import { requestView } from "./request-state.ts";

test("PIP-039: pieces that name the same file are built one after the other, others beside them", async () => {
  const clock = systemClock;
  const store = await sqliteDriver.open({ path: path.join(tempDir("tend"), "sylk.db"), clock, durability: "process", views: FLOW_VIEWS });
  onTestFinished(() => store.close());
  const request = STREAMS.request("req_1");
  await store.journal.append(request, 0, [requestCreated("req_1")]);
  const plan = planOfPieces([{ files: ["shared.txt"] }, { files: ["shared.txt"] }, {}]);
  const parts = flowHands({
    ...store,
    clock,
    repository: new MemoryRepository({ "start.txt": "start\n" }),
    limits: FLOW_LIMITS,
    script: () => ({ plan, fateOf: () => "works" }),
  });
  await driveRequest(parts, must(await store.journal.get(requestView, request)), {});
  const { pipelines } = must(await store.journal.get(requestView, request));
  const all = await store.journal.readAll({ after: 0, limit: 10_000 });
  const at = (node: string, type: string): number =>
    must(all.find((event) => event.stream === STREAMS.pipeline(pipelines[node] ?? "") && event.type === type)).position;
  expect(at("n2", "pipeline.opened")).toBeGreaterThan(at("n1", "pipeline.merged"));
  expect(at("n3", "pipeline.opened")).toBeLessThan(at("n1", "pipeline.merged"));
});
