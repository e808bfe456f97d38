/**
 * Who goes next (LLM-070…074, CCY-020…025). The user lane first, by priority and age. Then work: by
 * band and priority, fair between sessions of the same class. Every eighth turn belongs to whoever
 * has waited longest, once that is long, so nothing starves.
 */
import { must } from "../../kernel/index.ts";
import type { Lane, Priority } from "../types.ts";
import { Heap } from "./heap.ts";

export interface Ticket {
  lane: Lane;
  priority: Priority;
  session: string;
  pipeline: string | undefined;
  pipelinePriority: number;
  /** When it was first asked for; a repeated call keeps its place. */
  createdAt: number;
  /** Estimated size, for token-per-minute shaping. */
  tokens: number;
  preemptions: number;
}

/** 0 background, 1 pipeline work, 2 planning and coordination. */
function bandOf(ticket: Ticket): 0 | 1 | 2 {
  if (ticket.priority === 20) return 0;
  return ticket.pipeline === undefined ? 2 : 1;
}

/** Higher goes first; ties are settled by fairness and age. */
export function classOf(ticket: Ticket): number {
  return bandOf(ticket) * 1000 + ticket.priority;
}

const AGED_TURN = 8;

interface Queued<T extends Ticket> {
  ticket: T;
  order: number;
}

interface SessionLine<T extends Ticket> {
  heap: Heap<Queued<T>>;
  /** Turns taken, on a clock that starts where the others are (start-time fair queueing). */
  turns: number;
}

export class WaitingRoom<T extends Ticket> {
  readonly #agedMs: number;
  readonly #user = new Heap<Queued<T>>((a, b) =>
    a.ticket.priority === b.ticket.priority ? a.order < b.order : a.ticket.priority > b.ticket.priority,
  );
  readonly #lines = new Map<string, SessionLine<T>>();
  readonly #entries = new Map<T, Queued<T>>();
  #turn = 0;
  #floor = 0;

  constructor(agedMs: number) {
    this.#agedMs = agedMs;
  }

  get size(): number {
    return this.#entries.size;
  }

  has(ticket: T): boolean {
    return this.#entries.has(ticket);
  }

  /** `order` settles equal times; a repeated call hands in its first one. */
  add(ticket: T, order: number): void {
    const entry: Queued<T> = { ticket, order };
    this.#entries.set(ticket, entry);
    if (ticket.lane === "user") {
      this.#user.push(entry);
      return;
    }
    let line = this.#lines.get(ticket.session);
    if (line === undefined) {
      line = { heap: new Heap<Queued<T>>(beforeInSession), turns: this.#floor };
      this.#lines.set(ticket.session, line);
    }
    line.turns = line.heap.size === 0 ? Math.max(line.turns, this.#floor) : line.turns;
    line.heap.push(entry);
  }

  remove(ticket: T): boolean {
    const entry = this.#entries.get(ticket);
    if (entry === undefined) return false;
    this.#entries.delete(ticket);
    if (ticket.lane === "user") return this.#user.remove(entry);
    const line = this.#lines.get(ticket.session);
    const removed = line?.heap.remove(entry) ?? false;
    if (line?.heap.size === 0) this.#lines.delete(ticket.session);
    return removed;
  }

  nextUser(): T | undefined {
    return this.#user.peek()?.ticket;
  }

  /** The next piece of work among sessions that `mayRun`; it stays until taken. */
  nextWork(now: number, mayRun: (session: string) => boolean): T | undefined {
    const open = [...this.#lines]
      .filter(([session]) => mayRun(session))
      .flatMap(([, line]) => (line.heap.peek() === undefined ? [] : [line]));
    if (open.length === 0) return undefined;
    const top = (line: SessionLine<T>): Queued<T> => must(line.heap.peek());
    if (this.#turn % AGED_TURN === AGED_TURN - 1) {
      const oldest = open.reduce((a, b) => (top(a).ticket.createdAt <= top(b).ticket.createdAt ? a : b));
      if (now - top(oldest).ticket.createdAt >= this.#agedMs) return top(oldest).ticket;
    }
    const best = open.reduce((a, b) => {
      const byClass = classOf(top(b).ticket) - classOf(top(a).ticket);
      if (byClass !== 0) return byClass > 0 ? b : a;
      if (a.turns !== b.turns) return a.turns < b.turns ? a : b;
      return top(a).order <= top(b).order ? a : b;
    });
    return top(best).ticket;
  }

  take(ticket: T): void {
    const line = ticket.lane === "user" ? undefined : this.#lines.get(ticket.session);
    if (line !== undefined) {
      this.#turn += 1;
      this.#floor = Math.max(this.#floor, line.turns);
      line.turns += 1;
    }
    this.remove(ticket);
  }

  /** When the oldest waiting piece of work was asked for. */
  oldestWork(): number | undefined {
    let oldest: number | undefined;
    for (const line of this.#lines.values()) {
      const at = line.heap.peek()?.ticket.createdAt;
      if (at !== undefined && (oldest === undefined || at < oldest)) oldest = at;
    }
    return oldest;
  }
}

function beforeInSession<T extends Ticket>(a: Queued<T>, b: Queued<T>): boolean {
  const x = a.ticket;
  const y = b.ticket;
  if (bandOf(x) !== bandOf(y)) return bandOf(x) > bandOf(y);
  if (x.pipelinePriority !== y.pipelinePriority) return x.pipelinePriority > y.pipelinePriority;
  if (x.priority !== y.priority) return x.priority > y.priority;
  return a.order < b.order;
}
