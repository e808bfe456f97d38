/**
 * Writes usage records behind the call that caused them. A call does not wait for the disk: the
 * journal keeps the order of writes, so whatever the caller appends about the answer comes after the
 * record of what it cost. A record that could not be written fails the next call.
 */
import type { Journal } from "../../journal/index.ts";
import { usageStream } from "./usage-record.ts";
import { EVENTS, SYSTEM, type Payload } from "../../protocol/events/index.ts";

/** More unwritten records than this and calls wait. */
const MAX_UNWRITTEN = 256;

export class UsageLog {
  readonly #journal: Journal | undefined;
  readonly #unwritten = new Set<Promise<void>>();
  #failure: { error: unknown } | undefined;

  constructor(journal: Journal | undefined) {
    this.#journal = journal;
  }

  async write(record: Payload<"model.call_finished">): Promise<void> {
    if (this.#journal === undefined) return;
    this.#throwFailure();
    const writing: Promise<void> = this.#journal
      .append(usageStream(record.session), "any", [
        EVENTS.usage.callFinished.create(record, { actor: SYSTEM.model, correlationId: record.call_id }),
      ])
      .then(
        () => undefined,
        (error: unknown) => {
          this.#failure ??= { error };
        },
      )
      .finally(() => this.#unwritten.delete(writing));
    this.#unwritten.add(writing);
    if (this.#unwritten.size >= MAX_UNWRITTEN) await this.flushed();
  }

  async flushed(): Promise<void> {
    while (this.#unwritten.size > 0) await Promise.all(this.#unwritten);
    this.#throwFailure();
  }

  #throwFailure(): void {
    if (this.#failure === undefined) return;
    const { error } = this.#failure;
    this.#failure = undefined;
    throw error;
  }
}
