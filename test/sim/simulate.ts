/** One seed from its start to its end: a scenario under faults, then quiet, then a look at everything that is left. */
import { copyFileSync, existsSync, rmSync } from "node:fs";
import path from "node:path";
import type { Clock } from "../../src/kernel/index.ts";
import { runView, type Store, type StoreOptions, sqliteDriver } from "../../src/journal/index.ts";
import { pick, seededRandom } from "../fuzz/random.ts";
import { tempDir } from "../support/temp.ts";
import { Listeners } from "./listeners.ts";
import { liveAsPerson, liveAsWorker, type Plants, type Stage } from "./lives.ts";
import { scenarioOf, type Faults, type Scenario } from "./scenario.ts";
import type { Outcome, Trial } from "./search-seeds.ts";
import { smallerRuns } from "./shrink.ts";
import type { Fate } from "./sim-store.ts";
import { simView } from "./sim-run.ts";
import { Timeline, type Life } from "./timeline.ts";
import { RunWitness } from "./run-witness.ts";

import { World } from "./world.ts";

const HOST = "here";
const QUIET: Faults = { crash: 0, powerLoss: 0, pause: 0, refuse: 0, lostReply: 0, slow: 0, diskFull: 0, failedAct: 0, wallJump: 0 };
const PAUSE_MS = 700;
const FULL_MS = 150;
const JUMP_MS = 1_000;
const REBIRTH_MS = 60;
/** Without faults everything must have come to its end by then. */
const QUIET_STEPS = 6_000;
const REOPENED = 0.1;

export class Simulation {
  readonly #scenario: Scenario;
  readonly #plants: Plants;
  readonly #file: string;
  readonly #random: () => number;
  readonly #timeline: Timeline;
  readonly #world = new World();
  readonly #witness: RunWitness;
  readonly #lives: Life[] = [];
  readonly #stores: Store[] = [];
  readonly #listeners: Listeners;
  readonly #fate: Fate;
  #faults: Faults;
  #fullUntil = 0;
  #born = 0;

  constructor(scenario: Scenario, plants: Plants, file: string) {
    this.#scenario = scenario;
    this.#plants = plants;
    this.#file = file;
    this.#faults = scenario.faults;
    this.#random = seededRandom(scenario.seed);
    this.#timeline = new Timeline(this.#random);
    this.#listeners = new Listeners(this.#timeline, this.#random);
    this.#witness = new RunWitness(this.#timeline, this.#world, scenario.machines);
    this.#fate = {
      timeline: this.#timeline,
      witness: this.#witness,
      random: this.#random,
      faults: () => this.#faults,
      isFull: () => this.#timeline.now < this.#fullUntil,
      kill: (life) => this.#kill(life),
      pause: (life) => {
        life.pausedUntil = this.#timeline.now + this.#random() * PAUSE_MS;
        this.#timeline.note(`${life.name} is paused until ${Math.round(life.pausedUntil)}`);
      },
      heard: (events) => this.#listeners.heard(events),
      listen: (life, filter) => this.#listeners.listen(life, filter),
    };
  }

  async #open(): Promise<Store> {
    const clock: Clock = {
      now: () => this.#timeline.wall,
      monotonic: () => this.#timeline.now,
      sleep: () => new Promise((resolve) => setImmediate(resolve)),
    };
    const stateOf: StoreOptions["stateOf"] = (holder) => {
      if (this.#scenario.machines === "many") return "unknown";
      const life = this.#lives.find((one) => one.holder === holder);
      if (life?.alive !== true) return "dead";
      return life.pausedUntil > this.#timeline.now ? "stopped" : "alive";
    };
    const store = await sqliteDriver.open({ path: this.#file, clock, durability: "process", views: [simView], stateOf });
    this.#stores.push(store);
    return store;
  }

  #kill(life: Life): void {
    this.#timeline.note(`${life.name} dies`);
    this.#timeline.kill(life);
    this.#listeners.forget(life);
  }

  /** Starts what is to take a place: a worker, or a person. */
  #bear(place: number, store: Store): void {
    const { workers } = this.#scenario;
    this.#born += 1;
    const name = place < workers ? `worker${place}.${this.#born}` : `person${place - workers}.${this.#born}`;
    const life: Life = { name, holder: `${HOST}:${this.#born}:1`, alive: true, pausedUntil: 0 };
    this.#lives[place] = life;
    const stage: Stage = {
      scenario: this.#scenario,
      fate: this.#fate,
      faults: () => this.#faults,
      witness: this.#witness,
      world: this.#world,
      plants: this.#plants,
    };
    this.#timeline.add(life, "is born", this.#random() * REBIRTH_MS, () => {
      const living = place < workers ? liveAsWorker(life, store, stage) : liveAsPerson(life, place - workers, store, stage);
      living.catch((error: unknown) => this.#witness.breaks("only expected trouble", String((error as Error).stack)));
    });
  }

  async #rebear(isQuiet: boolean): Promise<void> {
    for (const [place, life] of this.#lives.entries()) {
      if (life.alive || (isQuiet && place > 0 && place < this.#scenario.workers)) continue;
      const store = this.#random() < REOPENED ? await this.#open() : pick(this.#random, this.#stores);
      this.#bear(place, store);
    }
  }

  #strike(): void {
    const { powerLoss, diskFull, wallJump } = this.#faults;
    const roll = this.#random();
    if (roll < powerLoss) {
      const struck = this.#scenario.machines === "one" ? this.#lives.filter(({ alive }) => alive) : [pick(this.#random, this.#lives)];
      this.#timeline.note("the power goes");
      for (const life of struck) this.#kill(life);
      this.#world.powerLost(struck);
    } else if (roll < powerLoss + diskFull) this.#fullUntil = this.#timeline.now + this.#random() * FULL_MS;
    else if (roll < powerLoss + diskFull + wallJump) this.#timeline.wallJump += (this.#random() - 0.4) * JUMP_MS;
  }

  async run(): Promise<Outcome> {
    const scenario = this.#scenario;
    const first = [await this.#open(), await this.#open()];
    try {
      for (let place = 0; place < scenario.workers + scenario.people; place += 1) this.#bear(place, first[place % 2] as Store);
      while (this.#timeline.drawn < scenario.steps && this.#witness.violation === undefined) {
        this.#strike();
        await this.#rebear(false);
        await this.#timeline.next();
      }
      await this.#comeToAnEnd();
      const steps = this.#timeline.drawn;
      for (const life of this.#lives) this.#timeline.kill(life);
      await this.#lookBack(first[0] as Store);
      return { steps, trace: this.#timeline.trace, violation: this.#witness.violation };
    } finally {
      for (const life of this.#lives) this.#timeline.kill(life);
      for (const store of this.#stores) await store.close();
    }
  }

  async #comeToAnEnd(): Promise<void> {
    this.#faults = QUIET;
    this.#fullUntil = 0;
    for (const life of this.#lives) life.pausedUntil = 0;
    // One worker is enough to bring all to its end, whatever the others left.
    for (const life of this.#lives.slice(1, this.#scenario.workers)) this.#kill(life);
    const until = this.#timeline.drawn + QUIET_STEPS;
    while (this.#witness.violation === undefined && (!this.#isBegun() || this.#witness.unfinished().length > 0)) {
      if (this.#timeline.drawn >= until)
        return this.#witness.breaks("nothing is lost", `never ends: ${this.#witness.unfinished().join(", ")}`);
      await this.#rebear(true);
      await this.#timeline.next();
    }
  }

  #isBegun(): boolean {
    return this.#witness.promised.size === this.#scenario.runs.length;
  }

  /** The journal as a process finds it that opens it now. */
  async #lookBack(seen: Store): Promise<void> {
    const { events, runs } = this.#witness;
    if (this.#witness.violation !== undefined) return;
    const store = await this.#open();
    const left = await store.journal.readAll({ after: 0, limit: events.length + 1 });
    if (left.length !== events.length || left.some(({ hash }, i) => hash !== events[i]?.hash))
      this.#witness.breaks("nothing acknowledged is lost", `${events.length} events were written, ${left.length} are there`);
    for (const [id, { finished }] of runs)
      if (((await store.journal.get(runView, id))?.finished !== undefined) !== finished) this.#witness.breaks("views follow events", id);
    const report = await seen.admin.verify();
    if (!report.valid) this.#witness.breaks("one chain", report.firstBad?.message ?? "");
  }
}

/** A place for simulations, with an empty journal that each begins with. */
export interface Lab {
  dir: string;
  empty: string;
}

const MEMORY = "/dev/shm";

/** In memory where the system has such a place: no disk is waited for. */
export async function openLab(): Promise<Lab> {
  const dir = tempDir("sim", existsSync(MEMORY) ? MEMORY : undefined);
  const empty = path.join(dir, "empty.db");
  const clock: Clock = { now: () => 0, monotonic: () => 0, sleep: () => Promise.resolve() };
  await (await sqliteDriver.open({ path: empty, clock, durability: "process", views: [simView] })).close();
  return { dir, empty };
}

export async function simulate(lab: Lab, scenario: Scenario, plants: Plants = {}): Promise<Outcome> {
  const file = path.join(lab.dir, "sim.db");
  copyFileSync(lab.empty, file);
  try {
    return await new Simulation(scenario, plants, file).run();
  } finally {
    for (const part of ["", "-wal", "-shm"]) rmSync(`${file}${part}`, { force: true });
  }
}

export function runTrial(lab: Lab, plants: Plants = {}): Trial<Scenario> {
  return { scenarioOf, simulate: (scenario) => simulate(lab, scenario, plants), smaller: smallerRuns };
}
