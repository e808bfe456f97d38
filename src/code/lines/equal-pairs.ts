/** Pairs of equal items in two lists, in order, as many as possible. Cost is the product of both lengths. */
import { must } from "../../kernel/index.ts";
export function equalPairs(a: readonly string[], b: readonly string[]): [number, number][] {
  const width = b.length + 1;
  const table = new Uint32Array((a.length + 1) * width);
  for (let i = a.length - 1; i >= 0; i -= 1) {
    for (let j = b.length - 1; j >= 0; j -= 1) {
      table[i * width + j] =
        a[i] === b[j]
          ? must(table[(i + 1) * width + j + 1]) + 1
          : Math.max(must(table[(i + 1) * width + j]), must(table[i * width + j + 1]));
    }
  }
  const pairs: [number, number][] = [];
  for (let i = 0, j = 0; i < a.length && j < b.length;) {
    if (a[i] === b[j]) pairs.push([i++, j++]);
    else if (must(table[(i + 1) * width + j]) >= must(table[i * width + j + 1])) i += 1;
    else j += 1;
  }
  return pairs;
}
