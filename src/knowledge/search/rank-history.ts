/**
 * Finds what was said or noted. A turn counts by its own words, by those of its neighbours (an answer
 * seldom repeats its question), by related words, by who is asked about and when, and by how much the
 * rest of its session speaks of the matter. What is read is bounded, however much was said.
 */
import type { DatabaseSync } from "node:sqlite";
import { nearnessOf } from "../text/word-vectors.ts";
import { relatedWords } from "../text/related-words.ts";
import { STOP_WORDS } from "../text/stop-words.ts";
import { tokenize } from "../text/tokenize.ts";
import { readDates } from "./read-dates.ts";
import { questionVectors } from "./question-vectors.ts";
import { createTurnReader, type TurnReader, type TurnRow } from "./turn-reader.ts";

const HISTORY_WEIGHTS = {
  k1: 0.3,
  b: 0.5,
  /** Words of turns at distance one and two. */
  before: 0.45,
  after: 0.3,
  further: 0.2,
  related: 0.3,
  /** Nearness of the words' vectors, of the turn and of those beside it. */
  near: 0.3,
  nearBeside: 0.2,
  /** The user asked about speaks, or is spoken to. */
  speaker: 0.15,
  otherSpeaker: -0.08,
  mentioned: 0.05,
  date: 0.5,
  /** When-questions are answered by turns that speak of time, and so on. */
  answerKind: 0.15,
  session: 0.25,
  question: -0.12,
  feedback: 0.15,
  feedbackTurns: 4,
  feedbackTerms: 8,
};
export type HistoryWeights = typeof HISTORY_WEIGHTS;

/** How much is looked at, whatever there is. */
const HISTORY_BOUNDS = {
  /** Entries of one word, and of all words together, rare ones first. */
  perTerm: 6_000,
  entries: 24_000,
  /** Entries weighed with what stands around them: to learn further words from, and at last. */
  firstCandidates: 60,
  candidates: 300,
  dated: 300,
  bySpeaker: 200,
  near: 100,
  /** Entries whose text is read, per hit asked for. */
  textsPerHit: 8,
};

export interface Turn {
  key: number;
  thread: string;
  author: string;
  at: number | undefined;
  text: string;
  externalId: string | undefined;
}

export interface RankedTurn {
  turn: Turn;
  score: number;
  why: string[];
}

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

type Weighted = Map<string, number>;

function idfOf(reader: TurnReader, term: string): number {
  const n = reader.entriesWith(term);
  return n === 0 ? 0 : Math.log(1 + (reader.count() - n + 0.5) / (n + 0.5));
}

function queryTerms(text: string, reader: TurnReader, weights: HistoryWeights, named: ReadonlySet<string>): Weighted {
  const terms: Weighted = new Map();
  const own = tokenize(text).filter((term) => !STOP_WORDS.has(term) && !named.has(term));
  for (const term of own) terms.set(term, 1);
  for (const term of own)
    for (const other of relatedWords(term)) if (!terms.has(other) && !STOP_WORDS.has(other)) terms.set(other, weights.related);
  for (const term of terms.keys()) if (reader.entriesWith(term) === 0) terms.delete(term);
  return terms;
}

/** Adds to each turn the words it contains; how often it does says next to nothing in something said once. */
function addMatches(scores: Map<number, number>, reader: TurnReader, terms: Weighted): void {
  const telling = [...terms].map(([term, weight]) => ({ term, worth: weight * idfOf(reader, term) })).sort((a, b) => b.worth - a.worth);
  let left = HISTORY_BOUNDS.entries;
  for (const { term, worth } of telling) {
    const keys = reader.keysWith(term, Math.min(left, HISTORY_BOUNDS.perTerm));
    for (const key of keys) scores.set(key, (scores.get(key) ?? 0) + worth);
    left -= keys.length;
    if (left <= 0) break;
  }
}

function bestOf(scores: ReadonlyMap<number, number>, count: number): number[] {
  return [...scores]
    .sort((a, b) => b[1] - a[1])
    .slice(0, count)
    .map(([key]) => key);
}

interface Scene {
  rows: TurnRow[];
  /** Of each row: its own words and those around it. */
  scores: number[];
}

/** The best matches and the turns around them, each with its own score and a share of its neighbours'. */
function sceneOf(reader: TurnReader, own: ReadonlyMap<number, number>, keys: readonly number[], weights: HistoryWeights): Scene {
  const rows = reader.around(keys, 2);
  rows.sort((a, b) => (a.thread < b.thread ? -1 : a.thread > b.thread ? 1 : a.place - b.place));
  const average = reader.facts().averageLength;
  const alone = rows.map(
    ({ key, length }) => ((own.get(key) ?? 0) * (weights.k1 + 1)) / (1 + weights.k1 * (1 - weights.b + (weights.b * length) / average)),
  );
  const at = (i: number, offset: number): number => {
    const [here, other] = [rows[i] as TurnRow, rows[i + offset]];
    const near = other?.thread === here.thread && other.session === here.session && other.place === here.place + offset;
    return near ? (alone[i + offset] ?? 0) : 0;
  };
  const scores = alone.map(
    (score, i) => score + weights.before * at(i, -1) + weights.after * at(i, 1) + weights.further * (at(i, -2) + at(i, 2)),
  );
  return { rows, scores };
}

/** The rarest words of the best turns, as further words to look for. */
function feedbackTerms(reader: TurnReader, { rows, scores }: Scene, terms: Weighted, weights: HistoryWeights): Weighted {
  const best = [...scores.keys()].sort((a, b) => (scores[b] ?? 0) - (scores[a] ?? 0)).slice(0, weights.feedbackTurns);
  const texts = reader.texts(best.map((i) => (rows[i] as TurnRow).key));
  const gained: Weighted = new Map();
  for (const i of best) {
    const all = tokenize(texts.get((rows[i] as TurnRow).key)?.text ?? "");
    for (const term of all) {
      if (terms.has(term) || STOP_WORDS.has(term) || reader.entriesWith(term) < 2) continue;
      gained.set(term, (gained.get(term) ?? 0) + (idfOf(reader, term) * (scores[i] ?? 0)) / Math.max(6, all.length));
    }
  }
  const top = [...gained].sort((a, b) => b[1] - a[1]).slice(0, weights.feedbackTerms);
  return new Map(top.map(([term]) => [term, weights.feedback]));
}

/** How much each sitting speaks of the matter: its three best turns. */
function sessionScores({ rows, scores }: Scene, best: number): (row: TurnRow) => number {
  const idOf = (row: TurnRow): string => `${row.session} ${row.thread}`;
  const sessions = new Map<string, number[]>();
  for (const [i, row] of rows.entries()) sessions.set(idOf(row), [...(sessions.get(idOf(row)) ?? []), scores[i] as number]);
  const means = new Map(
    [...sessions].map(([id, list]) => {
      const sum = list
        .sort((a, b) => b - a)
        .slice(0, 3)
        .reduce((total, score) => total + score, 0);
      return [id, sum / 3 / best];
    }),
  );
  return (row) => means.get(idOf(row)) ?? 0;
}

/** How near each turn and its neighbours are to what is meant. */
function nearnessIn(rows: readonly TurnRow[], meant: Int8Array | undefined, weights: HistoryWeights): (i: number) => number {
  if (meant === undefined) return () => 0;
  const own = rows.map(({ vector }) => (vector === undefined ? 0 : nearnessOf(meant, vector)));
  const beside = (i: number, offset: number): number => (rows[i + offset]?.thread === rows[i]?.thread ? (own[i + offset] ?? 0) : 0);
  return (i) => weights.near * (own[i] ?? 0) + weights.nearBeside * Math.max(beside(i, -1), beside(i, 1));
}

export interface HistoryRanker {
  rank(text: string, k: number, weights?: HistoryWeights): RankedTurn[];
  get(key: number): Turn | undefined;
}

export function createHistoryRanker(db: DatabaseSync): HistoryRanker {
  const reader = createTurnReader(db);
  const toTurn = (row: TurnRow, text: string, externalId: string | undefined): Turn => ({
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
      return row === undefined || said === undefined ? undefined : toTurn(row, said.text, said.externalId);
    },
    rank(text, k, weights = HISTORY_WEIGHTS) {
      const { authors, newest } = reader.facts();
      if (reader.count() === 0) return [];
      const asked = new Set(tokenize(text));
      const speakers = [...authors].filter(([, tokens]) => tokens.some((token) => token.length > 1 && asked.has(token)));
      const named = new Set(speakers.flatMap(([, tokens]) => tokens));
      const saidBy = new Set(speakers.map(([author]) => author));
      const spans = readDates(text, newest);
      const kinds = KINDS.filter((kind) => kind.asks.test(text));
      const terms = queryTerms(text, reader, weights, named);
      // Nobody named, no time given, no word known: nothing was said of this.
      if (terms.size === 0 && saidBy.size === 0 && spans.length === 0) return [];
      const meant = questionVectors(text).saying;
      const further = [
        ...(meant === undefined || terms.size === 0 ? [] : reader.near(meant, HISTORY_BOUNDS.near)),
        ...spans.flatMap(({ from, to }) => reader.keysBetween(from, to, HISTORY_BOUNDS.dated)),
        ...(terms.size > 0 ? [] : [...saidBy].flatMap((author) => reader.keysBy(author, HISTORY_BOUNDS.bySpeaker))),
      ];
      const own = new Map<number, number>();
      addMatches(own, reader, terms);
      if (weights.feedback > 0 && terms.size > 0) {
        const first = sceneOf(reader, own, bestOf(own, HISTORY_BOUNDS.firstCandidates), weights);
        addMatches(own, reader, feedbackTerms(reader, first, terms, weights));
      }
      const scene = sceneOf(reader, own, [...bestOf(own, HISTORY_BOUNDS.candidates), ...further], weights);
      const best = scene.scores.reduce((most, score) => Math.max(most, score), 1e-9);
      const sessionOf = sessionScores(scene, best);
      const nearness = nearnessIn(scene.rows, meant, weights);
      const mentions = new Set(saidBy.size === 0 ? [] : [...named].flatMap((name) => reader.keysWith(name, HISTORY_BOUNDS.perTerm)));
      const ranked = scene.rows.map((row, i) => {
        const base = (scene.scores[i] ?? 0) / best;
        const why: string[] = base > 0 ? [`words ${base.toFixed(2)}`] : [];
        let score = base + weights.session * sessionOf(row) + nearness(i);
        if (saidBy.has(row.author)) {
          score += weights.speaker;
          why.push(`said by ${row.author}`);
        } else if (saidBy.size > 0) score += weights.otherSpeaker + (mentions.has(row.key) ? weights.mentioned : 0);
        if (spans.some(({ from, to }) => row.at !== null && row.at >= from && row.at < to)) {
          score += weights.date;
          why.push("in the time asked about");
        }
        return { row, base, score, why };
      });
      ranked.sort((a, b) => b.score - a.score);
      const few = ranked.slice(0, Math.max(k, 10) * HISTORY_BOUNDS.textsPerHit);
      const texts = reader.texts(few.map(({ row }) => row.key));
      return few
        .flatMap(({ row, base, score, why }): (RankedTurn & { place: number })[] => {
          const said = texts.get(row.key);
          if (said === undefined) return [];
          const answers = base > 0.1 && kinds.some((kind) => kind.answers.test(said.text));
          return [
            {
              turn: toTurn(row, said.text, said.externalId),
              score: score + (answers ? weights.answerKind : 0) + (/\?\s*$/u.test(said.text) ? weights.question : 0),
              why: answers ? [...why, "answers such a question"] : why,
              place: row.place,
            },
          ];
        })
        .filter(({ score }) => score > 0)
        .sort((a, b) => b.score - a.score || a.place - b.place)
        .slice(0, k)
        .map(({ turn, score, why }) => ({ turn, score, why }));
    },
  };
}
