/**
 * Finds what was said or noted. An entry counts by its own words, by how much of the question is said around it, by
 * whether it answers a question, by who is asked about and when, and by how much the rest of its session speaks of
 * the matter (`history-evidence`). The weights were learnt; what they rest on stands in docs/knowledge.md.
 */
import type { DatabaseSync } from "node:sqlite";
import { gatherHistory, type EvidentEntry, type EntryEvidence } from "./history-evidence.ts";
import { createHistoryReader, type EntryRow } from "./history-reader.ts";

const HISTORY_WEIGHTS: EntryEvidence = {
  words: 0.34,
  further: 0.05,
  covered: 0.55,
  session: 0.22,
  near: 0.04,
  nearBeside: 0.35,
  speaker: 0.12,
  date: 0.6,
  replies: 0.27,
  answerKind: 0.23,
  phrase: 0.36,
  question: -0.11,
};

/** Entries whose text is read, per hit asked for. */
const TEXTS_PER_HIT = 8;
const FEWEST_HITS = 10;

export interface FoundEntry {
  key: number;
  thread: string;
  author: string;
  at: number | undefined;
  text: string;
  externalId: string | undefined;
}

export interface RankedEntry {
  entry: FoundEntry;
  score: number;
  why: string[];
}

const KINDS_OF_EVIDENCE = Object.keys(HISTORY_WEIGHTS) as (keyof EntryEvidence)[];

function weigh(evidence: EntryEvidence, weights: EntryEvidence): number {
  let sum = 0;
  for (const kind of KINDS_OF_EVIDENCE) sum += weights[kind] * evidence[kind];
  return sum;
}

function reasons({ row, evidence }: EvidentEntry): string[] {
  return [
    ...(evidence.words > 0 || evidence.covered > 0
      ? [`words ${evidence.words.toFixed(2)}, ${evidence.covered.toFixed(2)} of the question around`]
      : []),
    ...(evidence.speaker > 0 ? [`said by ${row.author}`] : []),
    ...(evidence.date > 0 ? ["in the time asked about"] : []),
    ...(evidence.answerKind > 0 ? ["answers such a question"] : []),
  ];
}

export interface HistoryRanker {
  rank(text: string, k: number): RankedEntry[];
  get(key: number): FoundEntry | undefined;
}

export function createHistoryRanker(db: DatabaseSync): HistoryRanker {
  const reader = createHistoryReader(db);
  const toEntry = (row: EntryRow, text: string, externalId: string | undefined): FoundEntry => ({
    key: row.key,
    thread: row.thread,
    author: row.author,
    at: row.at ?? undefined,
    text,
    externalId,
  });
  return {
    get(key) {
      const row = reader.row(key);
      const said = reader.texts([key]).get(key);
      return row === undefined || said === undefined ? undefined : toEntry(row, said.text, said.externalId);
    },
    rank(text, k) {
      const gathered = gatherHistory(reader, text);
      if (gathered === undefined) return [];
      const few = gathered.entries
        .map((entry) => ({ entry, score: weigh(entry.evidence, HISTORY_WEIGHTS) }))
        .sort((a, b) => b.score - a.score)
        .slice(0, Math.max(k, FEWEST_HITS) * TEXTS_PER_HIT)
        .map(({ entry }) => entry);
      return gathered
        .withTexts(few)
        .map((one) => ({ one, score: weigh(one.evidence, HISTORY_WEIGHTS) }))
        .filter(({ score }) => score > 0)
        .sort((a, b) => b.score - a.score || a.one.row.place - b.one.row.place)
        .slice(0, k)
        .map(({ one, score }) => ({ entry: toEntry(one.row, one.text, one.externalId), score, why: reasons(one) }));
    },
  };
}
