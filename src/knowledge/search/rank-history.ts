/**
 * Finds what was said or noted. A turn counts by its own words, by those of its neighbours (an answer
 * seldom repeats its question), by related words, by who is asked about and when, and by how much the
 * rest of its session speaks of the matter.
 */
import type { DatabaseSync } from "node:sqlite";
import { relatedWords } from "../text/related-words.ts";
import { STOP_WORDS } from "../text/stop-words.ts";
import { tokenize } from "../text/tokenize.ts";
import { readDates, type TimeSpan } from "./read-dates.ts";

const HISTORY_WEIGHTS = {
  k1: 0.3,
  b: 0.5,
  /** Words of turns at distance one and two. */
  before: 0.45,
  after: 0.3,
  further: 0.2,
  related: 0.3,
  /** The person asked about speaks, or is spoken to. */
  speaker: 0.22,
  otherSpeaker: -0.1,
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

export interface Turn {
  key: number;
  thread: string;
  author: string;
  at: number | undefined;
  text: string;
  externalId: string | undefined;
  terms: Map<string, number>;
  length: number;
  place: number;
  session: number;
}

export interface RankedTurn {
  turn: Turn;
  score: number;
  why: string[];
}

const SESSION_GAP_MS = 2 * 3_600_000;
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

interface Prepared {
  turns: Turn[];
  df: Map<string, number>;
  averageLength: number;
  authors: Map<string, string[]>;
  newest: number | undefined;
}

function load(db: DatabaseSync): Prepared {
  const rows = db
    .prepare(
      "SELECT t.key, t.thread, t.author, t.at, t.external_id AS externalId, n.content AS text FROM turns t JOIN nodes n ON n.key = t.key ORDER BY t.thread, t.at, t.place",
    )
    .all() as { key: number; thread: string; author: string; at: number | null; externalId: string | null; text: string }[];
  const df = new Map<string, number>();
  const authors = new Map<string, string[]>();
  let total = 0;
  let session = -1;
  let newest: number | undefined;
  const turns = rows.map((row, place): Turn => {
    const before = rows[place - 1];
    if (before === undefined || before.thread !== row.thread || Math.abs((row.at ?? 0) - (before.at ?? 0)) > SESSION_GAP_MS) session += 1;
    const terms = new Map<string, number>();
    const all = tokenize(row.text);
    for (const term of all) terms.set(term, (terms.get(term) ?? 0) + 1);
    for (const term of terms.keys()) df.set(term, (df.get(term) ?? 0) + 1);
    total += all.length;
    if (!authors.has(row.author)) authors.set(row.author, tokenize(row.author));
    if (row.at !== null && (newest === undefined || row.at > newest)) newest = row.at;
    return {
      key: row.key,
      thread: row.thread,
      author: row.author,
      at: row.at ?? undefined,
      text: row.text,
      externalId: row.externalId ?? undefined,
      terms,
      length: all.length,
      place,
      session,
    };
  });
  return { turns, df, averageLength: Math.max(1, total / Math.max(1, turns.length)), authors, newest };
}

function idfOf(data: Prepared, term: string): number {
  const n = data.df.get(term) ?? 0;
  return n === 0 ? 0 : Math.log(1 + (data.turns.length - n + 0.5) / (n + 0.5));
}

type Weighted = Map<string, number>;

function queryTerms(text: string, data: Prepared, weights: HistoryWeights, named: ReadonlySet<string>): Weighted {
  const terms: Weighted = new Map();
  const own = tokenize(text).filter((term) => !STOP_WORDS.has(term) && !named.has(term));
  for (const term of own) terms.set(term, 1);
  for (const term of own)
    for (const other of relatedWords(term)) if (!terms.has(other) && !STOP_WORDS.has(other)) terms.set(other, weights.related);
  for (const term of terms.keys()) if (!data.df.has(term)) terms.delete(term);
  return terms;
}

function lexical(data: Prepared, terms: Weighted, weights: HistoryWeights): Float64Array {
  const idf = new Map([...terms.keys()].map((term) => [term, idfOf(data, term)]));
  return Float64Array.from(data.turns, (turn) => {
    let sum = 0;
    for (const [term, weight] of terms) {
      const tf = turn.terms.get(term);
      if (tf === undefined) continue;
      const norm = weights.k1 * (1 - weights.b + (weights.b * turn.length) / data.averageLength);
      sum += (weight * (idf.get(term) as number) * tf * (weights.k1 + 1)) / (tf + norm);
    }
    return sum;
  });
}

function withNeighbours(data: Prepared, own: Float64Array, weights: HistoryWeights): Float64Array {
  const { turns } = data;
  const at = (from: number, offset: number): number => {
    const other = turns[from + offset];
    return other !== undefined && other.session === (turns[from] as Turn).session ? (own[from + offset] as number) : 0;
  };
  return own.map((score, i) => score + weights.before * at(i, -1) + weights.after * at(i, 1) + weights.further * (at(i, -2) + at(i, 2)));
}

/** The rarest words of the best turns, as further words to look for. */
function feedbackTerms(data: Prepared, scores: Float64Array, terms: Weighted, weights: HistoryWeights): Weighted {
  const best = [...scores.keys()].sort((a, b) => (scores[b] as number) - (scores[a] as number)).slice(0, weights.feedbackTurns);
  const gained: Weighted = new Map();
  for (const i of best) {
    const turn = data.turns[i] as Turn;
    for (const [term, tf] of turn.terms) {
      if (terms.has(term) || STOP_WORDS.has(term) || (data.df.get(term) ?? 0) < 2) continue;
      gained.set(term, (gained.get(term) ?? 0) + (tf * idfOf(data, term) * (scores[i] as number)) / Math.max(6, turn.length));
    }
  }
  const top = [...gained].sort((a, b) => b[1] - a[1]).slice(0, weights.feedbackTerms);
  return new Map([...terms, ...top.map(([term]): [string, number] => [term, weights.feedback])]);
}

export interface HistoryRanker {
  rank(text: string, k: number, weights?: HistoryWeights): RankedTurn[];
  get(key: number): Turn | undefined;
}

export function createHistoryRanker(db: DatabaseSync): HistoryRanker {
  let cached: { data: Prepared; version: string } | undefined;
  const state = db.prepare("SELECT count(*) AS n, coalesce(max(key), 0) AS last, coalesce(sum(place), 0) AS places FROM turns");
  const current = (): Prepared => {
    const version = JSON.stringify(state.get());
    if (cached?.version !== version) cached = { data: load(db), version };
    return cached.data;
  };
  return {
    get: (key) => current().turns.find((turn) => turn.key === key),
    rank(text, k, weights = HISTORY_WEIGHTS) {
      const data = current();
      if (data.turns.length === 0) return [];
      const asked = new Set(tokenize(text));
      const speakers = [...data.authors]
        .filter(([, tokens]) => tokens.some((token) => token.length > 1 && asked.has(token)))
        .map(([author]) => author);
      const named = new Set(speakers.flatMap((author) => data.authors.get(author) as string[]));
      const spans: TimeSpan[] = readDates(text, data.newest);
      const kinds = KINDS.filter((kind) => kind.asks.test(text));
      let terms = queryTerms(text, data, weights, named);
      // Nobody named, no time given, no word known: nothing was said of this.
      if (terms.size === 0 && speakers.length === 0 && spans.length === 0) return [];
      let lex = withNeighbours(data, lexical(data, terms, weights), weights);
      if (weights.feedback > 0 && terms.size > 0) {
        terms = feedbackTerms(data, lex, terms, weights);
        lex = withNeighbours(data, lexical(data, terms, weights), weights);
      }
      const best = Math.max(1e-9, ...lex);
      const sessions = new Map<number, number[]>();
      for (const [i, turn] of data.turns.entries()) {
        const list = sessions.get(turn.session);
        if (list === undefined) sessions.set(turn.session, [lex[i] as number]);
        else list.push(lex[i] as number);
      }
      const sessionScore = new Map(
        [...sessions].map(([id, scores]) => [
          id,
          scores
            .sort((a, b) => b - a)
            .slice(0, 3)
            .reduce((sum, score) => sum + score, 0) /
            3 /
            best,
        ]),
      );
      const ranked = data.turns.map((turn, i): RankedTurn => {
        const base = (lex[i] as number) / best;
        const why: string[] = [];
        let score = base + weights.session * (sessionScore.get(turn.session) ?? 0);
        if (base > 0) why.push(`words ${base.toFixed(2)}`);
        if (speakers.length > 0) {
          const speaks = speakers.includes(turn.author);
          score += speaks ? weights.speaker : weights.otherSpeaker;
          if (speaks) why.push(`said by ${turn.author}`);
          else if ([...named].some((name) => turn.terms.has(name))) score += weights.mentioned;
        }
        if (
          spans.length > 0 &&
          turn.at !== undefined &&
          spans.some((span) => (turn.at as number) >= span.from && (turn.at as number) < span.to)
        ) {
          score += weights.date;
          why.push("in the time asked about");
        }
        if (kinds.length > 0 && base > 0.1 && kinds.some((kind) => kind.answers.test(turn.text))) {
          score += weights.answerKind;
          why.push("answers such a question");
        }
        if (/\?\s*$/u.test(turn.text)) score += weights.question;
        return { turn, score, why };
      });
      return ranked
        .filter(({ score }) => score > 0)
        .sort((a, b) => b.score - a.score || a.turn.place - b.turn.place)
        .slice(0, k);
    },
  };
}
