/** Holds what whole tasks do to files, commands and the journal against the laws of the house. */
import path from "node:path";
import { sha256 } from "../../../src/kernel/index.ts";
import { EVENTS, STREAMS, type JournalEvent } from "../../../src/protocol/events/index.ts";
import type { Place } from "../../../src/protocol/index.ts";
import type { Life, Timeline } from "../timeline.ts";
import { Witness } from "../witness.ts";
import type { Command } from "./children.ts";
import { callOf, doneCall, doneMark, markOf, type SimProject, type ToolCall } from "./sim-project.ts";
import { real, type Change } from "./system-fate.ts";
import type { TaskPlan, TaskScenario } from "./task-scenario.ts";

export interface SeenDeed {
  /** `cut_off`: it may have happened, and the journal says that nobody knows. */
  state: "open" | "done" | "cut_off";
  tries: number;
}

export interface SeenTask {
  readonly id: string;
  readonly index: number;
  readonly plan: TaskPlan;
  /** Where it works. */
  readonly root: string;
  /** The last one is what its check looks for. */
  readonly deeds: SeenDeed[];
  /** Which deed a step was for. */
  readonly wanted: Map<number, number>;
  status: "running" | "complete" | "escalate" | "failed" | "paused" | "cancelled";
  /** When what it is about to change was written down; undefined while nothing is. */
  intended: number | undefined;
  merging: boolean;
  undoing: boolean;
  merged: "no" | "merged" | "undone";
  undone: boolean;
  /** The user was told that it is over. */
  over: boolean;
  steppedSincePause: number | undefined;
  changedAt: number;
  passedAt: number;
}

const MAX_TRIES = 4;
const MAX_TOKENS = 8_000;
const MAX_STEPS_AFTER_PAUSE = 1;
const TEMP = /\.tmp_[0-9a-z]{26}$/u;
const OF_TASK = /^\.?t(\d)/u;
const WORKING = ["task.stepped", "task.intended", "task.acted", "task.verified", "task.decided"];

export class TaskWitness extends Witness {
  readonly tasks = new Map<string, SeenTask>();
  /** Lines the user wrote, by file. */
  readonly userLines: { file: string; line: string }[] = [];
  readonly #touched = new Map<string, number>();
  readonly #scenario: TaskScenario;
  readonly #project: SimProject;
  #tick = 0;

  constructor(timeline: Timeline, scenario: TaskScenario, project: SimProject) {
    super(timeline, "one");
    this.#scenario = scenario;
    this.#project = project;
  }

  taskAt(index: number): SeenTask | undefined {
    return [...this.tasks.values()].find((task) => task.index === index);
  }

  /** What a model that sees everything wants next. */
  next(index: number): ToolCall {
    const task = this.taskAt(index);
    const at = task?.deeds.findIndex(({ state, tries }) => state === "open" && tries < MAX_TRIES) ?? -1;
    const deed = task?.plan.deeds[at];
    if (deed !== undefined) return callOf(index, at, deed);
    return at === -1 ? { name: "complete", input: { summary: "all is done" } } : doneCall(index);
  }

  // --- the world

  #ofFile(life: Life, file: string): SeenTask | undefined {
    const all = [...this.tasks.values()];
    const inTree = all.find(({ plan, root }) => plan.tree && file.startsWith(`${root}${path.sep}`));
    if (inTree !== undefined || path.dirname(file) !== this.#project.dir) return inTree;
    const named = OF_TASK.exec(path.basename(file))?.[1];
    if (named !== undefined) return this.taskAt(Number(named));
    if (!/^\.?shared\.txt/u.test(path.basename(file))) return undefined;
    const own = all.filter(({ id }) => this.owns(life, STREAMS.task(id)));
    if (own.length === 0) this.breaks("only the owner acts", `${file} by ${life.name}`);
    return own.find((task) => this.#mayChange(task)) ?? own[0];
  }

  #mayChange({ intended, merging, undoing }: SeenTask): boolean {
    return intended !== undefined || merging || undoing;
  }

  /** A life changed a file. */
  changed(life: Life, { call, file }: Change): void {
    if (call === "sync" || call === "chmod" || (call === "rm" && TEMP.test(file))) return;
    const task = this.#ofFile(life, file);
    if (task === undefined) return;
    const what = `${call} ${file} by ${life.name}`;
    if (!life.alive) this.breaks("the dead do nothing", what);
    if (task.over) this.breaks("over means over", `${what} after its end was acknowledged`);
    if (!this.owns(life, STREAMS.task(task.id))) this.breaks("only the owner acts", what);
    if (!this.#mayChange(task)) this.breaks("intent before effect", what);
    if (!TEMP.test(file)) task.changedAt = this.#tick += 1;
  }

  ran(life: Life, { line, kind, exitCode }: Command): void {
    const named = / (?:m|done)(\d)x/u.exec(line)?.[1];
    const task = named === undefined ? undefined : this.taskAt(Number(named));
    if (task === undefined || kind === "tool") return;
    this.#tick += 1;
    // A check whose process is gone has nobody to tell, and changes nothing.
    if (task.over && (kind === "command" || life.alive))
      this.breaks("over means over", `${line} of ${life.name} ran after its end was acknowledged`);
    if (kind === "check") task.passedAt = exitCode === 0 ? this.#tick : -1;
    else {
      if (task.intended === undefined) this.breaks("intent before effect", `${line} of ${life.name}`);
      task.changedAt = this.#tick;
    }
  }

  touched(file: string, line: string): void {
    this.userLines.push({ file, line });
    this.#touched.set(file, (this.#tick += 1));
  }

  /** Whatever others do, what the user wrote is there. */
  lookAtUsersLines(): void {
    for (const { file, line } of this.userLines) {
      const place = path.join(this.#project.dir, file);
      const text = real.existsSync(place) ? real.readFileSync(place, "utf8") : "";
      if (!text.includes(`${line}\n`)) this.breaks("the user's edit wins", `${line} is no longer in ${file}`);
    }
  }

  // --- the journal

  protected wrote(life: Life, event: JournalEvent): void {
    if (EVENTS.task.created.is(event)) this.#begins(event.payload);
    const task = this.tasks.get(event.stream);
    if (task === undefined) return;
    const what = `${event.type} of task ${task.index} by ${life.name}`;
    if (WORKING.includes(event.type)) {
      if (task.over) this.breaks("over means over", what);
      if (!EVENTS.task.decided.is(event) && !this.owns(life, event.stream)) this.breaks("only the owner writes", what);
    }
    if (EVENTS.task.stepped.is(event)) this.#stepped(task, event.payload, what);
    else if (EVENTS.task.intended.is(event)) task.intended = this.#tick;
    else if (EVENTS.task.acted.is(event)) this.#acted(task, event.payload, what);
    else if (EVENTS.task.decided.is(event)) this.#decided(task, event.payload, what);
    else this.#byUser(task, event);
  }

  #begins({ id, goal, place }: { id: string; goal: string; place: Place }): void {
    const index = Number(/^task (\d)/u.exec(goal)?.[1]);
    const plan = this.#scenario.tasks[index] as TaskPlan;
    this.tasks.set(STREAMS.task(id), {
      id,
      index,
      plan,
      root: path.resolve(this.#project.dir, place.folder),
      deeds: [...plan.deeds, "insert"].map(() => ({ state: "open", tries: 0 })),
      wanted: new Map(),
      status: "running",
      intended: undefined,
      merging: false,
      undoing: false,
      merged: "no",
      undone: false,
      over: false,
      steppedSincePause: undefined,
      changedAt: 0,
      passedAt: -1,
    });
  }

  #stepped(
    task: SeenTask,
    payload: { step: number; calls: { args?: unknown; name: string }[]; context: { tokens: number } },
    what: string,
  ): void {
    if (payload.context.tokens > MAX_TOKENS) this.breaks("bounded input", `${what}: ${payload.context.tokens} tokens`);
    if (task.wanted.has(payload.step)) this.breaks("each step once", what);
    if (task.steppedSincePause !== undefined && (task.steppedSincePause += 1) > MAX_STEPS_AFTER_PAUSE)
      this.breaks("a pause is obeyed after the step", what);
    const [call] = payload.calls;
    const text = JSON.stringify(call?.args ?? {});
    const at = task.plan.deeds.findIndex((deed, index) => {
      if (deed === "move" || deed === "delete") return call?.name === `${deed}_file`;
      return text.includes(markOf(task.index, index));
    });
    task.wanted.set(payload.step, at === -1 && text.includes(doneMark(task.index)) ? task.plan.deeds.length : at);
  }

  #acted(
    task: SeenTask,
    payload: { step: number; ok: boolean; outcome: string; summary: string; files: readonly { path: string; after: string | null }[] },
    what: string,
  ): void {
    const began = task.intended ?? this.#tick;
    task.intended = undefined;
    const deed = task.deeds[task.wanted.get(payload.step) ?? -1];
    if (deed !== undefined) {
      deed.tries += 1;
      if (deed.state === "done") this.breaks("no effect twice", what);
      if (payload.ok) deed.state = "done";
      else if (payload.outcome === "cut_off" || /interrupted/u.test(payload.summary)) deed.state = "cut_off";
    }
    for (const file of payload.ok ? payload.files : []) {
      const place = path.join(task.root, file.path);
      if ((this.#touched.get(path.relative(this.#project.dir, place)) ?? -1) >= began) continue;
      const now = real.existsSync(place) ? sha256(real.readFileSync(place)) : null;
      if (now !== file.after) this.breaks("no fact before its effect", `${what}: ${file.path}`);
    }
  }

  #decided(task: SeenTask, payload: { decision: string; reason: string; verified?: boolean | undefined }, what: string): void {
    const { decision } = payload;
    this.timeline.note(`task ${task.index}: ${decision}, ${payload.reason}`);
    if (decision === "paused") task.steppedSincePause = undefined;
    task.status = decision === "continue" ? "running" : (decision as SeenTask["status"]);
    if (decision !== "complete" || payload.verified !== true) return;
    if (task.passedAt <= task.changedAt) this.breaks("verified by checks after the last change", what);
  }

  #byUser(task: SeenTask, event: JournalEvent): void {
    if (EVENTS.task.pauseAsked.is(event)) task.steppedSincePause ??= 0;
    else if (EVENTS.task.resumed.is(event)) {
      task.status = "running";
      task.steppedSincePause = undefined;
    } else if (EVENTS.task.answered.is(event)) task.status = "running";
    else if (EVENTS.task.cancelled.is(event)) task.status = "cancelled";
    else if (EVENTS.task.mergeIntended.is(event)) task.merging = true;
    else if (EVENTS.task.merged.is(event)) [task.merging, task.merged] = [false, "merged"];
    else if (EVENTS.task.mergeUndone.is(event)) [task.undoing, task.merged] = [false, "undone"];
    else if (EVENTS.task.undone.is(event)) [task.undoing, task.undone] = [false, true];
    else if (EVENTS.run.effectIntended.is(event) && event.payload.key.startsWith("undo")) task.undoing = true;
  }

  /** A person was told that nothing of this task is done any more. */
  over(task: SeenTask): void {
    if (task.status !== "cancelled") this.breaks("over means over", `task ${task.index} was called over and is ${task.status}`);
    task.over = true;
  }
}
