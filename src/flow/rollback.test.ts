/** The receipt of a request that is taken back: what it lists stands in the journal. */
import path from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { requestCreated } from "../../test/support/flow-hands.ts";
import { tempDir } from "../../test/support/temp.ts";
import { sqliteDriver } from "../journal/sqlite-driver.ts";
import { must, systemClock } from "../kernel/index.ts";
import { EVENTS, STREAMS, SYSTEM, type Payload } from "../protocol/events/index.ts";
import { taskView } from "../step/index.ts";
import type { FlowParts } from "./parts.ts";
import { pipelineView } from "./pipeline-state.ts";
import { requestView } from "./request-state.ts";
import { rollBack } from "./rollback.ts";

const network = (session: string, target: string, outcome: "allowed" | "denied"): Payload<"audit.recorded"> => ({
  category: "network",
  event_type: "permission",
  severity: "info",
  outcome,
  action: "connect",
  target,
  rule: null,
  session_id: session,
  task_id: null,
  workflow_id: null,
  agent_type: "engineer",
  details: { method: "read" },
});

test("~ERR-048: calls outside that were permitted to this request are listed as what cannot be taken back; those of others, and refused ones, are not", async () => {
  const store = await sqliteDriver.open({
    path: path.join(tempDir("rollback"), "sylk.db"),
    clock: systemClock,
    durability: "process",
    views: [pipelineView, requestView, taskView],
  });
  onTestFinished(() => store.close());
  const { journal } = store;
  await journal.append(STREAMS.request("req_1"), 0, [requestCreated("req_1")]);
  for (const one of [
    network("req_1", "https://registry.example/left-pad", "allowed"),
    network("req_1", "https://elsewhere.example/", "denied"),
    network("req_2", "https://registry.example/other", "allowed"),
  ])
    await journal.append(STREAMS.audit, "any", [EVENTS.audit.recorded.create(one, { actor: SYSTEM.engine })]);
  const state = must(await journal.get(requestView, STREAMS.request("req_1")));
  let stops = 0;
  const stop = (): Promise<void> => Promise.resolve(void (stops += 1));
  const receipt = await rollBack({ store } as unknown as FlowParts, state, stop, { force: false, signal: new AbortController().signal });
  expect(receipt).toEqual({
    files_restored: [],
    staged_files_discarded: 0,
    local_commits_removed: 0,
    agent_context_reset: true,
    external_calls: [{ method: "read", path: "https://registry.example/left-pad", status: "allowed" }],
    failure_record: "request/req_1",
    warnings: [],
  });
  expect(stops).toBe(1);
  // What was taken back is told there too.
  const [, told] = await journal.read(STREAMS.request("req_1"));
  expect(told).toMatchObject({ type: "request.rolled_back", payload: receipt });
});
