/**
 * A bounded buffer between the one call that produces parts and the one reader. A full buffer makes
 * the producer wait; a reader that leaves early stops the producer.
 */
import { must } from "../../kernel/index.ts";
export class PartChannel<Part> implements AsyncIterable<Part> {
  readonly #capacity: number;
  readonly #onAbandon: () => void;
  #items: Part[] = [];
  #head = 0;
  #closed = false;
  #reading = false;
  #discarding = false;
  #wakeReader: (() => void) | undefined;
  #wakeWriter: (() => void) | undefined;
  /** How often the producer had to wait for the reader. */
  backpressureEvents = 0;

  constructor(capacity: number, onAbandon: () => void) {
    this.#capacity = capacity;
    this.#onAbandon = onAbandon;
  }

  get #length(): number {
    return this.#items.length - this.#head;
  }

  /** Resolves when there is room again; undefined when there is room now. */
  push(part: Part, signal: AbortSignal): Promise<void> | undefined {
    if (this.#closed || this.#discarding) return undefined;
    this.#items.push(part);
    this.#wakeReader?.();
    if (this.#length < this.#capacity || signal.aborted) return undefined;
    this.backpressureEvents += 1;
    return new Promise((resolve) => {
      const go = (): void => {
        signal.removeEventListener("abort", go);
        this.#wakeWriter = undefined;
        resolve();
      };
      this.#wakeWriter = go;
      signal.addEventListener("abort", go, { once: true });
    });
  }

  close(): void {
    this.#closed = true;
    this.#wakeReader?.();
    this.#wakeWriter?.();
  }

  /** Nobody is reading: drop parts instead of holding the producer up. */
  drain(): void {
    if (this.#reading) return;
    this.#discarding = true;
    this.#items = [];
    this.#head = 0;
    this.#wakeWriter?.();
  }

  async *[Symbol.asyncIterator](): AsyncIterator<Part> {
    this.#reading = true;
    this.#discarding = false;
    let finished = false;
    try {
      for (;;) {
        while (this.#length > 0) {
          const part = must(this.#items[this.#head]);
          this.#head += 1;
          if (this.#head > 64) {
            this.#items = this.#items.slice(this.#head);
            this.#head = 0;
          }
          if (this.#length < this.#capacity) this.#wakeWriter?.();
          yield part;
        }
        if (this.#closed) {
          finished = true;
          return;
        }
        await new Promise<void>((resolve) => {
          this.#wakeReader = resolve;
        });
        this.#wakeReader = undefined;
      }
    } finally {
      this.#reading = false;
      if (!finished && !this.#closed) {
        this.#onAbandon();
        this.drain();
      }
    }
  }
}
