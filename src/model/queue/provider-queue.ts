/**
 * The line in front of one provider: who waits, who runs, who must step aside. Dispatch never waits
 * for a call to finish. A slot is free the moment its call is stopped, whatever the socket does.
 */
import { SylkError, type Clock } from "../../kernel/index.ts";
import type { ProviderLimits } from "../limits/provider-limits.ts";
import { classOf, WaitingRoom, type Ticket } from "./waiting-room.ts";

export interface Slot {
  /** Aborts with a `Preempted` reason when a user needs the place. */
  readonly signal: AbortSignal;
  /** Time spent in line. */
  readonly waitedMs: number;
  /** Share of the expected answer already there, 0 to 1. */
  progress: number;
  release(): void;
}

/** Not an error: the call is put back in line and made again. */
export class Preempted extends Error {
  constructor() {
    super("a user's request took the place");
    this.name = "AbortError";
  }
}

export interface QueueOptions {
  provider: string;
  clock: Clock;
  limits: ProviderLimits;
  maxConcurrent: number;
  perSessionMax: number;
  /** Places only a user's request may take. */
  reservedForUsers: number;
  preemption: boolean;
  maxPreemptions: number;
  agedMs: number;
  maxWaiting: number;
  starvingMs: number;
  onStarving: (provider: string, waitedMs: number) => void;
}

interface Waiter extends Ticket {
  resolve: (slot: Slot) => void;
}

interface Active {
  ticket: Ticket;
  startedAt: number;
  order: number;
  slot: Slot;
  stop: AbortController;
}

/** A call past this share of its answer is spared while another can step aside. */
const SPARE_PROGRESS = 0.5;

export class ProviderQueue {
  readonly #options: QueueOptions;
  readonly #room: WaitingRoom<Waiter>;
  readonly #active = new Set<Active>();
  readonly #perSession = new Map<string, number>();
  readonly #closed = new AbortController();
  #userActive = 0;
  #order = 0;
  #wakeAt = Number.POSITIVE_INFINITY;
  #warnedAt = -Infinity;

  constructor(options: QueueOptions) {
    this.#options = options;
    this.#room = new WaitingRoom(options.agedMs);
  }

  get waiting(): number {
    return this.#room.size;
  }

  get running(): number {
    return this.#active.size;
  }

  get oldestWorkMs(): number {
    const oldest = this.#room.oldestWork();
    return oldest === undefined ? 0 : this.#options.clock.now() - oldest;
  }

  /** Its place in line among equal times; a repeated call passes the one it was first given. */
  nextOrder(): number {
    this.#order += 1;
    return this.#order;
  }

  /** Waits for a place. Rejects with the signal's reason, or when the line is full or closed. */
  async acquire(ticket: Ticket, order: number, signal: AbortSignal): Promise<Slot> {
    await this.#options.limits.refresh();
    signal.throwIfAborted();
    this.#closed.signal.throwIfAborted();
    if (ticket.lane !== "user" && this.#room.size >= this.#options.maxWaiting) {
      throw new SylkError({
        code: "MODEL_QUEUE_FULL",
        tier: "transient",
        message: `${this.#options.maxWaiting} requests are already waiting for ${this.#options.provider}`,
      });
    }
    return new Promise<Slot>((resolve, reject) => {
      const waiter: Waiter = { ...ticket, resolve };
      this.#room.add(waiter, order);
      this.#pump();
      if (ticket.lane === "user") this.#preemptFor(waiter);
      // Most have their place by now; only who waits needs to hear that there is nothing to wait for any more.
      if (!this.#room.has(waiter)) return;
      const any = AbortSignal.any([signal, this.#closed.signal]);
      const leave = (): void => {
        if (this.#room.remove(waiter)) reject(any.reason as Error);
      };
      waiter.resolve = (slot) => {
        any.removeEventListener("abort", leave);
        resolve(slot);
      };
      any.addEventListener("abort", leave, { once: true });
    });
  }

  close(reason: SylkError): void {
    this.#closed.abort(reason);
  }

  /** Starts everyone who may start now. */
  #pump(): void {
    for (;;) {
      const next = this.#next();
      if (next === undefined) break;
      const gap = this.#options.limits.gap(next.tokens);
      if (gap.kind === "wait") {
        this.#wake(gap.untilMs);
        break;
      }
      this.#start(next);
    }
    this.#warnIfStarving();
  }

  #next(): Waiter | undefined {
    const { limits, maxConcurrent, reservedForUsers, perSessionMax } = this.#options;
    if (this.#active.size >= maxConcurrent) return undefined;
    const user = this.#room.nextUser();
    if (user !== undefined) return user;
    // A provider that has just recovered is given work little by little; users do not wait for that.
    if (this.#active.size >= limits.rampLimit) return undefined;
    const work = this.#active.size - this.#userActive;
    if (work >= Math.max(1, maxConcurrent - reservedForUsers)) return undefined;
    return this.#room.nextWork(this.#options.clock.now(), (session) => (this.#perSession.get(session) ?? 0) < perSessionMax);
  }

  #start(waiter: Waiter): void {
    const { clock, limits } = this.#options;
    this.#room.take(waiter);
    limits.started(waiter.tokens);
    const stop = new AbortController();
    const now = clock.now();
    const active: Active = {
      ticket: waiter,
      startedAt: now,
      order: this.nextOrder(),
      stop,
      slot: { signal: stop.signal, waitedMs: now - waiter.createdAt, progress: 0, release: () => this.#release(active) },
    };
    this.#active.add(active);
    this.#count(waiter, 1);
    waiter.resolve(active.slot);
  }

  #count(ticket: Ticket, by: 1 | -1): void {
    if (ticket.lane === "user") {
      this.#userActive += by;
      return;
    }
    const left = (this.#perSession.get(ticket.session) ?? 0) + by;
    if (left === 0) this.#perSession.delete(ticket.session);
    else this.#perSession.set(ticket.session, left);
  }

  #release(active: Active): void {
    if (!this.#active.delete(active)) return;
    this.#count(active.ticket, -1);
    this.#pump();
  }

  /** CCY-023: only when it still waits because all places are taken, one victim per request. */
  #preemptFor(waiter: Waiter): void {
    const { preemption, limits, maxConcurrent } = this.#options;
    if (!preemption || !this.#room.has(waiter)) return;
    if (this.#active.size < maxConcurrent || limits.gap(waiter.tokens).kind === "wait") return;
    const victim = this.#victim();
    if (victim === undefined) return;
    victim.stop.abort(new Preempted());
    this.#release(victim);
  }

  #victim(): Active | undefined {
    const { maxPreemptions } = this.#options;
    const candidates = [...this.#active].filter((one) => one.ticket.lane !== "user" && one.ticket.preemptions < maxPreemptions);
    const early = candidates.filter((one) => one.slot.progress < SPARE_PROGRESS);
    const pool = early.length > 0 ? early : candidates;
    return pool.reduce<Active | undefined>((worst, one) => {
      if (worst === undefined) return one;
      const byClass = classOf(one.ticket) - classOf(worst.ticket);
      if (byClass !== 0) return byClass < 0 ? one : worst;
      if (one.ticket.pipelinePriority !== worst.ticket.pipelinePriority)
        return one.ticket.pipelinePriority < worst.ticket.pipelinePriority ? one : worst;
      return one.order > worst.order ? one : worst;
    }, undefined);
  }

  /** One timer at a time; a pause ends by it and not by somebody asking. */
  #wake(at: number): void {
    const { clock, limits } = this.#options;
    if (at >= this.#wakeAt) return;
    this.#wakeAt = at;
    clock.sleep(Math.max(0, at - clock.now()), this.#closed.signal).then(
      () => {
        if (this.#wakeAt !== at) return;
        this.#wakeAt = Number.POSITIVE_INFINITY;
        limits.resumed();
        this.#pump();
      },
      () => undefined,
    );
  }

  #warnIfStarving(): void {
    const { clock, starvingMs, onStarving, provider } = this.#options;
    const waited = this.oldestWorkMs;
    if (waited < starvingMs || clock.now() - this.#warnedAt < starvingMs) return;
    this.#warnedAt = clock.now();
    onStarving(provider, waited);
  }
}
