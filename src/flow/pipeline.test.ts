/** How pieces of work meet in the common tree: real trees, commits and a real store; no task is ever run. */
import { existsSync, readFileSync, rmSync } from "node:fs";
import path from "node:path";
import { expect, onTestFinished, test, vi } from "vitest";
import { requestCreated } from "../../test/support/flow-hands.ts";
import { gitIn, writeIn } from "../../test/support/knowledge-project.ts";
import { tempDir } from "../../test/support/temp.ts";
import { driveRun } from "../journal/index.ts";
import { sqliteDriver } from "../journal/sqlite-driver.ts";
import { must, systemClock } from "../kernel/index.ts";
import { EVENTS, STREAMS, SYSTEM, type NewEvent } from "../protocol/events/index.ts";
import { createSharedTrees } from "../step/trees/shared-trees.ts";
import { keptRepository, type WorkTree } from "../workspace/index.ts";
import { groundOf, type FlowParts } from "./parts.ts";
import { pipelineHandler } from "./pipeline.ts";
import { pipelineView, type PipelineState } from "./pipeline-state.ts";
import { requestView } from "./request-state.ts";

// Whole requests with real trees and tests: a busy machine needs its time.
vi.setConfig({ testTimeout: 600_000 });

const BY = { actor: SYSTEM.engine };
const never = new AbortController().signal;
const REQUEST = "req_1";
/** Whoever would run a task says so instead. */
const noTasks = new Error("a task would run now");

async function ground() {
  const projectDir = tempDir("flow");
  gitIn(projectDir, "init", "-q", "-b", "main");
  writeIn(projectDir, "names.txt", "none\n");
  gitIn(projectDir, "add", "-A");
  gitIn(projectDir, "commit", "-qm", "start");
  const store = await sqliteDriver.open({
    path: path.join(tempDir("flow-store"), "sylk.db"),
    clock: systemClock,
    durability: "process",
    views: [pipelineView, requestView],
  });
  onTestFinished(() => store.close());
  const trees = createSharedTrees({
    repository: keptRepository({ root: projectDir, stateDir: tempDir("flow-state"), clock: systemClock }),
    clock: systemClock,
    redact: (text) => text,
    blobs: () => Promise.resolve(store.blobs),
  });
  const common = await trees.open(trees.idOf(REQUEST), undefined, never);
  const parts = {
    store,
    trees,
    clock: systemClock,
    limits: { mergeMs: 60_000, spawnMs: 60_000 },
    seats: { with: <T>(_request: string, _signal: AbortSignal, work: () => Promise<T>) => work() },
    engine: () => Promise.resolve({}),
    tasks: { create: () => Promise.reject(noTasks) },
    questions: { put: () => Promise.reject(noTasks), get: () => Promise.resolve(undefined) },
  } as unknown as FlowParts;

  await store.journal.append(STREAMS.request(REQUEST), 0, [requestCreated(REQUEST)]);
  const tell = (id: string, ...events: NewEvent[]) => store.journal.append(STREAMS.pipeline(id), "any", events);
  /** A piece that is built and judged, and has only to be merged. */
  const judged = async (node: string, files: Record<string, string>): Promise<{ id: string; tree: WorkTree }> => {
    const id = `pipe_${node}`;
    const tree = await trees.open(trees.idOf(id), await common.head(), never);
    for (const [file, text] of Object.entries(files)) writeIn(tree.path, file, text);
    const commit = await trees.commit(tree, "built");
    await tell(
      id,
      EVENTS.pipeline.opened.create(
        {
          id,
          request: REQUEST,
          node: { id: node, title: node, goal: node, assertions: ["A1"], after: [], files: [] },
          assertions: [],
          profile: "default",
          checks: [],
          allowed: [],
          integration: common.id,
          failing_before: [],
        },
        BY,
      ),
      EVENTS.pipeline.treeMade.create({ tree: tree.id, synced: await common.head() }, BY),
      EVENTS.pipeline.handedOver.create({ phase: "green", commit, verified: true, report: "", tests_set_back: [] }, BY),
      EVENTS.pipeline.judged.create({ commit, passed: true, checks: [], findings: [] }, BY),
    );
    return { id, tree };
  };
  const drive = (id: string): Promise<PipelineState | "stopped"> =>
    driveRun(groundOf(parts), pipelineHandler(parts, REQUEST), STREAMS.pipeline(id), {}).catch(() => "stopped" as const);
  const stateOf = async (id: string): Promise<PipelineState> => must(await store.journal.get(pipelineView, STREAMS.pipeline(id)));
  const inCommon = (file: string): string | undefined => {
    const at = path.join(common.path, file);
    return existsSync(at) ? readFileSync(at, "utf8") : undefined;
  };
  return { projectDir, trees, common, tell, judged, drive, stateOf, inCommon };
}

test("of two that were judged on the same state one merges; the other takes that in and is judged again", async () => {
  const at = await ground();
  const [one, two] = [await at.judged("n1", { "one.txt": "1\n" }), await at.judged("n2", { "two.txt": "2\n" })];
  await Promise.all([at.drive(one.id), at.drive(two.id)]);
  const states = [await at.stateOf(one.id), await at.stateOf(two.id)];
  const late = must(states.find(({ merged }) => merged === undefined));
  expect(states.filter(({ ended }) => ended?.how === "merged")).toHaveLength(1);
  expect([late.judged, late.phase?.phase, late.synced]).toEqual([undefined, "inspect", await at.common.head()]);
  const file = late.opened.node.id === "n1" ? "one.txt" : "two.txt";
  expect(at.inCommon(file)).toBeUndefined();
});

test("what was judged is what is merged: changed since, it is judged again", async () => {
  const at = await ground();
  const { id, tree } = await at.judged("n1", { "one.txt": "1\n" });
  writeIn(tree.path, "one.txt", "nobody looked at this\n");
  await at.trees.commit(tree, "later");
  await at.drive(id);
  const { merged, phase } = await at.stateOf(id);
  expect([merged, phase?.phase]).toEqual([undefined, "inspect"]);
  expect(at.inCommon("one.txt")).toBeUndefined();
});

test("who died over a merge leaves nothing in the common tree: not for itself, not for others", async () => {
  const at = await ground();
  const [dead, other] = [await at.judged("n1", { "one.txt": "1\n", "more.txt": "m\n" }), await at.judged("n2", { "two.txt": "2\n" })];
  const before = await at.common.head();
  await at.tell(dead.id, EVENTS.pipeline.merging.create({ before }, BY));
  writeIn(at.common.path, "one.txt", "half of it\n");
  await at.drive(other.id);
  expect([at.inCommon("one.txt"), at.inCommon("two.txt")]).toEqual([undefined, "2\n"]);
  // Taken up again, it does not set back what the other merged meanwhile.
  await at.drive(dead.id);
  const { merged, phase, synced } = await at.stateOf(dead.id);
  expect([merged, phase?.phase, synced]).toEqual([undefined, "inspect", await at.common.head()]);
  expect([at.inCommon("one.txt"), at.inCommon("two.txt")]).toEqual([undefined, "2\n"]);
  expect(readFileSync(path.join(dead.tree.path, "two.txt"), "utf8")).toBe("2\n");
});

test("cut off in its merge and alone, it merges all of it and nothing else", async () => {
  const at = await ground();
  const { id } = await at.judged("n1", { "one.txt": "1\n", "names.txt": "one\n" });
  await at.tell(id, EVENTS.pipeline.merging.create({ before: await at.common.head() }, BY));
  writeIn(at.common.path, "names.txt", "half of it\n");
  writeIn(at.common.path, "left.txt", "left behind\n");
  await at.drive(id);
  expect((await at.stateOf(id)).ended?.how).toBe("merged");
  expect([at.inCommon("one.txt"), at.inCommon("names.txt"), at.inCommon("left.txt")]).toEqual(["1\n", "one\n", undefined]);
});

test("what cannot be combined stands between marks and waits for the Reconciler, before anything is judged or merged", async () => {
  const at = await ground();
  const [one, two] = [await at.judged("n1", { "names.txt": "one\n" }), await at.judged("n2", { "names.txt": "two\n" })];
  await at.drive(one.id);
  await at.drive(two.id);
  const { disputed, phase, merged } = await at.stateOf(two.id);
  expect([disputed, phase?.phase, merged]).toEqual([["names.txt"], "reconcile", undefined]);
  expect(readFileSync(path.join(two.tree.path, "names.txt"), "utf8")).toMatch(/^<{7} [\s\S]*two[\s\S]*one[\s\S]*^>{7} /mu);
  expect(at.inCommon("names.txt")).toBe("one\n");
});

test("told that it is late when it is merged, or in the middle of that, a piece is merged and nobody is asked about it", async () => {
  const at = await ground();
  const late = EVENTS.pipeline.late.create({ why: "too long" }, BY);
  const one = await at.judged("n1", { "one.txt": "1\n" });
  await at.tell(one.id, EVENTS.pipeline.merging.create({ before: await at.common.head() }, BY), late);
  await at.drive(one.id);
  const two = await at.judged("n2", { "two.txt": "2\n" });
  const commit = await at.common.head();
  await at.tell(two.id, EVENTS.pipeline.merged.create({ commit, pinned: commit, files: [] }, BY), late);
  await at.drive(two.id);
  const ends = [await at.stateOf(one.id), await at.stateOf(two.id)].map(({ ended, waits }) => [ended?.how, waits]);
  expect([ends, at.inCommon("one.txt")]).toEqual([
    [
      ["merged", undefined],
      ["merged", undefined],
    ],
    "1\n",
  ]);
});

test.each([
  ["its folder", 1],
  ["its folder and what git knows of it", 2],
  ["its branch too", 3],
  ["all of it", 4],
])("law 1: killed while the tree of a merged piece was removed, %s gone, it is merged and nobody builds it again", async (_what, gone) => {
  const at = await ground();
  const { id, tree } = await at.judged("n1", { "one.txt": "1\n" });
  const commit = await at.common.head();
  await at.tell(id, EVENTS.pipeline.merged.create({ commit, pinned: commit, files: [] }, BY));
  rmSync(tree.path, { recursive: true });
  if (gone > 1) gitIn(at.projectDir, "worktree", "prune");
  if (gone > 2) gitIn(at.projectDir, "update-ref", "-d", `refs/heads/${tree.branch}`);
  if (gone > 3) gitIn(at.projectDir, "update-ref", "-d", `refs/sylk/base/${tree.id}`);
  await at.drive(id);
  const { ended, tried, attempt } = await at.stateOf(id);
  expect([ended?.how, tried, attempt]).toEqual(["merged", [], 1]);
  expect(gitIn(at.projectDir, "for-each-ref", "--format=%(refname)", "refs/heads/sylk", "refs/sylk/base")).not.toContain(tree.id);
});
