/**
 * Gathers, per entry, how strongly each kind of evidence speaks for it. No weighing here. What is read is bounded,
 * however much was said; texts are read only of the entries that the rest speaks for most.
 */
import { must } from "../../kernel/index.ts";
import { nearnessOf } from "../text/word-vectors.ts";
import { relatedWords } from "../text/related-words.ts";
import { STOP_WORDS } from "../text/stop-words.ts";
import { tokenize } from "../text/tokenize.ts";
import { readDates } from "./read-dates.ts";
import { questionVectors } from "./question-vectors.ts";
import { matchTerms } from "./history-words.ts";
import type { HistoryReader, EntryRow } from "./history-reader.ts";

/** Each kind from 0 to about 1. */
export interface EntryEvidence {
  /** Its own words, of the entry that has most; related words count a little. */
  words: number;
  /** Words of the entries at a distance of two: what was said before a question, and after its answer. */
  further: number;
  /** How much of the question is said here and within two entries of it, by its words or related ones. */
  covered: number;
  /** How much its sitting speaks of the matter. */
  session: number;
  /** Nearness of the words' vectors, of the entry and of those beside it. */
  near: number;
  nearBeside: number;
  /** Whoever is asked about speaks. */
  speaker: number;
  date: number;
  /** It follows a question that has words of this one. */
  replies: number;
  /** When-questions are answered by entries that speak of time, and so on. */
  answerKind: number;
  /** Words that stand side by side in the question and here. */
  phrase: number;
  /** It is itself a question. */
  question: number;
}

export interface EvidentEntry {
  row: EntryRow;
  evidence: EntryEvidence;
}

export interface EntryTextEvidence extends EvidentEntry {
  text: string;
  externalId: string | undefined;
}

export interface GatheredHistory {
  entries: EvidentEntry[];
  /** Adds what only the text of an entry, and of the one before it, can tell. */
  withTexts(entries: readonly EvidentEntry[]): EntryTextEvidence[];
}

/** How much is looked at, whatever there is. */
const BOUNDS = {
  /** Entries weighed with what stands around them. */
  candidates: 300,
  dated: 300,
  bySpeaker: 200,
  near: 100,
};

/** How far what is said around an entry counts. */
const WINDOW = 2;
const BEST_OF_SESSION = 3;

const KINDS: readonly { asks: RegExp; answers: RegExp }[] = [
  {
    asks: /\bwhen\b|what (?:date|day|time|month|year)|how long|how often/iu,
    answers:
      /\b(?:yesterday|today|tomorrow|tonight|ago|last|next|this|since|week|weekend|month|year|monday|tuesday|wednesday|thursday|friday|saturday|sunday|january|february|march|april|may|june|july|august|september|october|november|december|\d{4})\b/iu,
  },
  {
    asks: /\bhow (?:many|much|old|long|often)\b|\bwhat number\b/iu,
    answers: /\b(?:\d+|one|two|three|four|five|six|seven|eight|nine|ten|twice|once|couple|few|several|dozen)\b/iu,
  },
  {
    asks: /\bwhere\b|which (?:city|country|place|town)|what (?:city|country|place|town)/iu,
    answers: /\b(?:in|at|from|near|to)\s+(?:the\s+)?[A-Z]\w+/u,
  },
  {
    asks: /\bwho\b|\bwhose\b|with whom/iu,
    answers: /\b(?:friend|sister|brother|mom|dad|mother|father|wife|husband|son|daughter|colleague|boss|team|[A-Z][a-z]+)\b/u,
  },
  {
    asks: /\bwhy\b|what (?:reason|made|motivated|inspired)/iu,
    answers: /\b(?:because|since|so that|reason|wanted|inspired|made me|thanks to|due to)\b/iu,
  },
];

function plainWords(text: string): string[] {
  return text.toLowerCase().match(/[\p{L}\p{N}']+/gu) ?? [];
}

/** Pairs of words side by side of which at least one tells something. */
function phrasesOf(text: string): string[] {
  const words = plainWords(text.slice(0, MOST_PHRASE_CHARS));
  return words.slice(1).flatMap((word, i) => {
    const before = words[i] ?? "";
    return STOP_WORDS.has(word) && STOP_WORDS.has(before) ? [] : [` ${before} ${word} `];
  });
}

const MOST_PHRASE_CHARS = 2_000;

function bestOf(scores: ReadonlyMap<number, number>, count: number): number[] {
  return [...scores]
    .sort((a, b) => b[1] - a[1])
    .slice(0, count)
    .map(([key]) => key);
}

/** Rows in the order they were said, and what stands beside each within the same sitting. */
function inOrder(rows: EntryRow[]) {
  rows.sort((a, b) => (a.thread < b.thread ? -1 : a.thread > b.thread ? 1 : a.place - b.place));
  /** Where the entry at this distance stands among them, if it is there. */
  return (i: number, offset: number): number | undefined => {
    const here = must(rows[i]);
    for (let at = i + offset; at !== i; at -= Math.sign(offset)) {
      const other = rows[at];
      if (other?.thread === here.thread && other.session === here.session && other.place === here.place + offset) return at;
    }
    return undefined;
  };
}

/** How much each sitting speaks of the matter: its best entries. */
function sessionScores(rows: readonly EntryRow[], scores: readonly number[]): (row: EntryRow) => number {
  const idOf = (row: EntryRow): string => `${row.session} ${row.thread}`;
  const sessions = Map.groupBy(rows.keys(), (i) => idOf(must(rows[i])));
  const means = new Map(
    [...sessions].map(([id, list]) => {
      const best = list
        .map((i) => scores[i] ?? 0)
        .sort((a, b) => b - a)
        .slice(0, BEST_OF_SESSION);
      return [id, best.reduce((sum, score) => sum + score, 0) / BEST_OF_SESSION];
    }),
  );
  return (row) => means.get(idOf(row)) ?? 0;
}

/** Undefined when nobody is named, no time given and no word known: nothing was said of this. */
export function gatherHistory(reader: HistoryReader, text: string): GatheredHistory | undefined {
  const { authors, newest, averageLength } = reader.facts();
  if (reader.count() === 0) return undefined;
  const asked = new Set(tokenize(text));
  const speakers = [...authors].filter(([, tokens]) => tokens.some((token) => token.length > 1 && asked.has(token)));
  const named = new Set(speakers.flatMap(([, tokens]) => tokens));
  const saidBy = new Set(speakers.map(([author]) => author));
  const spans = readDates(text, newest);
  const own = [...new Set(tokenize(text))].filter((term) => !STOP_WORDS.has(term) && !named.has(term));
  const matches = matchTerms(reader, own, relatedWords);
  if (matches.known === 0 && saidBy.size === 0 && spans.length === 0) return undefined;

  const lengthened = (row: EntryRow): number => 1 / (1 + LENGTH.k1 * (1 - LENGTH.b + (LENGTH.b * row.length) / averageLength));
  const alone = (rows: readonly EntryRow[]): number[] => rows.map((row) => (matches.scores.get(row.key) ?? 0) * lengthened(row));
  const meant = questionVectors(text).saying;
  const further = [
    ...(meant === undefined || matches.known === 0 ? [] : reader.near(meant, BOUNDS.near)),
    ...spans.flatMap(({ from, to }) => reader.keysBetween(from, to, BOUNDS.dated)),
    ...(matches.known > 0 ? [] : [...saidBy].flatMap((author) => reader.keysBy(author, BOUNDS.bySpeaker))),
  ];
  const rows = reader.around([...bestOf(matches.scores, BOUNDS.candidates), ...further], WINDOW);
  const at = inOrder(rows);
  const scores = alone(rows);
  const best = scores.reduce((most, score) => Math.max(most, score), 1e-9);
  const words = scores.map((score) => score / best);
  const sessionOf = sessionScores(rows, words);
  const nearness = rows.map(({ vector }) => (meant === undefined || vector === undefined ? 0 : nearnessOf(meant, vector)));
  const of = (list: readonly number[], i: number, offset: number): number => list[at(i, offset) ?? -1] ?? 0;
  const coveredAt = (i: number): number => {
    const around = [0, -1, 1, -2, 2].flatMap((offset) => (offset === 0 ? i : (at(i, offset) ?? [])));
    return matches.covered(around.map((place) => must(rows[place]).key));
  };
  const entries = rows.map((row, i): EvidentEntry => {
    return {
      row,
      evidence: {
        words: words[i] ?? 0,
        further: of(words, i, -2) + of(words, i, 2),
        covered: coveredAt(i),
        session: sessionOf(row),
        near: nearness[i] ?? 0,
        nearBeside: Math.max(of(nearness, i, -1), of(nearness, i, 1)),
        speaker: saidBy.has(row.author) ? 1 : 0,
        date: spans.some(({ from, to }) => row.at !== null && row.at >= from && row.at < to) ? 1 : 0,
        replies: 0,
        answerKind: 0,
        phrase: 0,
        question: 0,
      },
    };
  });
  const kinds = KINDS.filter((kind) => kind.asks.test(text));
  const phrases = phrasesOf(text);
  const wordsOf = new Map(rows.map((row, i) => [row.key, words[i] ?? 0]));
  const before = new Map(rows.map((row, i) => [row.key, rows[at(i, -1) ?? -1]?.key]));
  const keyBefore = (key: number): number => before.get(key) ?? -1;

  return {
    entries,
    withTexts(some) {
      const texts = reader.texts([...new Set(some.flatMap(({ row }) => [row.key, keyBefore(row.key)]))]);
      return some.flatMap(({ row, evidence }): EntryTextEvidence[] => {
        const said = texts.get(row.key);
        if (said === undefined) return [];
        const spoken = evidence.words > 0 || evidence.covered > 0;
        const line = ` ${plainWords(said.text).join(" ")} `;
        const told = {
          replies: texts.get(keyBefore(row.key))?.text.includes("?") === true ? (wordsOf.get(keyBefore(row.key)) ?? 0) : 0,
          answerKind: spoken && kinds.some((kind) => kind.answers.test(said.text)) ? 1 : 0,
          phrase: phrases.filter((phrase) => line.includes(phrase)).length / Math.max(1, phrases.length),
          question: /\?\s*$/u.test(said.text) ? 1 : 0,
        };
        return [{ row, evidence: { ...evidence, ...told }, ...said }];
      });
    },
  };
}

/** What was said once is hardly said more by being said again; a long entry says each thing less. */
const LENGTH = { k1: 0.3, b: 0.5 };
