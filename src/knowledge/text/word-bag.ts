/**
 * The words of a piece of text as a few bytes: how often each occurs, found by a number made of the word.
 * With it a piece is weighed by every word of a question without walking through the lists of common words.
 */
export interface WordBag {
  bytes: Uint8Array;
  /** Words counted with their weight: what lengths are compared by. */
  length: number;
}

const MOST = 255;

/** FNV-1a over UTF-16 units, finished so that close words get distant numbers. */
export function wordNumber(word: string): number {
  let hash = 0x811c9dc5;
  for (let i = 0; i < word.length; i += 1) hash = Math.imul(hash ^ word.charCodeAt(i), 0x01000193);
  hash ^= hash >>> 15;
  hash = Math.imul(hash, 0x2c1b3c6d);
  return (hash ^ (hash >>> 12)) >>> 0;
}

/** Each list with what one occurrence counts in it. Numbers in order (four bytes each), then their counts (one byte each). */
export function packWords(...lists: readonly (readonly [words: readonly string[], weight: number])[]): WordBag {
  const counts = new Map<number, number>();
  let length = 0;
  for (const [words, weight] of lists) {
    length += words.length * weight;
    for (const word of words) {
      const number = wordNumber(word);
      counts.set(number, (counts.get(number) ?? 0) + weight);
    }
  }
  const numbers = Uint32Array.from(counts.keys()).sort();
  const bytes = new Uint8Array(numbers.length * 5);
  bytes.set(new Uint8Array(numbers.buffer));
  for (const [i, number] of numbers.entries()) bytes[numbers.length * 4 + i] = Math.min(MOST, counts.get(number) ?? 0);
  return { bytes, length };
}

export interface BagReader {
  size: number;
  number(at: number): number;
  count(at: number): number;
  /** Occurrences of a word; 0 when it is not there. */
  of(number: number): number;
}

export function readBag(bytes: Uint8Array): BagReader {
  const size = Math.floor(bytes.length / 5);
  const aligned = bytes.byteOffset % 4 === 0 ? bytes : bytes.slice();
  const numbers = new Uint32Array(aligned.buffer, aligned.byteOffset, size);
  const count = (at: number): number => bytes[size * 4 + at] ?? 0;
  return {
    size,
    number: (at) => numbers[at] ?? 0,
    count,
    of(number) {
      let [low, high] = [0, size - 1];
      while (low <= high) {
        const middle = (low + high) >>> 1;
        const found = numbers[middle] ?? 0;
        if (found === number) return count(middle);
        if (found < number) low = middle + 1;
        else high = middle - 1;
      }
      return 0;
    },
  };
}
