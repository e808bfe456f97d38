/**
 * One durable run as the process that owns it sees it: its state, folded from its stream, and the ways to change
 * it. Every append carries the fence; every effect asks for ownership first. A run's id is its stream.
 */
import { canonicalJson, sha256, SylkError, type Json } from "../../kernel/index.ts";
import { EVENTS, SYSTEM, type JournalEvent, type NewEvent } from "../../protocol/events/index.ts";
import type { Claim, Fence, Journal, View } from "../types.ts";
import { perform, type Effect, type EffectRecord, type Performed, type PlannedEffect } from "./effect.ts";
import type { Ground, Owned } from "./own.ts";
import { runView, type EffectState } from "./run-state.ts";

export interface RunGround extends Ground {
  journal: Journal;
}

const BY = { actor: SYSTEM.engine };

/** Puts a run up under an id of its own; asked twice, it is one run. */
export async function openRun(ground: RunGround, id: string, kind: string, input: Json, parent: string | null): Promise<void> {
  if ((await ground.journal.head(id)) > 0) return;
  await ground.journal.append(id, 0, [EVENTS.run.opened.create({ kind, input, parent }, BY)]);
}

export interface Run<S = unknown> extends Owned {
  readonly id: string;
  readonly state: S;
  /** Appends and folds. */
  append(...events: NewEvent[]): Promise<S>;
  /** An effect whose intent is an event of the run's own kind; the fact is the caller's to append. */
  perform<T, P, D>(record: EffectRecord<P>, effect: PlannedEffect<T, P, D>): Promise<Performed<T, P, D>>;
  /** An effect under a key: done once, however often it is asked for. Its plan and its result are plain data. */
  effect<T extends Json, P extends Json>(key: string, effect: Effect<T, P>): Promise<T>;
  /** Another run for whoever handles its kind; the same kind with the same input is the same run. */
  spawn(kind: string, input: Json): Promise<string>;
  /** The last event and the end of the ownership, in one. */
  finish(result: Json): Promise<void>;
}

export class OwnedRun<S> implements Run<S> {
  readonly id: string;
  readonly #ground: RunGround;
  readonly #handler: RunParts<S>["handler"];
  readonly #owned: Owned;
  readonly #stop = new AbortController();
  #stopped: "ended" | "anew" | undefined;
  #isLetGo = false;
  readonly signal: AbortSignal;
  readonly #claim: Claim;
  readonly #heard: ((events: JournalEvent[], state: S) => void) | undefined;
  #state: S;
  readonly #turn: number | undefined;
  /** Sequence up to which the state is folded; unknown until this process wrote something. */
  #seq: number | undefined;
  /** The last append that was begun. */
  #writing: Promise<unknown> = Promise.resolve();

  private constructor(parts: RunParts<S>, state: S) {
    this.id = parts.claim.key;
    this.#ground = parts.ground;
    this.#handler = parts.handler;
    this.#owned = parts.owned;
    this.#claim = parts.claim;
    this.#heard = parts.heard;
    this.#state = state;
    this.#turn = parts.handler.turn?.(state);
    this.signal = AbortSignal.any([parts.owned.signal, this.#stop.signal]);
  }

  static async load<S>(parts: RunParts<S>): Promise<OwnedRun<S>> {
    const state = (await parts.ground.journal.get(parts.handler.view, parts.claim.key)) ?? parts.handler.fresh;
    if (state === undefined)
      throw new SylkError({ code: "RUN_NOT_FOUND", tier: "permanent", message: `nothing is known of ${parts.claim.key}` });
    return new OwnedRun(parts, state);
  }

  get state(): S {
    return this.#state;
  }

  get fence(): Fence {
    return this.#owned.fence;
  }

  /** While it was under way a user ended it, or it is to be taken up anew. */
  get stopped(): "ended" | "anew" | undefined {
    return this.#stopped;
  }

  /** Whoever still works on it was waited for long enough. */
  letGo(): void {
    this.#isLetGo = true;
  }

  /** Also asks whether somebody ended the run meanwhile. Ownership comes last: nothing is waited for between its answer and the deed. */
  async mustOwn(): Promise<void> {
    await this.look();
    this.signal.throwIfAborted();
    await this.#owned.mustOwn();
  }

  /** Aborts the run's signal when what others wrote ends it. Its own state is left to whoever advances it. */
  async look(): Promise<void> {
    const { mayGoOn, turn, view } = this.#handler;
    // What this run wrote itself is folded when its append returns.
    await this.#writing;
    if (
      (mayGoOn === undefined && turn === undefined) ||
      this.#stopped !== undefined ||
      (await this.#ground.journal.head(this.id)) === this.#seq
    )
      return;
    const now = await this.#ground.journal.get(view, this.id);
    if (now !== undefined) this.#judge(now);
  }

  #judge(now: S): void {
    if (this.#stopped !== undefined) return;
    if (this.#handler.mayGoOn?.(now) === false) this.#stopped = "ended";
    else if (this.#handler.turn?.(now) !== this.#turn) this.#stopped = "anew";
    if (this.#stopped !== undefined) this.#stop.abort(stopped(this.id, this.#stopped));
  }

  /** Takes in what others wrote; only between two pieces of the run's way. */
  async refresh(): Promise<void> {
    const { journal } = this.#ground;
    const seq = await journal.head(this.id);
    if (seq === this.#seq) return;
    this.#state = (await journal.get(this.#handler.view, this.id)) ?? this.#state;
    this.#seq = seq;
    this.#judge(this.#state);
  }

  append(...events: NewEvent[]): Promise<S> {
    const written = this.#append(events);
    this.#writing = written.catch(() => undefined);
    return written;
  }

  /** Only when someone else wrote in between is the state read again. */
  async #append(events: readonly NewEvent[]): Promise<S> {
    const { journal } = this.#ground;
    const { view, fresh } = this.#handler;
    if (this.#isLetGo) throw this.signal.reason;
    const written = await journal.append(this.id, "any", events, this.fence);
    const first = written[0]?.seq ?? 0;
    this.#state =
      this.#seq !== undefined && first === this.#seq + 1
        ? written.reduce((now, event) => view.reduce(now, event, this.id) as S, this.#state)
        : (((await journal.get(view, this.id)) ?? fresh) as S);
    this.#seq = written.at(-1)?.seq;
    this.#judge(this.#state);
    this.#heard?.(written, this.#state);
    return this.#state;
  }

  perform<T, P, D>(record: EffectRecord<P>, effect: PlannedEffect<T, P, D>): Promise<Performed<T, P, D>> {
    return perform(this, record, effect);
  }

  async effect<T extends Json, P extends Json>(key: string, effect: Effect<T, P>): Promise<T> {
    const known: EffectState | undefined = (await this.#ground.journal.get(runView, this.id))?.effects[key];
    if (known?.kind === "done") return known.result as T;
    if (known?.kind === "unknown") throw unknownEffect(this.id, key);
    const pending = known?.kind === "intended" ? (known.plan as P) : undefined;
    const intend = async (plan: P): Promise<void> => void (await this.append(EVENTS.run.effectIntended.create({ key, plan }, BY)));
    const plan = async (): Promise<{ plan: P }> => ({ plan: await effect.plan() });
    const done = await perform<T, P, never>(this, { pending, intend }, { ...effect, plan });
    if (done.kind !== "done") {
      await this.append(EVENTS.run.effectUnknown.create({ key }, BY));
      throw unknownEffect(this.id, key);
    }
    await this.append(EVENTS.run.effectDone.create({ key, result: done.value }, BY));
    return done.value;
  }

  async spawn(kind: string, input: Json): Promise<string> {
    const id = `${kind}/${sha256(`${this.id}\0${kind}\0${canonicalJson(input)}`).slice(0, 24)}`;
    await this.mustOwn();
    await openRun(this.#ground, id, kind, input, this.id);
    if ((await this.#ground.journal.get(runView, id))?.finished === undefined) await this.#ground.work.offer([{ key: id, kind }]);
    return id;
  }

  async finish(result: Json): Promise<void> {
    const told = await this.#ground.work.finish(this.#claim, this.id, "any", [EVENTS.run.finished.create({ result }, BY)]);
    if (!told) await this.mustOwn();
  }
}

interface RunParts<S> {
  ground: RunGround;
  handler: { view: View<S>; fresh?: S; mayGoOn?: (state: S) => boolean; turn?: (state: S) => number };
  owned: Owned;
  claim: Claim;
  heard?: ((events: JournalEvent[], state: S) => void) | undefined;
}

function stopped(id: string, how: "ended" | "anew"): SylkError {
  const why = how === "ended" ? "was ended by a person; nothing more is done" : "was stopped and is taken up anew";
  return new SylkError({ code: "RUN_STOPPED", tier: "permanent", message: `${id} ${why}` });
}

function unknownEffect(id: string, key: string): SylkError {
  return new SylkError({
    code: "RUN_EFFECT_UNKNOWN",
    tier: "user_fixable",
    message: `${id}: it cannot be told whether "${key}" happened before a process died; it is not done again`,
    fix: "look at what is there, then start it anew",
  });
}
