/** Holds what runs, their effects and their questions do against the laws. */
import { EVENTS, type JournalEvent } from "../../src/protocol/events/index.ts";
import type { QuestionAnswer } from "../../src/protocol/index.ts";
import type { Part } from "./scenario.ts";
import { simEvents } from "./sim-run.ts";
import type { Life, Timeline } from "./timeline.ts";
import { Witness } from "./witness.ts";
import type { World } from "./world.ts";

interface SeenRun {
  parts: Part[];
  done: number;
  intended: Set<string>;
  told: Set<string>;
  finished: boolean;
  cancelled: boolean;
  /** The person was told that it is over. */
  over: boolean;
}

const RUN = "sim/";
const QUESTION = "question/";

export class RunWitness extends Witness {
  readonly runs = new Map<string, SeenRun>();
  /** Runs somebody was told are under way. */
  readonly promised = new Set<string>();
  readonly #world: World;

  constructor(timeline: Timeline, world: World, machines: "one" | "many") {
    super(timeline, machines);
    this.#world = world;
  }

  // --- the world

  acts(life: Life, run: string, key: string, epoch: number): void {
    const seen = this.runs.get(run);
    const what = `${key} of ${run} by ${life.name}`;
    if (!life.alive) this.breaks("the dead do nothing", what);
    if (!this.owns(life, run, epoch)) this.breaks("only the owner acts", what);
    if (seen?.intended.has(key) !== true) this.breaks("intent before effect", what);
    if (seen?.over === true) this.breaks("over means over", `${what} after its end was acknowledged`);
    if (this.#world.applied(run, key) > 0) this.breaks("no effect twice", what);
  }

  // --- the journal

  protected wrote(life: Life, event: JournalEvent): void {
    if (event.stream.startsWith(RUN)) this.#ofRun(life, event);
    if (event.stream.startsWith(QUESTION)) this.#ofQuestion(event);
  }

  #ofRun(life: Life, event: JournalEvent): void {
    if (EVENTS.run.opened.is(event)) {
      if (this.runs.has(event.stream)) this.breaks("a run begins once", event.stream);
      this.runs.set(event.stream, {
        parts: (event.payload.input as unknown as { parts: Part[] }).parts,
        done: 0,
        intended: new Set(),
        told: new Set(),
        finished: false,
        cancelled: false,
        over: false,
      });
      return;
    }
    const run = this.runs.get(event.stream) as SeenRun;
    const what = `${event.type} of ${event.stream} by ${life.name}`;
    if (simEvents.cancelled.is(event)) {
      run.cancelled = true;
      return;
    }
    if (!this.owns(life, event.stream)) this.breaks("only the owner writes", what);
    if (run.finished || run.over) this.breaks("over means over", what);
    if (EVENTS.run.effectIntended.is(event)) {
      if (run.intended.has(event.payload.key)) this.breaks("intended once", what);
      run.intended.add(event.payload.key);
    } else if (EVENTS.run.effectDone.is(event)) {
      run.told.add(event.payload.key);
      if (!this.#world.isKept(event.stream, event.payload.key)) this.breaks("no fact before its effect", what);
    } else if (EVENTS.run.effectUnknown.is(event)) {
      run.told.add(event.payload.key);
      if (!event.payload.key.startsWith("silent")) this.breaks("unknown only what cannot be known", what);
    } else if (simEvents.partDone.is(event)) this.#partDone(run, event.stream, event.payload, what);
    else if (EVENTS.run.finished.is(event)) {
      run.finished = true;
      if (run.done !== run.parts.length || run.told.size !== run.intended.size) this.breaks("nothing is left out", what);
    }
  }

  #partDone(run: SeenRun, id: string, { part, answer }: { part: number; answer: string | null }, what: string): void {
    if (part !== run.done) this.breaks("each part once, in order", `${what}: part ${part} after ${run.done}`);
    const plan = run.parts[part];
    run.done = part + 1;
    if (plan?.do === "effect" && !run.told.has(`${plan.flavour}${part}`)) this.breaks("nothing is left out", what);
    if (plan?.do === "spawn" && answer !== null && this.runs.get(answer)?.finished !== true) this.breaks("waited for", what);
    if (plan?.do === "ask" && !this.#answers(id, part).includes(answer)) this.breaks("the answer is the answer", what);
  }

  /** Every answer that questions of a part of a run ended with. */
  #answers(id: string, part: number): (string | null)[] {
    const streams = new Map<string, string | null>();
    const asked = this.events.filter((event) => EVENTS.question.asked.is(event) && event.stream.startsWith(`${QUESTION}${id}/`));
    for (const { stream, payload } of asked) {
      if ((payload as { message: string }).message !== `part ${part}?`) continue;
      const end = this.events.find((event) => event.stream === stream && event.seq === 2);
      if (end !== undefined) streams.set(stream, EVENTS.question.answered.is(end) ? wordsOf(end.payload.answer) : null);
    }
    return [...streams.values()];
  }

  #ofQuestion(event: JournalEvent): void {
    if (event.seq > 2) this.breaks("a question ends once", event.stream);
    if ((event.seq === 1) !== EVENTS.question.asked.is(event)) this.breaks("a question ends once", event.stream);
    if (EVENTS.question.expired.is(event)) {
      const asked = this.events.find(({ stream, seq }) => stream === event.stream && seq === 1);
      const deadlineMs = asked !== undefined && EVENTS.question.asked.is(asked) ? asked.payload.deadline_ms : null;
      if (deadlineMs === null || (asked?.at ?? 0) + deadlineMs > this.timeline.highestWall)
        this.breaks("a deadline is kept", `${event.stream} expired early`);
    }
  }

  // --- what people and lives are told

  /** A person was told that this answer counts. */
  taken(stream: string, words: string): void {
    const end = this.events.find((event) => event.stream === stream && event.seq === 2);
    if (end === undefined || !EVENTS.question.answered.is(end) || wordsOf(end.payload.answer) !== words)
      this.breaks("a question ends once", `${stream}: "${words}" was taken, and something else counts`);
  }

  /** A person was told that nothing of this run is done any more. */
  over(run: string): void {
    const seen = this.runs.get(run);
    if (seen === undefined || (!seen.cancelled && !seen.finished)) this.breaks("over means over", `${run} was called over and is not`);
    else seen.over = true;
  }

  /** Runs that were promised and have not come to an end. */
  unfinished(): string[] {
    return [...this.runs].flatMap(([id, run]) => (this.promised.has(id) && !run.finished && !run.cancelled ? [id] : []));
  }
}

function wordsOf(answer: QuestionAnswer): string {
  return answer.kind === "said" ? answer.text : "";
}
