/** A binary heap; the smallest by `before` comes out first. */
import { must } from "../../kernel/index.ts";
export class Heap<T> {
  readonly #items: T[] = [];
  readonly #before: (a: T, b: T) => boolean;

  constructor(before: (a: T, b: T) => boolean) {
    this.#before = before;
  }

  get size(): number {
    return this.#items.length;
  }

  peek(): T | undefined {
    return this.#items[0];
  }

  push(item: T): void {
    const items = this.#items;
    items.push(item);
    let at = items.length - 1;
    while (at > 0) {
      const parent = (at - 1) >> 1;
      if (!this.#before(must(items[at]), must(items[parent]))) break;
      this.#swap(at, parent);
      at = parent;
    }
  }

  pop(): T | undefined {
    const items = this.#items;
    const top = items[0];
    const last = items.pop();
    if (items.length === 0 || last === undefined) return top;
    items[0] = last;
    this.#sink(0);
    return top;
  }

  /** Linear; for the rare case that a waiter gives up. */
  remove(item: T): boolean {
    const items = this.#items;
    const at = items.indexOf(item);
    if (at < 0) return false;
    const last = must(items.pop());
    if (at === items.length) return true;
    items[at] = last;
    this.#sink(at);
    let up = at;
    while (up > 0 && this.#before(must(items[up]), must(items[(up - 1) >> 1]))) {
      this.#swap(up, (up - 1) >> 1);
      up = (up - 1) >> 1;
    }
    return true;
  }

  #sink(from: number): void {
    const items = this.#items;
    let at = from;
    for (;;) {
      let least = at;
      for (const child of [2 * at + 1, 2 * at + 2])
        if (child < items.length && this.#before(must(items[child]), must(items[least]))) least = child;
      if (least === at) return;
      this.#swap(at, least);
      at = least;
    }
  }

  #swap(a: number, b: number): void {
    const items = this.#items;
    const held = must(items[a]);
    items[a] = must(items[b]);
    items[b] = held;
  }
}
