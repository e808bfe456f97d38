/** One seed of whole tasks from its start to its end: under faults, then quiet, then a look at everything that is left. */
import { hostname } from "node:os";
import path from "node:path";
import { type Store } from "../../../src/journal/index.ts";
import { seededRandom, type Random } from "../../fuzz/random.ts";
import { Listeners } from "../listeners.ts";
import type { Outcome, Trial } from "../search-seeds.ts";
import type { Fate } from "../sim-store.ts";
import { Timeline, type Life } from "../timeline.ts";
import { Children, statLine, type ChildFate } from "./children.ts";
import { answerAs, type ModelFate } from "./sim-model.ts";
import { edited, freshProject, makeTaskLab, type SimProject, type TaskLab } from "./sim-project.ts";
import { isAllQuiet, replaceSystem } from "./system-calls.ts";
import { FIRST_PID, living, real, type Change, type SystemFate } from "./system-fate.ts";
import { lookBack } from "./look-back.ts";
import { liveAsPerson, workOnTasks, type Diary, type TaskPlants, type TaskStage } from "./task-lives.ts";
import { smallerTasks, taskScenarioOf, type ModelFaults, type TaskFaults, type TaskScenario } from "./task-scenario.ts";
import { TaskWitness } from "./task-witness.ts";
import type { ToolRunner } from "./tool-runner.ts";
import { Unsynced } from "./unsynced.ts";

const NO_FAULTS: TaskFaults = { crash: 0, powerLoss: 0, pause: 0, refuse: 0, lostReply: 0, slow: 0, diskFull: 0, wallJump: 0 };
const NO_MODEL_FAULTS: ModelFaults = { slow: 0, drip: 0, cut: 0, malformed: 0, limited: 0, failing: 0, wrongTool: 0, silent: 0 };
/** Longer than a lease. */
const PAUSE_MS = 60_000;
const FULL_MS = 5_000;
const JUMP_MS = 120_000;
const REBIRTH_MS = 500;
/** Without faults everything must have come to its end by then. */
const QUIET_STEPS = 12_000;

class Died extends Error {}

const never = new Promise<never>(() => undefined);

export class TaskSimulation {
  readonly #scenario: TaskScenario;
  readonly #plants: TaskPlants;
  readonly #project: SimProject;
  readonly #random: Random;
  readonly #timeline: Timeline;
  readonly #witness: TaskWitness;
  readonly #listeners: Listeners;
  readonly #children: Children;
  readonly #unsynced = new Unsynced();
  readonly #lives: Life[] = [];
  readonly #stores: Store[] = [];
  readonly #fate: Fate;
  readonly #diary: Diary = {
    asked: new Set(),
    reopened: new Map(),
    settled: new Set(),
    kept: new Set(),
    saved: new Set(),
    tried: new Set(),
  };
  /** The user's hands, which no fault reaches. */
  readonly #user: Life = { name: "user", holder: ":0:0", alive: true, pausedUntil: 0 };
  #faults: TaskFaults;
  #model: ModelFaults;
  #fullUntil = 0;
  #born = 0;
  #asked = 0;
  #isDirty = false;
  /** Edits that met a task which was writing. */
  readonly #met = new Set<number>();
  /** What stood in a file before the user's last edit. */
  readonly #unseen = new Map<string, Buffer>();

  constructor(scenario: TaskScenario, plants: TaskPlants, { project, tools }: { project: SimProject; tools: ToolRunner }) {
    this.#scenario = scenario;
    this.#plants = plants;
    this.#project = project;
    this.#faults = scenario.faults;
    this.#model = scenario.model;
    this.#random = seededRandom(scenario.seed);
    this.#timeline = new Timeline(this.#random, isAllQuiet);
    this.#listeners = new Listeners(this.#timeline, this.#random);
    this.#witness = new TaskWitness(this.#timeline, scenario, project);
    this.#fate = {
      timeline: this.#timeline,
      witness: this.#witness,
      random: this.#random,
      faults: () => this.#faults,
      isFull: () => this.#isFull,
      kill: (life) => this.#kill(life),
      pause: (life) => this.#pause(life),
      heard: (events) => this.#listeners.heard(events),
      listen: (life, filter) => this.#listeners.listen(life, filter),
    };
    /** A red start is looked at twice; a check that lies from the beginning would show nothing. */
    let failed = 0;
    const childFate: ChildFate = {
      moment: (life, what, afterMs) => this.#moment(life, what, afterMs),
      mayRun: (life) => this.#survives(life),
      random: this.#random,
      isLying: () => plants.trustingChecks === true && failed >= 2,
      ran: (life, command) => {
        if (command.kind === "check" && command.exitCode !== 0) failed += 1;
        this.#isDirty = true;
        this.#witness.ran(life, command);
      },
      wrote: (file) => this.#unsynced.wrote(file),
    };
    this.#children = new Children(childFate, tools);
  }

  get #isFull(): boolean {
    return this.#timeline.now < this.#fullUntil;
  }

  #moment(life: Life, what: string, afterMs: number): Promise<void> {
    return new Promise((resolve) => this.#timeline.add(life, what, afterMs, resolve));
  }

  #kill(life: Life): void {
    this.#timeline.note(`${life.name} dies`);
    this.#timeline.kill(life);
    this.#listeners.forget(life);
  }

  #pause(life: Life): void {
    life.pausedUntil = this.#timeline.now + this.#random() * PAUSE_MS;
    this.#timeline.note(`${life.name} is paused until ${Math.round(life.pausedUntil)}`);
  }

  /** Whoever is about to do something, or has just done it, may die. */
  #survives(life: Life): boolean {
    if (life.alive && this.#random() < this.#faults.crash) this.#kill(life);
    return life.alive;
  }

  // --- the system

  #done<T>(life: Life, change: Change, work: () => T): T {
    if (change.grows && this.#isFull) throw Object.assign(new Error(`ENOSPC: no space left on device, ${change.call}`), { code: "ENOSPC" });
    if (this.#plants.unsynced === true && change.call === "sync") return undefined as T;
    if (this.#plants.untidy === true && change.call === "rm" && /\.tmp_/u.test(change.file)) return undefined as T;
    // One call of Node may be made of others; only the whole is a change.
    const value = living.exit(() => this.#unsynced.during(change, work));
    this.#isDirty = true;
    this.#witness.changed(life, change);
    return value;
  }

  /** What replaces or removes a file follows at once on the last look at it: no time is left for others in between. */
  #changeSoon<T>(life: Life, change: Change, work: () => T): Promise<T> {
    if (!this.#survives(life)) return never;
    this.#timeline.note(`${life.name} ${change.call} ${this.#short(change.file)}`);
    if (this.#plants.lateRename === true && change.call === "rename") {
      const { from = "", file } = change;
      this.#timeline.add(life, "renames late", 5, () => this.#done(life, change, () => real.renameSync(from, file)));
      return Promise.resolve(undefined as T);
    }
    try {
      const value = this.#done(life, change, work);
      return this.#survives(life) ? Promise.resolve(value) : never;
    } catch (error) {
      return Promise.reject(error);
    }
  }

  async #change<T>(life: Life, change: Change, work: () => T): Promise<T> {
    if (["rename", "rm", "unlink"].includes(change.call)) return this.#changeSoon(life, change, work);
    if (change.call === "open") this.#meanwhile(change.file);
    await this.#moment(life, `${change.call} ${this.#short(change.file)}`, 0);
    if (!this.#survives(life)) return never;
    const value = this.#done(life, change, work);
    if (this.#random() < this.#faults.pause) this.#pause(life);
    return this.#survives(life) ? value : never;
  }

  #changeNow<T>(life: Life, change: Change, work: () => T): T {
    // What is logged is for whoever looks for the cause of a trouble; nothing depends on it.
    if (change.file.includes("/logs/")) return work();
    if (!this.#survives(life)) throw new Died(`${life.name} is dead`);
    const value = this.#done(life, change, work);
    if (!this.#survives(life)) throw new Died(`${life.name} is dead`);
    return value;
  }

  /** A process that lets an error go unseen dies of it. */
  #rejected(error: unknown): void {
    for (let at = error; at !== undefined; at = (at as Error | undefined)?.cause) if (at instanceof Died) return;
    this.#witness.breaks("no error unseen", String((error as Error).stack));
  }

  #short(file: string): string {
    return file.replace(path.dirname(this.#project.dir), "").replace(/\/m-\w{6}(?=\/|$)/u, "/m");
  }

  #stateOf(life: Life): string {
    return life.pausedUntil > this.#timeline.now ? "T" : "S";
  }

  #system(): SystemFate {
    const lifeOf = (pid: number): Life | undefined => this.#lives.find(({ holder, alive }) => alive && holder.includes(`:${pid}:`));
    return {
      change: (life, change, work) => this.#change(life, change, work),
      changeNow: (life, change, work) => this.#changeNow(life, change, work),
      proc: (pid, name) => {
        const life = lifeOf(pid);
        if (life === undefined) return this.#children.proc(pid, name);
        return name === "stat" ? statLine(pid, this.#stateOf(life)) : "";
      },
      pids: () => this.#children.pids(),
      signal: (pid, signal) => (lifeOf(pid) === undefined ? this.#children.signal(pid, signal) : true),
      spawn: (life, file, args, options) => this.#children.spawn(life, file, args, options),
      fetch: (life, body, signal) => this.#ask(life, body, signal),
      random: this.#random,
      remembered: (file) => this.#remembered(file),
    };
  }

  #ask(life: Life, body: string, signal: AbortSignal | undefined): Promise<Response> {
    const fate: ModelFate = {
      random: this.#random,
      faults: () => this.#model,
      moment: (who, what, afterMs) => this.#moment(who, what, afterMs),
      note: (text) => this.#timeline.note(text),
    };
    const index = Number(/task (\d): do all of it/u.exec(body)?.[1] ?? 0);
    return answerAs(fate, life, { n: (this.#asked += 1), wanted: this.#witness.next(index), signal });
  }

  // --- lives

  #bear(place: number): void {
    const { workers } = this.#scenario;
    this.#born += 1;
    const name = `${place < workers ? `worker${place}` : "person"}.${this.#born}`;
    const life: Life = { name, holder: `${hostname()}:${FIRST_PID + this.#born}:1`, alive: true, pausedUntil: 0 };
    this.#lives[place] = life;
    const stage: TaskStage = {
      scenario: this.#scenario,
      project: this.#project,
      fate: this.#fate,
      witness: this.#witness,
      diary: this.#diary,
      plants: this.#plants,
      opened: (store) => this.#stores.push(store),
    };
    this.#timeline.add(life, "is born", this.#random() * REBIRTH_MS, () => {
      const work = place < workers ? workOnTasks : liveAsPerson;
      living
        .run(life, () => work(life, stage))
        .catch((error: unknown) => {
          if (life.alive) this.#witness.breaks("only expected trouble", String((error as Error).stack));
        });
    });
  }

  #edit(index: number): void {
    const edit = this.#scenario.edits[index];
    if (edit === undefined) return;
    const { file, place } = edit;
    const target = path.join(this.#project.dir, file);
    if (!real.existsSync(target)) return;
    const line = `user${index}x`;
    const before = real.readFileSync(target);
    const text = edited(before.toString("utf8"), index % this.#scenario.tasks.length, place, line, file);
    real.writeFileSync(target, text);
    this.#unseen.set(target, before);
    this.#unsynced.settled(target);
    if (text.includes(line)) this.#witness.touched(file, line);
  }

  /** Whoever edits while a task writes does it about now. */
  #meanwhile(temp: string): void {
    const folder = path.dirname(temp);
    for (const [index, { atMs, file }] of this.#scenario.edits.entries()) {
      if (atMs !== null || this.#met.has(index) || folder !== this.#project.dir || !path.basename(temp).startsWith(`.${file}.`)) continue;
      this.#met.add(index);
      this.#timeline.add(this.#user, "edits", 0, () => this.#edit(index));
    }
  }

  /** What a life that does not look again takes a file for. */
  #remembered(file: string): Buffer | undefined {
    if (this.#plants.blind !== true || !real.existsSync(file)) return undefined;
    const isBeingWritten = real.readdirSync(path.dirname(file)).some((name) => name.startsWith(`.${path.basename(file)}.`));
    return isBeingWritten ? this.#unseen.get(file) : undefined;
  }

  #strike(): void {
    const { powerLoss, diskFull, wallJump } = this.#faults;
    const roll = this.#random();
    if (roll < powerLoss) {
      this.#timeline.note("the power goes");
      for (const life of this.#lives.filter(({ alive }) => alive)) this.#kill(life);
      this.#children.powerLost();
      this.#unsynced.powerLost(this.#random);
      this.#isDirty = true;
    } else if (roll < powerLoss + diskFull) this.#fullUntil = this.#timeline.now + this.#random() * FULL_MS;
    else if (roll < powerLoss + diskFull + wallJump) this.#timeline.wallJump += (this.#random() - 0.4) * JUMP_MS;
  }

  async #next(): Promise<void> {
    for (const [place, life] of this.#lives.entries()) if (!life.alive) this.#bear(place);
    // Nothing of the simulation waits: what does is real, such as a module that is loaded for the first time.
    if (!(await this.#timeline.next())) await new Promise((resolve) => setImmediate(resolve));
    if (!this.#isDirty) return;
    this.#isDirty = false;
    this.#witness.lookAtUsersLines();
  }

  async run(): Promise<Outcome> {
    const { workers, edits, steps } = this.#scenario;
    using _ = replaceSystem(this.#system());
    using __ = replaceRejections((error) => this.#rejected(error));
    try {
      for (let place = 0; place <= workers; place += 1) this.#bear(place);
      for (const [index, { atMs }] of edits.entries())
        if (atMs !== null) this.#timeline.add(this.#user, "edits", atMs, () => this.#edit(index));
      while (this.#timeline.drawn < steps && this.#witness.violation === undefined) {
        this.#strike();
        await this.#next();
      }
      await this.#comeToAnEnd();
      const drawn = this.#timeline.drawn;
      for (const life of this.#lives) this.#timeline.kill(life);
      if (this.#witness.violation === undefined) await this.#lookBack();
      return { steps: drawn, trace: namedAlike(this.#timeline.trace), violation: this.#witness.violation };
    } finally {
      for (const life of this.#lives) this.#timeline.kill(life);
      for (const store of this.#stores) await store.close();
    }
  }

  async #comeToAnEnd(): Promise<void> {
    this.#faults = NO_FAULTS;
    this.#model = NO_MODEL_FAULTS;
    this.#fullUntil = 0;
    for (const life of this.#lives) life.pausedUntil = 0;
    const until = this.#timeline.drawn + QUIET_STEPS;
    while (this.#witness.violation === undefined && !this.#isOver()) {
      if (this.#timeline.drawn >= until) return this.#witness.breaks("nothing is lost", `never ends: ${this.#unfinished().join(", ")}`);
      await this.#next();
    }
  }

  #unfinished(): string[] {
    return this.#scenario.tasks.flatMap((plan, index) => {
      const task = this.#witness.taskAt(index);
      if (task === undefined) return [`task ${index} was not started`];
      const isGivenUp = (this.#diary.reopened.get(index) ?? 0) >= 8 && task.status !== "running";
      if (task.status === "cancelled" || this.#diary.settled.has(index) || (isGivenUp && plan.cancelAfterMs === null)) return [];
      return [`task ${index} is ${task.status}`];
    });
  }

  #isOver(): boolean {
    const { saves, edits } = this.#scenario;
    const isEdited = edits.every(({ atMs }) => (atMs ?? 0) < this.#timeline.now);
    return isEdited && this.#diary.tried.size === saves && this.#unfinished().length === 0;
  }

  async #lookBack(): Promise<void> {
    const store = this.#stores[0] as Store;
    const report = await store.admin.verify();
    if (!report.valid) this.#witness.breaks("one chain", report.firstBad?.message ?? "");
    const left = await store.journal.readAll({ after: 0, limit: this.#witness.position + 1 });
    if (left.length !== this.#witness.position)
      this.#witness.breaks("nothing acknowledged is lost", `${this.#witness.position} events were written, ${left.length} are there`);
    lookBack(this.#witness, this.#project, this.#diary);
  }
}

function replaceRejections(seen: (error: unknown) => void): Disposable {
  const before = process.listeners("unhandledRejection");
  process.removeAllListeners("unhandledRejection");
  process.on("unhandledRejection", seen);
  return {
    [Symbol.dispose]: () => {
      process.removeAllListeners("unhandledRejection");
      for (const listener of before) process.on("unhandledRejection", listener);
    },
  };
}

const ID = /([a-z]+)_[0-9a-hjkmnp-tv-z]{26}/gu;

/** Identifiers differ from run to run; which is which does not. */
function namedAlike(trace: readonly string[]): string[] {
  const known = new Map<string, string>();
  return trace.map((line) =>
    line.replaceAll(ID, (id, kind: string) => {
      const name = known.get(id) ?? `${kind}#${known.size}`;
      known.set(id, name);
      return name;
    }),
  );
}

const FIRST: TaskScenario = {
  seed: 0,
  workers: 1,
  tasks: [
    { tree: true, deeds: ["run", "move"], afterwards: "merge_undo", cancelAfterMs: null, pauseAfterMs: null },
    { tree: false, deeds: ["insert"], afterwards: "nothing", cancelAfterMs: 2_000, pauseAfterMs: null },
  ],
  edits: [],
  saves: 1,
  faults: NO_FAULTS,
  model: NO_MODEL_FAULTS,
  steps: 10,
};

let isLoaded = false;

/** A place for simulations. Whatever the product loads on first use is loaded when this returns. */
export async function openTaskLab(): Promise<TaskLab> {
  const lab = await makeTaskLab();
  if (!isLoaded) await simulateTasks(lab, FIRST);
  isLoaded = true;
  return lab;
}

export async function simulateTasks(lab: TaskLab, scenario: TaskScenario, plants: TaskPlants = {}): Promise<Outcome> {
  using project = freshProject(lab);
  return await new TaskSimulation(scenario, plants, { project, tools: lab.tools }).run();
}

export function taskTrial(lab: TaskLab, plants: TaskPlants = {}): Trial<TaskScenario> {
  return { scenarioOf: taskScenarioOf, simulate: (scenario) => simulateTasks(lab, scenario, plants), smaller: smallerTasks };
}
