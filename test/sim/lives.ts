/** What the processes of a simulation do: workers drive what is due, people begin, answer and cancel. */
import { isAbort, withDeadline, type Clock, SylkError } from "../../src/kernel/index.ts";
import { createQuestions, driveDue, driveRun, openRun, owning, runView, type Questions } from "../../src/journal/index.ts";
import { STREAMS, USER } from "../../src/protocol/events/index.ts";
import { pick } from "../fuzz/random.ts";
import type { Faults, RunPlan, Scenario } from "./scenario.ts";
import { performEffect, simEvents, simHandler, type Hands, type PerformEffect } from "./sim-run.ts";
import { storeOf, type Fate, type Ground } from "./sim-store.ts";
import type { Store } from "../../src/journal/index.ts";
import type { Life } from "./timeline.ts";
import type { RunWitness } from "./run-witness.ts";
import type { World } from "./world.ts";

/** Bugs that a test puts in, to see them found. */
export interface Plants {
  store?: (ground: Ground) => Ground;
  perform?: PerformEffect;
  hands?: (hands: Hands) => Hands;
  /** Tells a person that a run is over without waiting for it. */
  hastyCancel?: boolean;
  /** Leaves what it writes to the system's leisure. */
  unsynced?: boolean;
}

export interface Stage {
  scenario: Scenario;
  fate: Fate;
  /** The fate's, and those of the world. */
  faults: () => Faults;
  witness: RunWitness;
  world: World;
  plants: Plants;
}

const LEASE_MS = 200;
const POLL_MS = 40;
const LET_GO_MS = 2_000;
/** What may be thrown when the store, the world or another life is in the way. */
const EXPECTED = [
  "STORE_IO",
  "STORE_FULL",
  "RUN_LOST",
  "RUN_TAKEN",
  "RUN_NOT_FOUND",
  "JOURNAL_FENCED",
  "JOURNAL_CONFLICT",
  "SIM_ACT_FAILED",
];

const idOf = (index: number): string => `sim/run${index}`;

function handsOf(life: Life, { fate, faults, witness, world, scenario, plants }: Stage): Hands {
  const { timeline, random } = fate;
  const moment = (what: string): Promise<void> =>
    new Promise((resolve) => {
      timeline.add(life, what, 0, () => {
        if (random() < fate.faults().crash) fate.kill(life);
        else resolve();
      });
    });
  return {
    async act(run, key, flavour) {
      if (random() < faults().failedAct) throw new ActFailed();
      // Where nobody can be robbed while it lives there may be time between the question and the deed.
      if (scenario.machines === "one") await moment(`about to act ${key} of ${run.id}`);
      witness.acts(life, run.id, key, run.fence.epoch);
      timeline.note(`${life.name} acts ${key} of ${run.id}`);
      world.apply(life, run.id, key, flavour !== "file");
      await moment(`acted ${key} of ${run.id}`);
      if (flavour !== "file" || plants.unsynced === true) return "done";
      world.sync(run.id, key);
      await moment(`synced ${key} of ${run.id}`);
      return "done";
    },
    async settle(run, key, flavour) {
      await moment(`looks for ${key} of ${run.id}`);
      if (flavour === "silent") return "unknown";
      if (world.applied(run.id, key) === 0) return "act";
      world.sync(run.id, key);
      return { value: "done" };
    },
  };
}

class ActFailed extends Error {
  readonly code = "SIM_ACT_FAILED";
}

/** Tries again what the store refused; anything else is a finding. */
async function tolerant(life: Life, { fate }: Stage, work: () => Promise<void>): Promise<boolean> {
  try {
    await work();
    return true;
  } catch (error) {
    const code = SylkError.is(error) ? error.code : (error as { code?: string }).code;
    if (!EXPECTED.includes(code ?? "") && !isAbort(error))
      fate.witness.breaks("only expected trouble", String((error as Error).stack ?? error));
    fate.timeline.note(`${life.name} met ${code ?? "an abort"}`);
    return false;
  }
}

interface Mind extends Stage {
  life: Life;
  ground: Ground & { clock: Clock };
  questions: Questions;
}

function mindOf(life: Life, store: Store, stage: Stage): Mind {
  const bare = storeOf(life, store, stage.fate);
  const ground = { ...(stage.plants.store?.(bare) ?? bare), clock: stage.fate.timeline.clockOf(life) };
  const questions = createQuestions({
    journal: () => Promise.resolve(ground.journal),
    clock: ground.clock,
    attended: false,
    redact: (text) => text,
    screen: (text) => Promise.resolve(text),
  });
  return { ...stage, life, ground, questions };
}

export async function liveAsWorker(life: Life, store: Store, stage: Stage): Promise<void> {
  const mind = mindOf(life, store, stage);
  const { ground, scenario, fate, plants } = mind;
  const hands = handsOf(life, stage);
  const handler = simHandler({
    hands: plants.hands?.(hands) ?? hands,
    questions: mind.questions,
    now: () => ground.clock.now(),
    isFinished: async (id) => (await ground.journal.get(runView, id))?.finished !== undefined,
    perform: plants.perform ?? performEffect,
  });
  for (;;) {
    await tolerant(life, stage, async () => {
      if (fate.random() < 0.8) await driveDue(ground, [handler], { leaseMs: LEASE_MS });
      else await driveRun(ground, handler, idOf(Math.floor(fate.random() * scenario.runs.length)), { leaseMs: LEASE_MS });
    });
    await ground.clock.sleep(POLL_MS * fate.random());
  }
}

async function cancel(mind: Mind, id: string): Promise<void> {
  const { ground, witness, plants } = mind;
  await ground.journal.append(id, "any", [simEvents.cancelled.create({}, { actor: USER })]);
  const options = { clock: ground.clock, timeoutMs: LET_GO_MS, what: "letting go" };
  if (plants.hastyCancel !== true)
    await withDeadline(options, (signal) => owning(ground, id, { waits: true, signal, leaseMs: LEASE_MS }, () => Promise.resolve()));
  witness.over(id);
}

async function begin(mind: Mind, plan: RunPlan, id: string): Promise<void> {
  const { ground, witness, life } = mind;
  const { promised } = witness;
  while (!promised.has(id)) {
    await tolerant(life, mind, async () => {
      await openRun(ground, id, "sim", { parts: plan.parts }, null);
      await ground.work.offer([{ key: id, kind: "sim" }]);
      promised.add(id);
    });
    await ground.clock.sleep(POLL_MS);
  }
}

/** One of several who look for questions; the first begins the runs, the last cancels some. */
export async function liveAsPerson(life: Life, index: number, store: Store, stage: Stage): Promise<void> {
  const mind = mindOf(life, store, stage);
  const { ground, scenario, fate, witness, questions } = mind;
  if (index === 0) for (const [i, plan] of scenario.runs.entries()) await begin(mind, plan, idOf(i));
  const ends = index === scenario.people - 1 ? scenario.runs.entries().toArray() : [];
  for (;;) {
    await ground.clock.sleep(POLL_MS * fate.random());
    await tolerant(life, stage, async () => {
      for (const [i, { cancelAfterMs }] of ends) {
        const run = witness.runs.get(idOf(i));
        if (cancelAfterMs === null || cancelAfterMs > fate.timeline.now || run === undefined || run.over || run.finished) continue;
        await cancel(mind, idOf(i)).catch((error: unknown) => {
          if (!SylkError.is(error, "DEADLINE_PASSED")) throw error;
        });
      }
      const open = (await questions.list()).filter(({ status }) => status === "open");
      if (open.length === 0) return;
      const question = pick(fate.random, open);
      const words = `${life.name} says ${Math.floor(fate.random() * 1000)}`;
      const told = await questions.answer(question.id, { kind: "said", text: words }, USER);
      if (told === "taken") witness.taken(STREAMS.question(question.asker.id, question.id), words);
    });
  }
}
