/**
 * The one path by which this process writes. Jobs that arrive together share a transaction (one
 * fsync); each stands or falls alone by its savepoint. A job's promise settles only after commit.
 */
import type { DatabaseSync } from "node:sqlite";
import { yieldToLoop, SylkError, type Clock, must } from "../../kernel/index.ts";
import { whileBusy } from "./database.ts";
import { isBusy, storeError } from "./sqlite-errors.ts";

interface Job {
  run: () => unknown;
  resolve: (value: unknown) => void;
  reject: (error: unknown) => void;
}

export interface WriterOptions {
  clock: Clock;
  busyTimeoutMs: number;
  path: string;
  /** Told of a listener that failed. */
  onTrouble: (error: unknown) => void;
  /** Asked before every transaction; throws when the file is no longer at its path. */
  mustStand: () => void;
}

type Result = { ok: true; value: unknown } | { ok: false; error: unknown };

/** Bounds how long one shared transaction keeps others out. */
const MAX_JOBS_PER_COMMIT = 256;
const MAX_COMMIT_MS = 10;
const MAX_QUEUED_JOBS = 100_000;
const TOLD_AT_ONCE = 16;
/** How long a write without hurry waits for another to go with. */
const MAX_WAIT_MS = 20;

export class Writer {
  private readonly queue: Job[] = [];
  private draining: Promise<void> | undefined;
  private waiting: Promise<void> | undefined;
  private closed = false;
  private refusal: SylkError | undefined;
  private readonly afterCommit: (() => void)[] = [];
  /** What follows from the jobs of the open transaction, in their order. */
  private readonly due: (() => void)[] = [];
  private readonly db: DatabaseSync;
  private readonly options: WriterOptions;

  constructor(db: DatabaseSync, options: WriterOptions) {
    this.db = db;
    this.options = options;
  }

  /** Called after every commit, outside the transaction. A listener that fails harms nobody else. */
  onCommit(listener: () => void): void {
    this.afterCommit.push(listener);
  }

  /** Said inside a job: done once the job is committed, before the listeners hear of it, and never when it is not. */
  whenCommitted(effect: () => void): void {
    this.due.push(effect);
  }

  /** From now on whoever wants to write is told this instead. */
  refuse(refusal: SylkError | undefined): void {
    this.refusal = refusal;
  }

  /** Runs `work` inside a write transaction; `work` must not await. Without hurry it goes with the next that has. */
  run<T>(work: () => T, hurry = true): Promise<T> {
    return this.refusal === undefined ? this.derive(work, hurry) : Promise.reject(this.refusal);
  }

  /** The same for what only follows from what is there, so that a journal nobody may write to can still be read. */
  derive<T>(work: () => T, hurry = true): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      if (this.closed || this.queue.length >= MAX_QUEUED_JOBS) {
        reject(
          new SylkError({
            code: this.closed ? "STORE_CLOSED" : "STORE_OVERLOADED",
            tier: this.closed ? "permanent" : "transient",
            message: `${this.options.path}: ${this.closed ? "the store is closed" : "too many writes are waiting"}`,
          }),
        );
        return;
      }
      this.queue.push({ run: work, resolve: resolve as (value: unknown) => void, reject });
      if (hurry) this.start();
      else if (this.draining === undefined) this.waiting ??= this.options.clock.sleep(MAX_WAIT_MS).then(() => this.start());
    });
  }

  private start(): void {
    this.waiting = undefined;
    if (this.queue.length > 0) this.draining ??= yieldToLoop().then(() => this.drain());
  }

  /** Waits for queued writes and refuses new ones. */
  async close(): Promise<void> {
    this.closed = true;
    this.start();
    while (this.draining !== undefined) await this.draining;
  }

  private async drain(): Promise<void> {
    try {
      while (this.queue.length > 0) {
        const jobs: Job[] = [];
        let results: Result[];
        try {
          results = await whileBusy(this.options, () => this.commit(jobs));
        } catch (error) {
          // When not even the beginning worked, whoever waits must hear of it.
          if (jobs.length === 0) jobs.push(...this.queue.splice(0, MAX_JOBS_PER_COMMIT));
          for (const job of jobs) job.reject(error);
          continue;
        }
        this.tellListeners();
        for (const [index, result] of results.entries()) {
          // Whoever waited goes on at once; many of them must not hold up everybody else.
          if (index > 0 && index % TOLD_AT_ONCE === 0) await yieldToLoop();
          const job = must(jobs[index]);
          if (result.ok) job.resolve(result.value);
          else job.reject(storeError(result.error, this.options.path));
        }
        if (this.queue.length > 0) await yieldToLoop();
      }
    } finally {
      this.draining = undefined;
    }
  }

  /** What was committed stays committed, and whoever waits is told so, whatever a listener does. */
  private tellListeners(): void {
    for (const listener of [...this.due.splice(0), ...this.afterCommit]) {
      try {
        listener();
      } catch (error) {
        this.options.onTrouble(error);
      }
    }
  }

  /** Takes jobs from the queue into `jobs` as long as the transaction stays short. */
  private commit(jobs: Job[]): Result[] {
    this.options.mustStand();
    this.db.exec("BEGIN IMMEDIATE");
    try {
      const results: Result[] = [];
      const alone = this.queue.length === 1;
      const start = this.options.clock.monotonic();
      while (
        this.queue.length > 0 &&
        jobs.length < MAX_JOBS_PER_COMMIT &&
        (jobs.length === 0 || this.options.clock.monotonic() - start < MAX_COMMIT_MS)
      ) {
        const job = must(this.queue.shift());
        jobs.push(job);
        results.push(alone ? { ok: true, value: job.run() } : this.guarded(job));
      }
      this.db.exec("COMMIT");
      return results;
    } catch (error) {
      this.due.length = 0;
      if (this.db.isTransaction) this.db.exec("ROLLBACK");
      if (jobs.length === 1 && !isBusy(error)) return [{ ok: false, error }];
      // Nothing of this happened; a retry takes them again, in the same order.
      if (isBusy(error)) this.queue.unshift(...jobs.splice(0));
      throw error;
    }
  }

  private guarded(job: Job): Result {
    this.db.exec("SAVEPOINT job");
    const before = this.due.length;
    try {
      const value = job.run();
      this.db.exec("RELEASE job");
      return { ok: true, value };
    } catch (error) {
      // A full or failing disk may have ended the transaction itself; then everyone fails.
      if (!this.db.isTransaction || isBusy(error)) throw error;
      this.due.length = before;
      this.db.exec("ROLLBACK TO job; RELEASE job");
      return { ok: false, error };
    }
  }
}
