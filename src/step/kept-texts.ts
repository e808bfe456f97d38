/**
 * A task's texts on their way to the store. What a step produces is written together with the event
 * that names it, in one transaction; what the next step needs again is still at hand.
 */
import { must } from "../kernel/index.ts";
import type { BlobRef, Blobs } from "../journal/index.ts";

/** Larger data is compressed by another thread, so it must be under way before the event. */
const LARGE_BYTES = 96 * 1024;
const REMEMBERED = 24;

export class KeptTexts implements Blobs {
  readonly #store: Blobs;
  #pending = new Map<BlobRef, string | Uint8Array>();
  readonly #recent = new Map<BlobRef, string | Uint8Array>();

  constructor(store: Blobs) {
    this.#store = store;
  }

  ref(data: string | Uint8Array): BlobRef {
    return this.#store.ref(data);
  }

  put(data: string | Uint8Array): Promise<BlobRef> {
    const ref = this.#store.ref(data);
    this.#pending.set(ref, data);
    return Promise.resolve(ref);
  }

  async get(ref: BlobRef): Promise<Uint8Array> {
    const known = await this.#find(ref);
    return typeof known === "string" ? Buffer.from(known) : known;
  }

  /** The same as text, which is not decoded again while it is at hand. */
  async text(ref: BlobRef): Promise<string> {
    const known = await this.#find(ref);
    const text = typeof known === "string" ? known : Buffer.from(known).toString("utf8");
    this.#remember(ref, text);
    return text;
  }

  async #find(ref: BlobRef): Promise<string | Uint8Array> {
    const found = this.#pending.get(ref) ?? this.#recent.get(ref) ?? (await this.#store.get(ref));
    this.#remember(ref, found);
    return found;
  }

  async has(ref: BlobRef): Promise<boolean> {
    return this.#pending.has(ref) || (await this.#store.has(ref));
  }

  /** Writes what is pending and then runs `append`, so that both are committed together. */
  async with<T>(append: () => Promise<T>): Promise<T> {
    const pending = [...this.#pending];
    this.#pending = new Map();
    for (const [, data] of pending) if (data.length > LARGE_BYTES) await this.#store.put(data);
    const puts = pending.filter(([, data]) => data.length <= LARGE_BYTES).map(([, data]) => this.#store.put(data));
    const [result] = await Promise.all([append(), ...puts]);
    for (const [ref, data] of pending) this.#remember(ref, data);
    return result;
  }

  #remember(ref: BlobRef, data: string | Uint8Array): void {
    this.#recent.delete(ref);
    this.#recent.set(ref, data);
    if (this.#recent.size > REMEMBERED) this.#recent.delete(must(this.#recent.keys().next().value));
  }
}
