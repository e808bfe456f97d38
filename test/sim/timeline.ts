/**
 * The one thread of a simulation. Whatever a life would wait for (the store, time, the world) stands here as a step,
 * not before its instant; one is drawn at a time by the seed, and everything that follows from it without waiting
 * happens before the next is drawn. A dead life's steps are gone, a paused one's are not drawn.
 */
import type { Clock } from "../../src/kernel/index.ts";
import { pick, type Random } from "../fuzz/random.ts";

/** One process from its start to its end. */
export interface Life {
  readonly name: string;
  /** As it names itself to the store. */
  readonly holder: string;
  alive: boolean;
  pausedUntil: number;
}

interface Step {
  life: Life;
  what: string;
  at: number;
  run: () => void | Promise<void>;
}

/** What is due later than this after everything that waits is due is not worth a jump of its own. */
const STEP_MS = 3;
const START_MS = 1_800_000_000_000;

const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

export class Timeline {
  readonly trace: string[] = [];
  /** Time that never goes back; the wall clock may. */
  now = 0;
  wallJump = 0;
  /** The latest that anybody has seen the wall clock show. */
  highestWall = 0;
  drawn = 0;
  #steps: Step[] = [];
  readonly #random: Random;
  readonly #isQuiet: () => boolean;

  /** `isQuiet`: false while something follows from a step that is not done yet. */
  constructor(random: Random, isQuiet: () => boolean = () => true) {
    this.#random = random;
    this.#isQuiet = isQuiet;
  }

  get wall(): number {
    const wall = Math.floor(START_MS + this.now + this.wallJump);
    this.highestWall = Math.max(this.highestWall, wall);
    return wall;
  }

  add(life: Life, what: string, afterMs: number, run: Step["run"]): Step {
    const step = { life, what, at: this.now + afterMs, run };
    if (life.alive) this.#steps.push(step);
    return step;
  }

  drop(step: Step): void {
    this.#steps = this.#steps.filter((other) => other !== step);
  }

  kill(life: Life): void {
    life.alive = false;
    this.#steps = this.#steps.filter((step) => step.life !== life);
  }

  /** Takes other steps of a life out of the line, to be done with the one that was drawn. */
  take(life: Life, isWanted: (what: string) => boolean): Step["run"][] {
    const taken = this.#steps.filter((step) => step.life === life && step.at <= this.now && isWanted(step.what));
    this.#steps = this.#steps.filter((step) => !taken.includes(step));
    return taken.map(({ run }) => run);
  }

  note(text: string): void {
    this.trace.push(`${Math.round(this.now)} ${text}`);
  }

  /** Draws one step and lets all that follows from it happen. False: nothing waits for anything. */
  async next(): Promise<boolean> {
    if (this.#steps.length === 0) return false;
    const dueAt = (step: Step): number => Math.max(step.at, step.life.pausedUntil);
    let due = this.#steps.filter((step) => dueAt(step) <= this.now);
    if (due.length === 0) {
      this.now = Math.min(...this.#steps.map(dueAt));
      due = this.#steps.filter((step) => dueAt(step) <= this.now);
    }
    const step = pick(this.#random, due);
    this.#steps.splice(this.#steps.indexOf(step), 1);
    this.now += this.#random() * STEP_MS;
    this.drawn += 1;
    this.note(`${step.life.name} ${step.what}`);
    await step.run();
    do await settled();
    while (!this.#isQuiet());
    return true;
  }

  /** Time as a life sees it. */
  clockOf(life: Life): Clock {
    return {
      now: () => this.wall,
      monotonic: () => this.now,
      sleep: (ms, signal) =>
        new Promise((resolve, reject) => {
          if (signal?.aborted === true) {
            reject(signal.reason as Error);
            return;
          }
          const onAbort = (): void => {
            this.drop(step);
            reject(signal?.reason as Error);
          };
          const step = this.add(life, "wakes", ms, () => {
            signal?.removeEventListener("abort", onAbort);
            resolve();
          });
          signal?.addEventListener("abort", onAbort, { once: true });
        }),
    };
  }
}
