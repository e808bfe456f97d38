/** A plan that is changed while it is carried out, on the flow's own runs. */
import path from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { FLOW_LIMITS, FLOW_VIEWS, flowHands, planOfPieces, requestCreated } from "../../test/support/flow-hands.ts";
import { MemoryRepository } from "../../test/support/memory-repository.ts";
import { tempDir } from "../../test/support/temp.ts";
import { sqliteDriver } from "../journal/sqlite-driver.ts";
import { must, systemClock } from "../kernel/index.ts";
import { EVENTS, STREAMS, USER } from "../protocol/events/index.ts";
import type { Plan } from "../protocol/plan/index.ts";
import { amend, amended, amendStory, amendText, whileAmending } from "./amend.ts";
import { planProblems } from "./check-plan.ts";
import { driveRequest } from "./drive-request.ts";
import type { FlowParts } from "./parts.ts";
import type { PipelineState } from "./pipeline-state.ts";
import { pipelinesOf } from "./request-hands.ts";
import { requestView, type RequestState } from "./request-state.ts";

const REQUEST = STREAMS.request("req_1");

async function ground(approve: "auto" | "ask" = "auto", criteria: readonly string[] = []) {
  const clock = systemClock;
  const store = await sqliteDriver.open({ path: path.join(tempDir("amend"), "sylk.db"), clock, durability: "process", views: FLOW_VIEWS });
  onTestFinished(() => store.close());
  const created = requestCreated("req_1", approve);
  const { payload } = created;
  const intent = { ...payload.intent, criteria: criteria.map((text) => ({ source: "explicit" as const, text })) };
  await store.journal.append(REQUEST, 0, [{ ...created, payload: { ...payload, intent } }]);
  const add = (words = "and more"): Promise<unknown> =>
    store.journal.append(REQUEST, "any", [EVENTS.request.added.create({ words }, { actor: USER })]);
  const stateOf = async () => must(await store.journal.get(requestView, REQUEST));
  const pieces = async (): Promise<string[]> => {
    const state = await stateOf();
    const known = await pipelinesOf({ store }, state);
    return state.nodes.map(({ id, title }) => `${id} ${title}: ${known.get(id)?.ended?.how ?? "never begun"}`);
  };
  const hands = { ...store, clock, repository: new MemoryRepository({ "start.txt": "start\n" }), limits: FLOW_LIMITS };
  return { store, hands, add, stateOf, pieces };
}

/** The second of two pieces is under way and the first is merged when the person wants more; what becomes of it then. */
async function changedTo(plan: Plan, changed: Plan | "gives up", criteria: readonly string[] = []) {
  const { store, hands, add, stateOf, pieces } = await ground("auto", criteria);
  let says: "not yet" | "now" | "said" = "not yet";
  const parts = flowHands({
    ...hands,
    async moment() {
      if (says !== "now") return;
      says = "said";
      await add();
    },
    script: () => ({
      plan,
      changed: () => (changed === "gives up" ? plan : changed),
      fateOf: ({ role, node }) => {
        if (role === "architect" && says === "said" && changed === "gives up") return "gives up";
        if (role === "engineer" && node === "piece 2" && says === "not yet") says = "now";
        return "works";
      },
    }),
  });
  await driveRequest(parts, await stateOf(), {});
  const state = await stateOf();
  const told = (await store.journal.read(REQUEST, { limit: 1_000 })).flatMap(({ type, payload }) =>
    type === "plan.approved" ? ((payload as { changes?: string }).changes?.split("\n") ?? []) : [],
  );
  return { state, told, refused: state.remarks.filter(({ by }) => by === "check").map(({ words }) => words), pieces: await pieces() };
}

const addedTo = async (plan: Plan, changed: Plan): Promise<string[]> => (await changedTo(plan, changed)).pieces;

const chain = [{}, { after: [1] }];

test("a merged piece that the changed plan holds once more, word for word, is done: nobody builds it anew, and what comes after it goes on", async () => {
  expect(await addedTo(planOfPieces(chain), planOfPieces([...chain, { after: [1] }]))).toEqual([
    "n1 piece 1: merged",
    "n2 piece 2: merged",
    "n3 piece 3: merged",
  ]);
});

test("one that it holds in other words is a piece of its own; finding its work done it is merged with nothing", async () => {
  const plan = planOfPieces(chain);
  const [first, second] = [must(plan.nodes[0]), must(plan.nodes[1])];
  expect(
    await addedTo(plan, {
      ...plan,
      nodes: [
        { ...first, goal: "do it once more" },
        { ...second, after: [] },
      ],
    }),
  ).toEqual(["n1 piece 1: merged", "n2 piece 2: merged", "n3 piece 1: merged"]);
});

test("a piece that was written down and never begun because its process died, and that the changed plan leaves out, is not begun after all", async () => {
  const { store, hands, add, stateOf, pieces } = await ground();
  const plan = planOfPieces([{}]);
  const changed = { ...plan, nodes: plan.nodes.map((node) => ({ ...node, goal: "do it otherwise" })) };
  const script = () => ({ plan, changed: () => changed, fateOf: () => "works" as const });
  const append: typeof store.journal.append = (stream, seq, events, fence) =>
    events.some(({ type }) => type === "pipeline.opened")
      ? Promise.reject(new Error("killed"))
      : store.journal.append(stream, seq, events, fence);
  const dying = flowHands({ ...hands, journal: { ...store.journal, append }, script });
  await expect(driveRequest(dying, await stateOf(), {})).rejects.toThrow("killed");
  await add();
  await driveRequest(flowHands({ ...hands, script }), await stateOf(), {});
  expect(await pieces()).toEqual(["n1 piece 1: never begun", "n2 piece 1: merged"]);
});

/** The person wants more in the moment in which `at` is written down; then questions are answered so. */
async function addedAt(at: string, approve: "auto" | "ask", answers: readonly string[] = []) {
  const { store, hands, add, stateOf, pieces } = await ground(approve);
  let isSaid = false;
  const append: typeof store.journal.append = async (stream, seq, events, fence) => {
    if (!isSaid && events.some(({ type }) => type === at)) {
      isSaid = true;
      await add();
    }
    return store.journal.append(stream, seq, events, fence);
  };
  const script = () => ({ plan: planOfPieces([{}]), changed: () => planOfPieces([{}, {}]), fateOf: () => "works" as const });
  const parts = flowHands({ ...hands, journal: { ...store.journal, append }, script });
  await driveRequest(parts, await stateOf(), {});
  for (const value of answers) {
    const open = (await parts.questions.list()).find(({ status }) => status === "open");
    await parts.questions.answer(must(open).id, { kind: "chosen", value }, USER);
    await driveRequest(parts, await stateOf(), {});
  }
  const { plan, ended } = await stateOf();
  return { pieces: await pieces(), version: plan?.plan_version, how: ended?.how, left: ended?.deferred };
}

test("words that come between the approval of a plan and its pieces change it like any later ones", async () => {
  expect((await addedAt("request.shaped", "auto")).pieces).toEqual(["n1 piece 1: merged", "n2 piece 2: merged"]);
});

test("rejected, a plan that was changed for them leaves the approved one as it was", async () => {
  const { pieces, how, left } = await addedAt("request.shaped", "ask", ["approve", "reject", "yes"]);
  // It was the user's own word: nothing is missing.
  expect([pieces, how, left]).toEqual([["n1 piece 1: merged"], "not_shown", []]);
});

test("words that come while a plan is being approved are heard first: that approval does not count, and the next version is", async () => {
  expect(await addedAt("plan.approved", "auto")).toMatchObject({ pieces: ["n1 piece 1: merged"], version: 2 });
});

type Assertion = Plan["assertions"][number];

/** Two pieces, the second after the first, with assertions that say something. */
const two: Plan = (() => {
  const plan = planOfPieces(chain);
  const texts = ["save gives it back", "load refuses what is no text"];
  return { ...plan, assertions: plan.assertions.map((one, at) => ({ ...one, text: must(texts[at]) })) };
})();
const where = (plan: Plan, id: string, more: Partial<Assertion>): Plan => ({
  ...plan,
  assertions: plan.assertions.map((one) => (one.id === id ? { ...one, ...more } : one)),
});
const CRITERIA = ["refuses numbers"];
const held = where(two, "A2", { criteria: [1] });

/** The same with a third piece, and assertions otherwise than before. */
const withThird = (change: (one: Assertion) => Assertion | undefined, deferred: string[] = []): Plan => {
  const plan = planOfPieces([...chain, { after: [1] }]);
  const assertions = [...two.assertions, must(plan.assertions[2])].flatMap((one) => change(one) ?? []);
  const held = new Set(assertions.map(({ id }) => id));
  return { ...plan, assertions, nodes: plan.nodes.filter((node) => node.assertions.every((id) => held.has(id))), deferred };
};

/** A changed plan as it would stand; the first piece is merged. */
function amendedPlan(before: Plan, changed: Plan): ReturnType<typeof amended> {
  const state = { amending: { plan: { plan: before } }, nodes: before.nodes, skipped: {} } as unknown as RequestState;
  return amended(state, new Map([["n1", { merged: {} } as PipelineState]]), changed);
}
const wrongWith = (before: Plan, changed: Plan): string[] => amendedPlan(before, changed).problems;

const more = withThird((one) => one);
test.each([
  ["other words, not built", two, where(more, "A2", { text: "load is there" })],
  ["other words, merged", two, where(more, "A1", { text: "save is there" })],
  ["shown by less, not built", where(two, "A2", { shown_by: "test" }), more],
  ["shown by less, merged", where(two, "A1", { shown_by: "test" }), more],
  ["another command", where(two, "A1", { command: "npm test" }), where(more, "A1", { command: "true" })],
  ["no command", where(two, "A2", { command: "npm test" }), more],
  ["other criteria", held, where(more, "A2", { criteria: [2] })],
  ["no criteria", held, where(more, "A2", { criteria: [] })],
])("no assertion becomes something else under its number: %s", (_what, before, changed) => {
  expect(wrongWith(before, changed)).toEqual([
    expect.stringMatching(
      /^A[12]: .+ is handed in as something else: what is to be different gets a number of its own, and `deferred` says why/u,
    ),
  ]);
});

test("what is handed in as it was, in other white space too, is kept as it was", () => {
  expect([wrongWith(two, more), wrongWith(held, where(more, "A2", { text: " load refuses  what is\nno text" }))]).toEqual([[], []]);
});

test("a changed plan that makes less of an assertion is never approved: it goes back, and then the person is asked", async () => {
  const { refused, state } = await changedTo(two, where(more, "A2", { text: "load is there" }));
  expect(refused[0]).toContain("A2: load refuses what is no text (shown by inspection) is handed in as something else");
  expect([state.approved, state.waits?.text]).toEqual([false, expect.stringContaining("No plan can be carried out")]);
});

test("criteria that a changed plan does not name again are held by what held them, merged or not, and count in all of it", async () => {
  const { refused, state, pieces } = await changedTo(held, more, CRITERIA);
  expect([refused, pieces.length]).toEqual([[], 3]);
  expect(state.plan?.plan.assertions[1]?.criteria).toEqual([1]);
  const left = withThird((one) => (one.id === "A2" ? undefined : one), ["A2: nobody needs it"]);
  expect((await changedTo(held, left, CRITERIA)).refused[0]).toContain("no assertion holds criterion 1");
});

test.each(["A2 stays as it is", "A2", "A2:", "load (A2: later)"])("what is deferred as %j lets no assertion go", async (line) => {
  const { refused } = await changedTo(
    two,
    withThird((one) => (one.id === "A2" ? undefined : one), [line]),
  );
  expect(refused[0]).toContain("A2 is in no piece any more");
});

test("an assertion is not held and let go at once", async () => {
  const { refused } = await changedTo(
    two,
    withThird((one) => one, ["A2: nobody needs it"]),
  );
  expect(refused[0]).toContain("A2 is in the plan, and `deferred` says that it holds no more");
});

test("where nobody approves it is told what is to be true beside and what holds no more, and the end says why", async () => {
  const { refused, told, state } = await changedTo(
    two,
    withThird((one) => (one.id === "A2" ? undefined : one), ["A2: drop takes its place"]),
  );
  expect(refused).toEqual([]);
  expect(told).toEqual([
    "is stopped or left out: n2 piece 2",
    "is new: n3 piece 3",
    "is to be true beside: A3: it is so (shown by inspection)",
    "holds no more: A2: load refuses what is no text (shown by inspection): drop takes its place",
  ]);
  expect(state.ended?.deferred).toContain("A2: drop takes its place");
});

test("what was let go for one thing that was added is still told after the next, and its number is not given to anything else", () => {
  const before = { ...withThird((one) => (one.id === "A2" ? undefined : one)), deferred: ["A2: not wanted", "csv: no room"] };
  expect(amendedPlan(before, { ...before, deferred: ["xml: no room"] })).toMatchObject({
    problems: [],
    plan: { deferred: ["A2: not wanted", "xml: no room"] },
  });
  const again = ["A2: nobody needs it"];
  expect(amendedPlan(before, { ...before, deferred: again }).plan.deferred).toEqual(again);
  expect(wrongWith(before, more)).toEqual(["A2 was let go before: what is new gets a number of its own"]);
});

test("what was added and no plan could be made for is told at the end, and why; the words count no more", async () => {
  const { state, pieces } = await changedTo(two, "gives up");
  expect(pieces).toEqual(["n1 piece 1: merged", "n2 piece 2: merged"]);
  expect([state.intent.said, state.ended?.how]).toEqual([[], "not_shown"]);
  expect(state.ended?.deferred).toEqual([expect.stringMatching(/^you added: and more; not built: no plan was made: /u)]);
});

/** A plan of pieces of which some are merged; what comes of a changed one, as its numbers and what each waits for. */
function draftOf(plan: Plan, draft: Partial<Plan>, pieces: Record<string, object> = {}, skipped: Record<string, string> = {}) {
  const state = { nodes: plan.nodes, skipped, amending: { plan: { plan }, said: 0 } } as unknown as RequestState;
  const known = new Map(Object.entries(pieces)) as unknown as ReadonlyMap<string, PipelineState>;
  const { plan: made, problems } = amended(state, known, { ...plan, ...draft });
  return { made, problems, nodes: made.nodes.map(({ id, after }) => [id, ...after].join(" ")), state, known };
}
const MERGED = { merged: {} };

test("a piece keeps its number only when its goal, files and assertions stay, and what it waits for does; one that began waits for nothing any more", () => {
  const plan = planOfPieces([{}, {}, { after: [1] }]);
  const [one, two, three] = [must(plan.nodes[0]), must(plan.nodes[1]), must(plan.nodes[2])];
  const nodes = (...all: Plan["nodes"]): string[] => draftOf(plan, { nodes: all }).nodes;
  expect(nodes(one, two, three)).toEqual(["n1", "n2", "n3 n1"]);
  expect(nodes({ ...one, goal: " do\n it " }, two, three)).toEqual(["n1", "n2", "n3 n1"]);
  expect(nodes(one, { ...two, goal: "do it otherwise" }, three)).toEqual(["n1", "n4", "n3 n1"]);
  expect(nodes(one, { ...two, files: ["other.txt"] }, three)).toEqual(["n1", "n4", "n3 n1"]);
  expect(nodes(one, { ...two, assertions: ["A2", "A3"] }, three)).toEqual(["n1", "n4", "n3 n1"]);
  expect(nodes(one, two, { ...three, after: ["n2"] })).toEqual(["n1", "n2", "n4 n2"]);
  // What waits for a changed one is another one too, unless it is under way.
  expect(nodes({ ...one, goal: "do it otherwise" }, two, three)).toEqual(["n4", "n2", "n5 n4"]);
  const begun = { n3: { tasks: [] } };
  expect(draftOf(plan, { nodes: [{ ...one, goal: "do it otherwise" }, two, three] }, begun).nodes).toEqual(["n4", "n2", "n3"]);
  // A number that a merged one has is not given again.
  expect(draftOf(plan, { nodes: [{ ...one, goal: "do it otherwise" }, two] }, { n3: MERGED }).nodes).toEqual(["n3", "n4", "n2"]);
});

test("what is merged, or in the middle of it, stays and is waited for no more; a merge that came to nothing and what was left out do not", () => {
  const plan = planOfPieces([{}, { after: [1] }]);
  const rest = { nodes: plan.nodes.slice(1).map((node) => ({ ...node, after: [] })), assertions: plan.assertions.slice(1) };
  for (const piece of [MERGED, { merging: {} }])
    expect(draftOf(plan, rest, { n1: piece })).toMatchObject({ nodes: ["n1", "n2"], problems: [] });
  const lost = "A1 is in no piece any more: bring it about, or say in `deferred` why it holds no more (`A1: why`)";
  expect(draftOf(plan, rest, { n1: { merging: {}, ended: { how: "without" } } })).toMatchObject({ problems: [lost] });
  expect(draftOf(plan, rest, { n1: MERGED }, { n1: "left out" })).toMatchObject({ problems: [lost] });
});

test("a piece goes on after what it waited for was let go, and the changed plan that says so can be carried out", () => {
  const plan = planOfPieces([{}, { after: [1] }, {}]);
  const rest = { nodes: plan.nodes.slice(1).map((node) => ({ ...node, after: [] })), assertions: plan.assertions.slice(1) };
  const gone = { ...rest, deferred: ["A1: it was let go"] };
  for (const pieces of [{}, { n2: { tasks: [] } }]) {
    const { made, nodes, state, known } = draftOf(plan, gone, pieces, { n1: "left out" });
    expect([nodes, planProblems(made, [])]).toEqual([["n2", "n3"], []]);
    expect(amendStory(state, known).told).not.toContain("after n1");
  }
});

test("an assertion is brought about, or told to hold no more by its own number; none is put in other words under its number", () => {
  const plan = planOfPieces([{}, {}]);
  const rest = { nodes: plan.nodes.slice(1), assertions: plan.assertions.slice(1) };
  expect(draftOf(plan, { ...rest, deferred: ["A1: nobody wants it"] }).problems).toEqual([]);
  expect(draftOf(plan, { ...rest, deferred: ["A11: nobody wants it"] }).problems).toHaveLength(1);
  // Of a merged piece nothing is left that it would be kept for.
  expect(draftOf(plan, { ...rest, deferred: ["A1: nobody wants it"] }, { n1: MERGED })).toMatchObject({ nodes: ["n2"], problems: [] });
  const otherwise = { assertions: plan.assertions.map((one) => ({ ...one, text: "it is otherwise" })) };
  expect(draftOf(plan, otherwise, { n1: MERGED }).problems).toEqual([
    expect.stringMatching(/^A1: .* is handed in as something else/u),
    expect.stringMatching(/^A2: .* is handed in as something else/u),
  ]);
});

test("whoever changes the plan hears what is merged, what is under way, and the rest without waiting for what is merged", () => {
  const { state, known, made } = draftOf(planOfPieces([{}, { after: [1] }, {}]), {}, { n1: MERGED, n2: {} });
  const { merged, told } = amendStory(state, known);
  expect(merged).toBe("n1 piece 1");
  expect(told).toContain("Under way: n2 piece 2.");
  expect(told).not.toMatch(/after n1|n1 piece 1/u);
  const more = { ...made, nodes: [...made.nodes.filter(({ id }) => id !== "n3"), { ...must(made.nodes[1]), id: "n4", title: "piece 4" }] };
  expect(amendText(state, more, known).split("\n")).toEqual([
    "goes on: n2 piece 2",
    "is stopped or left out: n3 piece 3",
    "is new: n4 piece 4",
  ]);
});

test("whoever changes the plan hears which assertion holds which of the person's criteria", () => {
  const plan = where(planOfPieces([{}, {}]), "A2", { criteria: [1, 3] });
  const { state, known } = draftOf(plan, {});
  expect(amendStory(state, known).told).toContain("\nOf the person's criteria, by number: A2 holds 1, 3.\n");
});

test("no reason why an assertion holds no more is cut off in silence: a plan that defers too much goes back", () => {
  const plan = planOfPieces([{}]);
  const lines = (count: number): string[] => Array.from({ length: count }, (_one, at) => `csv ${at}: no room`);
  expect(draftOf(plan, { deferred: lines(20) }).problems).toEqual([]);
  expect(draftOf(plan, { deferred: lines(21) }).problems).toEqual(["21 lines are `deferred`, at most 20 can be"]);
});

test.each<[string, Partial<Plan>, [type: string, problems: string[] | undefined]]>([
  ["goes back where the plan forgets it", {}, ["plan.refused", ["merged meanwhile: n1 piece 1"]]],
  ["is left out where all of it was let go", { deferred: ["A1: nobody wants it"] }, ["plan.replanned", undefined]],
])("a piece that was merged while the changed plan was approved %s", async (_what, more, heard) => {
  const plan = planOfPieces([{}, {}]);
  const rest = { ...plan, nodes: plan.nodes.slice(1), assertions: plan.assertions.slice(1), ...more };
  const { state } = draftOf(plan, {});
  const store = { journal: { get: () => Promise.resolve(MERGED) } };
  const parts = { store, log: { info: () => undefined } } as unknown as FlowParts;
  const told: { type: string; payload: unknown }[] = [];
  const now = { ...state, created: { id: "req_1" }, plan: { plan: rest, plan_version: 2, task: "t" }, pipelines: { n1: "p1" }, tasks: {} };
  const run = { state: now, append: (event: { type: string; payload: unknown }) => Promise.resolve(void told.push(event)) };
  await amend(parts, run as unknown as Parameters<typeof amend>[1]);
  expect(told.map(({ type, payload }) => [type, (payload as { problems?: string[] }).problems])).toEqual([heard]);
});

test("a piece waits with its merge from the moment the person spoke until the changed plan is decided", async () => {
  const { store, hands, add, stateOf } = await ground();
  const parts = flowHands({ ...hands, script: () => ({ plan: two, changed: () => two, fateOf: () => "works" }) });
  expect(await whileAmending(store, "req_1")).toBeUndefined();
  const drafted = { plan_version: 1, plan: two, task: "task_plan" };
  const by = { actor: USER };
  await store.journal.append(REQUEST, "any", [
    EVENTS.request.planned.create(drafted, by),
    EVENTS.request.approved.create({ plan_version: 1, commands: [] }, by),
  ]);
  expect(await whileAmending(store, "req_1")).toBeUndefined();
  await add();
  expect(await whileAmending(store, "req_1")).toEqual({ wait: { stream: REQUEST, after: await store.journal.head(REQUEST) } });
  await driveRequest(parts, await stateOf(), {});
  expect(await whileAmending(store, "req_1")).toBeUndefined();
});
