/** What the ranking is measured against: plain BM25. No stemming, no splitting, no knowledge of files. */
const STOP = new Set("a an and are as at be by for from has in is it its of on or that the this to was were will with".split(" "));

export function words(text: string): string[] {
  return (text.toLowerCase().match(/[a-z0-9]+/gu) ?? []).filter((word) => !STOP.has(word));
}

export interface Passage {
  owner: string;
  counts: Map<string, number>;
  length: number;
}

export function passage(owner: string, text: string): Passage {
  const counts = new Map<string, number>();
  const all = words(text);
  for (const word of all) counts.set(word, (counts.get(word) ?? 0) + 1);
  return { owner, counts, length: all.length };
}

const CHUNK_LINES = 40;

export function chunkPassages(owner: string, text: string): Passage[] {
  const lines = text.split("\n");
  const out: Passage[] = [];
  for (let from = 0; from < lines.length; from += CHUNK_LINES) out.push(passage(owner, lines.slice(from, from + CHUNK_LINES).join("\n")));
  return out;
}

function best(scores: ReadonlyMap<string, number>, k: number): string[] {
  return [...scores]
    .filter(([, score]) => score > 0)
    .sort((a, b) => b[1] - a[1])
    .slice(0, k)
    .map(([owner]) => owner);
}

/** Owners by their best passage. */
export function bm25(passages: readonly Passage[], query: string, k: number): string[] {
  const terms = [...new Set(words(query))];
  const average = passages.reduce((sum, one) => sum + one.length, 0) / Math.max(1, passages.length);
  const df = new Map(terms.map((term) => [term, passages.filter((one) => one.counts.has(term)).length]));
  const scores = new Map<string, number>();
  for (const one of passages) {
    let score = 0;
    for (const term of terms) {
      const tf = one.counts.get(term);
      if (tf === undefined) continue;
      const n = df.get(term) as number;
      score += (Math.log(1 + (passages.length - n + 0.5) / (n + 0.5)) * tf * 2.2) / (tf + 1.2 * (0.25 + (0.75 * one.length) / average));
    }
    if (score > (scores.get(one.owner) ?? 0)) scores.set(one.owner, score);
  }
  return best(scores, k);
}
