/** Two pieces that change the same lines, again and again: real trees and merges, and a Reconciler that is not always able to. */
import { existsSync, readFileSync, rmSync } from "node:fs";
import path from "node:path";
import { expect, onTestFinished } from "vitest";
import { pipelineView } from "../../../src/flow/index.ts";
import { groundOf } from "../../../src/flow/parts.ts";
import { pipelineHandler } from "../../../src/flow/pipeline.ts";
import { driveRun, sqliteDriver } from "../../../src/journal/index.ts";
import { must, systemClock } from "../../../src/kernel/index.ts";
import { EVENTS, STREAMS, SYSTEM } from "../../../src/protocol/events/index.ts";
import { createSharedTrees } from "../../../src/step/trees/shared-trees.ts";
import type { TaskState } from "../../../src/step/index.ts";
import { keptRepository } from "../../../src/workspace/index.ts";
import { pick, seededRandom, type Random } from "../../fuzz/random.ts";
import { FLOW_LIMITS, FLOW_VIEWS, flowHands, planOfPieces, requestCreated } from "../../support/flow-hands.ts";
import { gitIn, writeIn } from "../../support/knowledge-project.ts";
import { MemoryRepository } from "../../support/memory-repository.ts";
import { tempDir } from "../../support/temp.ts";

const BY = { actor: SYSTEM.engine };
const REQUEST = "req_pairs";
/** In memory where the system has such a place: no disk is waited for. */
const MEMORY = existsSync("/dev/shm") ? "/dev/shm" : undefined;
const never = new AbortController().signal;
const FILES = ["one.txt", "two.js", "sub/three.json"];
const START: Record<string, string> = {
  "one.txt": "a\nb\nc\nd\ne\nf\n",
  "two.js": "export const a = 1;\n\nexport function b() {\n  return 2;\n}\n",
  "sub/three.json": `{\n  "a": 1,\n  "b": 2\n}\n`,
};

/** Other lines, some of them the same ones in both. */
function edit(random: Random, text: string, who: string): string {
  const lines = text.split("\n");
  for (let times = 1 + Math.floor(random() * 3); times > 0; times -= 1) {
    const at = Math.floor(random() * lines.length);
    const how = random();
    if (how < 0.5) lines[at] = `${who} ${Math.floor(random() * 3)}`;
    else if (how < 0.8) lines.splice(at, 0, `${who} adds`);
    else lines.splice(at, 1);
  }
  return lines.join("\n");
}

export interface Pairs {
  merged: number;
  asking: number;
  disputed: number;
}

export async function mergePairs(pairs: number, seed: number): Promise<Pairs> {
  const random = seededRandom(seed);
  const projectDir = tempDir("pairs", MEMORY);
  gitIn(projectDir, "init", "-q", "-b", "main");
  for (const [file, text] of Object.entries(START)) writeIn(projectDir, file, text);
  gitIn(projectDir, "add", "-A");
  gitIn(projectDir, "commit", "-qm", "start");
  const store = await sqliteDriver.open({
    path: path.join(tempDir("pairs-store", MEMORY), "sylk.db"),
    clock: systemClock,
    durability: "process",
    views: FLOW_VIEWS,
  });
  onTestFinished(() => store.close());
  const trees = createSharedTrees({
    repository: keptRepository({ root: projectDir, stateDir: tempDir("pairs-state", MEMORY), clock: systemClock }),
    clock: systemClock,
    redact: (text) => text,
    blobs: () => Promise.resolve(store.blobs),
  });
  const reconcile = ({ created }: TaskState): void => {
    if (created.role !== "reconciler" || created.place.kind !== "tree" || random() < 0.3) return;
    for (const file of FILES) {
      const at = path.join(created.place.folder, file);
      if (existsSync(at)) writeIn(created.place.folder, file, readFileSync(at, "utf8").replaceAll(/^(?:<{7}|={7}|>{7}|\|{7}).*\n?/gmu, ""));
    }
  };
  const parts = flowHands({
    journal: store.journal,
    work: store.work,
    clock: systemClock,
    blobs: store.blobs,
    repository: new MemoryRepository({}),
    limits: FLOW_LIMITS,
    script: () => ({
      plan: planOfPieces([{}]),
      fateOf: ({ role }) => (role === "reconciler" && random() < 0.2 ? "gives up" : "works"),
    }),
    disk: { trees, build: reconcile },
  });
  const common = await trees.open(trees.idOf(REQUEST), undefined, never);

  await store.journal.append(STREAMS.request(REQUEST), 0, [requestCreated(REQUEST)]);

  /** Built and judged; it has only to be merged. */
  const built = async (id: string): Promise<string> => {
    const synced = await common.head();
    const tree = await trees.open(trees.idOf(id), synced, never);
    for (const file of FILES) {
      const at = path.join(tree.path, file);
      if (random() < 0.3) continue;
      if (existsSync(at) && random() < 0.1) rmSync(at);
      else writeIn(tree.path, file, edit(random, existsSync(at) ? readFileSync(at, "utf8") : (START[file] ?? ""), id));
    }
    writeIn(tree.path, "one.txt", edit(random, START["one.txt"] ?? "", id));
    const commit = await trees.commit(tree, `${id} is built`);
    const node = { id: "n1", title: id, goal: id, assertions: ["A1"], after: [], files: [] };
    await store.journal.append(STREAMS.pipeline(id), 0, [
      EVENTS.pipeline.opened.create(
        {
          id,
          request: REQUEST,
          node,
          assertions: [],
          profile: "default",
          checks: ["check"],
          allowed: [],
          integration: common.id,
          failing_before: [],
        },
        BY,
      ),
      EVENTS.pipeline.treeMade.create({ tree: tree.id, synced }, BY),
      EVENTS.pipeline.handedOver.create({ phase: "green", commit, verified: true, report: "", tests_set_back: [] }, BY),
      EVENTS.pipeline.judged.create({ commit, passed: true, checks: [], findings: [] }, BY),
    ]);
    return commit;
  };

  const counted: Pairs = { merged: 0, asking: 0, disputed: 0 };
  for (let pair = 0; pair < pairs; pair += 1) {
    const ids = [`pipe_l${pair}`, `pipe_r${pair}`];
    const commits = [await built(must(ids[0])), await built(must(ids[1]))];
    const order = pick(random, [ids, ids.toReversed()]);
    await Promise.all(order.map((id) => driveRun(groundOf(parts), pipelineHandler(parts, REQUEST), STREAMS.pipeline(id), {})));
    for (const [index, id] of ids.entries()) {
      const state = must(await store.journal.get(pipelineView, STREAMS.pipeline(id)));
      expect([pair, state.ended?.how ?? state.waits?.why]).toEqual([pair, expect.stringMatching(/^(?:merged|conflict)$/u)]);
      if (state.ended === undefined) counted.asking += 1;
      else counted.merged += 1;
      if (
        (await store.journal.read(STREAMS.pipeline(id))).some(
          (event) => EVENTS.pipeline.rebased.is(event) && event.payload.disputed.length > 0,
        )
      )
        counted.disputed += 1;
      if (state.ended === undefined) await trees.discard(must(state.tree));
      // Merged or not, what was built can be had again.
      expect([id, gitIn(projectDir, "for-each-ref", "--contains", must(commits[index])).trim()]).not.toEqual([id, ""]);
    }
    expect([pair, gitIn(common.path, "status", "--porcelain")]).toEqual([pair, ""]);
  }
  expect([gitIn(projectDir, "status", "--porcelain"), gitIn(projectDir, "log", "--oneline").trim().split("\n").length]).toEqual(["", 1]);
  return counted;
}
