/**
 * A team under faults: the flow's own runs over the simulated store; tasks, trees and checks are objects with the same
 * calls. Any process may die or stand still before and after every call; then quiet, and a look at what is left.
 */
import { copyFileSync, rmSync } from "node:fs";
import path from "node:path";
import { requestView } from "../../../src/flow/index.ts";
import { driveRequest } from "../../../src/flow/drive-request.ts";
import type { FlowParts } from "../../../src/flow/parts.ts";
import { createSessionApi } from "../../../src/session/index.ts";
import { sqliteDriver, type Store, type StoreOptions } from "../../../src/journal/index.ts";
import { isAbort, SylkError, withDeadline, type Clock } from "../../../src/kernel/index.ts";
import { STREAMS, USER } from "../../../src/protocol/events/index.ts";
import type { QuestionAnswer } from "../../../src/protocol/index.ts";
import { pick, seededRandom } from "../../fuzz/random.ts";
import { FLOW_LIMITS, FLOW_VIEWS, flowHands, requestCreated, type FlowScript } from "../../support/flow-hands.ts";
import { MemoryRepository } from "../../support/memory-repository.ts";
import { tempDir } from "../../support/temp.ts";
import { Listeners } from "../listeners.ts";
import type { Faults } from "../scenario.ts";
import type { Outcome, Trial } from "../search-seeds.ts";
import { storeOf, type Fate } from "../sim-store.ts";
import { Timeline, type Life } from "../timeline.ts";
import { changedPlan, smallerTeams, teamScenarioOf, type TeamScenario } from "./team-scenario.ts";
import { TeamWitness } from "./team-witness.ts";

/** Bugs that a test puts in, to see them found. */
export type TeamPlant = (parts: FlowParts) => FlowParts;

const QUIET: Faults = { crash: 0, powerLoss: 0, pause: 0, refuse: 0, lostReply: 0, slow: 0, diskFull: 0, failedAct: 0, wallJump: 0 };
const LIMITS = { ...FLOW_LIMITS, attempts: 2, phaseMs: 2_000, pipelineMs: 6_000, mergeMs: 3_000, spawnMs: 2_000 };
const LEASE_MS = 200;
const POLL_MS = 40;
const PAUSE_MS = 700;
const FULL_MS = 150;
const LET_GO_MS = 2_000;
const REBIRTH_MS = 60;
/** Between two changes of a tree there is more to lose. */
const AT_TREES = 10;
const QUIET_STEPS = 60_000;
/** What may be thrown when the store, another life or a person is in the way. */
const EXPECTED = [
  "STORE_IO",
  "STORE_FULL",
  "RUN_LOST",
  "RUN_TAKEN",
  "RUN_NOT_FOUND",
  "RUN_STOPPED",
  "JOURNAL_FENCED",
  "JOURNAL_CONFLICT",
  "WORKTREE_GONE",
  "REQUEST_ENDED",
  "REQUEST_NOT_FOUND",
  "REQUEST_WRONG_STATUS",
  "QUESTION_NOT_OPEN",
  "DEADLINE_PASSED",
];

/** What ends a request soonest. */
const LAST_WORDS = ["approve", "skip", "yes", "stop", "merge"];

class TeamSimulation {
  readonly #scenario: TeamScenario;
  readonly #plant: TeamPlant;
  readonly #random: () => number;
  readonly #timeline: Timeline;
  readonly #listeners: Listeners;
  readonly #repository = new MemoryRepository({ "start.txt": "start\n" });
  readonly #witness: TeamWitness;
  readonly #lives: Life[] = [];
  readonly #fate: Fate;
  readonly #file: string;
  #store: Store | undefined;
  #faults: Faults;
  #isQuiet = false;
  #fullUntil = 0;
  #born = 0;
  /** In which step a life ended. */
  readonly #died = new Map<Life, number>();
  /** Whose step is under way. */
  #acting: Life | undefined;

  constructor(scenario: TeamScenario, plant: TeamPlant, file: string) {
    this.#scenario = scenario;
    this.#plant = plant;
    this.#file = file;
    this.#faults = scenario.faults;
    this.#random = seededRandom(scenario.seed);
    this.#timeline = new Timeline(this.#random);
    this.#listeners = new Listeners(this.#timeline, this.#random);
    this.#witness = new TeamWitness(this.#timeline, this.#repository);
    this.#repository.onChange = (tree) => {
      const { drawn } = this.#timeline;
      // What it does in the very moment of its death it did before.
      if (this.#acting !== undefined && this.#died.get(this.#acting) !== drawn) this.#witness.changes(this.#acting, tree);
    };
    this.#fate = {
      timeline: this.#timeline,
      witness: this.#witness,
      random: this.#random,
      faults: () => this.#faults,
      isFull: () => this.#timeline.now < this.#fullUntil,
      kill: (life) => this.#kill(life),
      pause: (life) => (life.pausedUntil = this.#timeline.now + this.#random() * PAUSE_MS),
      heard: (events) => this.#listeners.heard(events),
      listen: (life, filter) => this.#listeners.listen(life, filter),
    };
  }

  #kill(life: Life): void {
    this.#timeline.note(`${life.name} dies`);
    if (life.alive) this.#died.set(life, this.#timeline.drawn);
    this.#timeline.kill(life);
    this.#listeners.forget(life);
  }

  #partsOf(life: Life, store: Store): FlowParts {
    const clock = this.#timeline.clockOf(life);
    const { journal, work } = storeOf(life, store, this.#fate);
    const before = new Map<string, string>();
    const moment = (what: string): Promise<void> =>
      new Promise((resolve) => {
        this.#timeline.add(life, what, 0, () => {
          this.#acting = life;
          const [did, tree = ""] = what.split(" ");
          if (did === "commit" && this.#repository.trees.has(tree)) before.set(tree, this.#repository.tree(tree).head);
          if (did === "committed") this.#witness.tookIn(tree, before.get(tree) ?? "");
          if (this.#random() < this.#faults.crash * AT_TREES) return this.#kill(life);
          if (this.#random() < this.#faults.pause) this.#fate.pause(life);
          resolve();
        });
      });
    return this.#plant(
      flowHands({
        journal,
        work,
        clock,
        blobs: store.blobs,
        repository: this.#repository,
        limits: LIMITS,
        leaseMs: LEASE_MS,
        moment,
        script: (request) => ({
          ...this.#planOf(request),
          fateOf: ({ role }) => {
            if (this.#isQuiet || (role !== "engineer" && role !== "reconciler")) return "works";
            const { freezes, wrong, "gives up": givesUp } = this.#scenario.builders;
            const roll = this.#random();
            if (roll < freezes) return "freezes";
            return roll < freezes + wrong ? "wrong" : roll < freezes + wrong + givesUp ? "gives up" : "works";
          },
        }),
      }),
    );
  }

  #planOf(request: string): Pick<FlowScript, "plan" | "changed"> {
    const { plan, handsIn } = this.#scenario.requests[Number(request.slice("req_".length))] as TeamScenario["requests"][number];
    return { plan, changed: (merged) => changedPlan(plan, handsIn, merged) };
  }

  async #tolerant(life: Life, work: () => Promise<unknown>): Promise<void> {
    try {
      await work();
    } catch (error) {
      const code = SylkError.is(error) ? error.code : "";
      if (!EXPECTED.includes(code) && !isAbort(error))
        this.#witness.breaks("only expected trouble", String((error as Error).stack ?? error));
      this.#timeline.note(`${life.name} met ${code}`);
    }
  }

  async #liveAsWorker(life: Life, parts: FlowParts): Promise<void> {
    const { requests } = this.#scenario;
    for (;;) {
      await this.#tolerant(life, async () => {
        const id = `req_${Math.floor(this.#random() * requests.length)}`;
        const state = await parts.store.journal.get(requestView, STREAMS.request(id));
        if (state !== undefined) await driveRequest(parts, state, { leaseMs: LEASE_MS });
      });
      await parts.clock.sleep(POLL_MS * (1 + this.#random()));
    }
  }

  #answer(ask: { kind: string; options?: readonly { value: string }[] | undefined }): QuestionAnswer {
    const values = ask.kind === "plan" ? ["approve", "approve", "reject"] : (ask.options?.map(({ value }) => value) ?? ["yes"]);
    const value = this.#isQuiet ? (LAST_WORDS.find((word) => values.includes(word)) ?? values[0]) : pick(this.#random, values);
    return { kind: "chosen", value: value ?? "yes" };
  }

  async #liveAsPerson(life: Life, parts: FlowParts): Promise<void> {
    const { requests } = this.#scenario;
    const { journal } = parts.store;
    const session = createSessionApi({
      existing: () => Promise.resolve(parts.store),
      parts: () => Promise.resolve(parts),
      screen: (text) => Promise.resolve(text),
      resources: { seats: () => 1, memory: { used: () => 0 }, memoryMark: () => 1 },
      projectDir: "/nowhere",
    });
    for (;;) {
      await this.#tolerant(life, async () => {
        for (const [index, { asks, cancelAfterMs, addAfterMs }] of requests.entries()) {
          const id = `req_${index}`;
          if ((await journal.head(STREAMS.request(id))) === 0)
            await journal.append(STREAMS.request(id), 0, [requestCreated(id, asks ? "ask" : "auto")]);
          const stands = this.#witness.requests.get(id);
          if (addAfterMs !== null && addAfterMs < this.#timeline.now && stands?.additions === 0 && stands.ended === undefined)
            await session.add(id, "and more of it");
          if (cancelAfterMs === null || cancelAfterMs > this.#timeline.now || this.#witness.requests.get(id)?.ended !== undefined) continue;
          const options = { clock: parts.clock, timeoutMs: LET_GO_MS, what: "letting go" };
          await withDeadline(options, () => session.cancel(id, "changed my mind"));
        }
        const open = (await parts.questions.list()).filter(({ status }) => status === "open");
        if (open.length === 0) return;
        const question = pick(this.#random, open);
        await parts.questions.answer(question.id, this.#answer(question.ask), USER);
      });
      await parts.clock.sleep(POLL_MS * (1 + 3 * this.#random()));
    }
  }

  #bear(place: number, store: Store): void {
    this.#born += 1;
    const isWorker = place < this.#scenario.workers;
    const life: Life = {
      name: `${isWorker ? "worker" : "person"}${place}.${this.#born}`,
      holder: `here:${this.#born}:1`,
      alive: true,
      pausedUntil: 0,
    };
    this.#lives[place] = life;
    this.#timeline.add(life, "is born", this.#random() * REBIRTH_MS, () => {
      const parts = this.#partsOf(life, store);
      const living = isWorker ? this.#liveAsWorker(life, parts) : this.#liveAsPerson(life, parts);
      living.catch((error: unknown) => this.#witness.breaks("only expected trouble", String((error as Error).stack)));
    });
  }

  #strike(): void {
    const { powerLoss, diskFull, wallJump } = this.#faults;
    const roll = this.#random();
    if (roll < powerLoss) for (const life of this.#lives) this.#kill(life);
    else if (roll < powerLoss + diskFull) this.#fullUntil = this.#timeline.now + this.#random() * FULL_MS;
    else if (roll < powerLoss + diskFull + wallJump) this.#timeline.wallJump += this.#random() * 1_000;
  }

  #rebear(store: Store): void {
    for (const [place, life] of this.#lives.entries()) {
      if (life.alive || (this.#isQuiet && place > 0 && place < this.#scenario.workers)) continue;
      this.#bear(place, store);
    }
  }

  async run(): Promise<Outcome> {
    const clock: Clock = {
      now: () => this.#timeline.wall,
      monotonic: () => this.#timeline.now,
      sleep: () => new Promise((resolve) => setImmediate(resolve)),
    };
    const stateOf: StoreOptions["stateOf"] = (holder) => {
      const life = this.#lives.find((one) => one.holder === holder);
      if (life?.alive !== true) return "dead";
      return life.pausedUntil > this.#timeline.now ? "stopped" : "alive";
    };
    const store = await sqliteDriver.open({ path: this.#file, clock, durability: "process", views: FLOW_VIEWS, stateOf });
    this.#store = store;
    try {
      for (let place = 0; place <= this.#scenario.workers; place += 1) this.#bear(place, store);
      while (this.#timeline.drawn < this.#scenario.steps && this.#witness.violation === undefined) {
        this.#strike();
        this.#rebear(store);
        await this.#timeline.next();
      }
      await this.#comeToAnEnd(store);
      const steps = this.#timeline.drawn;
      for (const life of this.#lives) this.#timeline.kill(life);
      if (this.#witness.violation === undefined) await this.#lookBack(store);
      return { steps, trace: this.#timeline.trace, violation: this.#witness.violation };
    } finally {
      for (const life of this.#lives) this.#timeline.kill(life);
      await this.#store.close();
    }
  }

  /** Everybody dies once more; one worker and one person are enough to bring all to its end, whatever the others left. */
  async #comeToAnEnd(store: Store): Promise<void> {
    this.#faults = QUIET;
    this.#isQuiet = true;
    this.#fullUntil = 0;
    for (const life of this.#lives) this.#kill(life);
    const until = this.#timeline.drawn + QUIET_STEPS;
    while (this.#witness.violation === undefined && !(await this.#isOver(store))) {
      if (this.#timeline.drawn >= until)
        return this.#witness.breaks("a request ends or waits for a person", `never ends: ${this.#witness.unfinished().join(", ")}`);
      this.#rebear(store);
      await this.#timeline.next();
    }
  }

  /** All requests have ended, and nobody has anything of them any more. */
  async #isOver(store: Store): Promise<boolean> {
    if (this.#witness.requests.size < this.#scenario.requests.length || this.#witness.unfinished().length > 0) return false;
    for (const key of this.#witness.keys()) if ((await store.work.holder(key)) !== undefined) return false;
    return [...this.#repository.trees.keys()].every((tree) => !tree.startsWith("team_pipe"));
  }

  async #lookBack(store: Store): Promise<void> {
    this.#witness.lookBack();
    const report = await store.admin.verify();
    if (!report.valid) this.#witness.breaks("one chain", report.firstBad?.message ?? "");
  }
}

export async function teamTrial(plant: TeamPlant = (parts) => parts): Promise<Trial<TeamScenario>> {
  const dir = tempDir("team-sim", "/dev/shm");
  const empty = path.join(dir, "empty.db");
  const clock: Clock = { now: () => 0, monotonic: () => 0, sleep: () => Promise.resolve() };
  await (await sqliteDriver.open({ path: empty, clock, durability: "process", views: FLOW_VIEWS })).close();
  const simulate = async (scenario: TeamScenario): Promise<Outcome> => {
    const file = path.join(dir, "sim.db");
    copyFileSync(empty, file);
    try {
      return await new TeamSimulation(scenario, plant, file).run();
    } finally {
      for (const part of ["", "-wal", "-shm"]) rmSync(`${file}${part}`, { force: true });
    }
  };
  return { scenarioOf: teamScenarioOf, simulate, smaller: smallerTeams };
}
