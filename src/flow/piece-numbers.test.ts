/** Numbers of pieces and bounds of a plan, where models number as they like and a plan grows while it is built. */
import path from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { FLOW_LIMITS, FLOW_VIEWS, flowHands, planOfPieces, requestCreated, type FlowScript } from "../../test/support/flow-hands.ts";
import { MemoryRepository } from "../../test/support/memory-repository.ts";
import { tempDir } from "../../test/support/temp.ts";
import { sqliteDriver } from "../journal/sqlite-driver.ts";
import { must, systemClock } from "../kernel/index.ts";
import { EVENTS, STREAMS, USER } from "../protocol/events/index.ts";
import { PLAN } from "../protocol/plan/index.ts";
import { amended } from "./amend.ts";
import { driveRequest } from "./drive-request.ts";
import type { PipelineState } from "./pipeline-state.ts";
import { pipelinesOf } from "./request-hands.ts";
import { requestView, type RequestState } from "./request-state.ts";

const REQUEST = STREAMS.request("req_1");

async function ground(scriptOf: (add: () => Promise<unknown>) => FlowScript & { moment?: () => Promise<void> }) {
  const clock = systemClock;
  const store = await sqliteDriver.open({
    path: path.join(tempDir("numbers"), "sylk.db"),
    clock,
    durability: "process",
    views: FLOW_VIEWS,
  });
  onTestFinished(() => store.close());
  await store.journal.append(REQUEST, 0, [requestCreated("req_1")]);
  const script = scriptOf(() =>
    store.journal.append(REQUEST, "any", [EVENTS.request.added.create({ words: "and more" }, { actor: USER })]),
  );
  const moment = script.moment ?? ((): Promise<void> => Promise.resolve());
  const repository = new MemoryRepository({ "start.txt": "start\n" });
  const parts = flowHands({ ...store, clock, repository, limits: FLOW_LIMITS, moment, script: () => script });
  const stateOf = async () => must(await store.journal.get(requestView, REQUEST));
  return {
    drive: async () => driveRequest(parts, await stateOf(), {}),
    async answer(value: string) {
      const open = (await parts.questions.list()).find(({ status }) => status === "open");
      await parts.questions.answer(must(open).id, { kind: "chosen", value }, USER);
    },
    async pieces() {
      const state = await stateOf();
      const known = await pipelinesOf({ store }, state);
      return state.nodes.map(({ id, title }) => `${id} ${title}: ${known.get(id)?.ended?.how ?? "never begun"}`);
    },
  };
}

test("a piece that is planned anew gets a number nobody has, however the first plan was numbered", async () => {
  const plan = planOfPieces([{}]);
  let isPlannedAnew = false;
  const { drive, answer, pieces } = await ground(() => ({
    plan: { ...plan, nodes: plan.nodes.map((node) => ({ ...node, id: "n2" })) },
    fateOf: ({ role }) => (role === "engineer" && !isPlannedAnew ? "gives up" : "works"),
  }));
  await drive();
  isPlannedAnew = true;
  await answer("replan");
  await drive();
  expect(await pieces()).toEqual(["n2 piece 1: replanned", "n3 piece 1: merged"]);
});

/** The first of two pieces is merged and the second under way when the person wants more. */
function wantsMore(changed: FlowScript["plan"]) {
  return ground((add) => {
    let says: "not yet" | "now" | "said" = "not yet";
    return {
      plan: planOfPieces([{}, { after: [1] }]),
      changed: () => changed,
      fateOf: ({ role, node }) => {
        if (role === "engineer" && node === "piece 2" && says === "not yet") says = "now";
        return "works";
      },
      async moment() {
        if (says !== "now") return;
        says = "said";
        await add();
      },
    };
  });
}

test("a plan that grew beyond what is handed in at once is carried out with what is merged", async () => {
  const longer = planOfPieces(Array.from({ length: 21 }, () => ({})));
  const { drive, pieces } = await wantsMore({ ...longer, nodes: longer.nodes.slice(1), assertions: longer.assertions.slice(1) });
  await drive();
  expect(await pieces()).toEqual(longer.nodes.map(({ id, title }) => `${id} ${title}: merged`));
});

test("one that cannot grow any more goes back to its writer as far as it can be held, and says what is too much", () => {
  const merged = planOfPieces(Array.from({ length: PLAN.most.nodes }, () => ({})));
  const before = {
    ...merged,
    assertions: merged.assertions.slice(0, 1),
    nodes: merged.nodes.map((node) => ({ ...node, assertions: ["A1"] })),
  };
  const last = must(before.nodes.at(-1));
  const nodes = [...before.nodes.slice(0, -1), { ...last, id: `n${PLAN.most.number}` }];
  const state = { amending: { plan: { plan: before } }, nodes, skipped: {} } as unknown as RequestState;
  const known = new Map(nodes.map(({ id }) => [id, { merged: {} } as PipelineState]));
  const more = planOfPieces([{}, {}]);
  const { plan, problems } = amended(state, known, { ...more, assertions: more.assertions.slice(1), nodes: more.nodes.slice(1) });
  expect(problems).toEqual([
    "201 pieces with what is merged, at most 200 can be",
    "no number is left for more pieces: the last one is n999",
  ]);
  expect(PLAN.plan.safeParse(plan).success).toBe(true);
});

test("a merged piece that the changed plan holds under another number is done too: nobody builds it twice", async () => {
  const plan = planOfPieces([{}, {}, {}]);
  const [first, second, third] = plan.nodes.map((node) => node);
  const { drive, pieces } = await wantsMore({
    ...plan,
    nodes: [{ ...must(first), id: "n7" }, must(second), { ...must(third), after: ["n7"] }],
  });
  await drive();
  expect(await pieces()).toEqual(["n1 piece 1: merged", "n2 piece 2: merged", "n3 piece 3: merged"]);
});
