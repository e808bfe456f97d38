/** Entries and commits as hits, in one order. */
import type { DatabaseSync } from "node:sqlite";
import { isoTime } from "../../kernel/index.ts";
import { relatedWords } from "../text/related-words.ts";
import { STOP_WORDS } from "../text/stop-words.ts";
import { tokenize } from "../text/tokenize.ts";
import { freshness, trustOf } from "../truth/trust.ts";
import type { SearchHit } from "../types.ts";
import { createKnownShare } from "./known-share.ts";
import { createHistoryRanker, type RankedEntry } from "./rank-history.ts";
import { readDates } from "./read-dates.ts";
import { understandQuery } from "./understand-query.ts";
import { createWordSearch } from "./word-search.ts";

const BESIDE_WORDS = /^(?:said by|by|in the time)/u;
const BESIDE_SHARE = 0.5;
const HISTORY_SEARCH = {
  commitHits: 60,
  commitEntries: 4_000,
  commitsWeighed: 300,
  commitShare: 0.9,
  date: 0.5,
  author: 0.4,
  near: 0.8,
  fact: 0.6,
};

interface CommitRow {
  key: number;
  id: string;
  name: string;
  author: string;
  at: number;
  score: number;
}

export interface HistorySearch {
  /** `near`: entries by the vectors of a provider's model. */
  find(text: string, k: number, nowMs: number, near?: ReadonlyMap<number, number>): SearchHit[];
}

export function createHistorySearch(db: DatabaseSync): HistorySearch {
  const entries = createHistoryRanker(db);
  const share = {
    all: createKnownShare(db, "history"),
    entries: createKnownShare(db, "entries"),
    commits: createKnownShare(db, "commits"),
  };
  const messages = createWordSearch(db, "commits");
  const commits = db.prepare(
    "SELECT n.key, n.id, n.name, c.author, c.at FROM json_each(?) j JOIN nodes n ON n.key = j.value JOIN commits c ON c.key = n.key",
  );
  const between = db.prepare(
    "SELECT n.key, n.id, n.name, c.author, c.at, 0.0 AS score FROM commits c JOIN nodes n ON n.key = c.key WHERE c.at >= ? AND c.at < ? ORDER BY c.at DESC LIMIT ?",
  );
  const paths = db.prepare("SELECT path FROM commit_files WHERE commit_key = ? LIMIT 1");
  const about = db.prepare(
    "SELECT id, node_type AS type, verified, trust_level AS trust, superseded_by AS superseded FROM nodes WHERE key = ?",
  );

  /** Who and when are answers of their own, where what was said is unknown. */
  const surenessOf = (text: string, found: readonly SearchHit[], of: keyof typeof share): number => {
    const words = tokenize(text).filter((term) => !STOP_WORDS.has(term));
    const known = share[of].of(words, (term) => [...relatedWords(term)]);
    return found.some((hit) => hit.why.some((reason) => BESIDE_WORDS.test(reason))) ? Math.max(known, BESIDE_SHARE) : known;
  };

  /** Entries found by words gain by nearness; near ones that no word leads to come in. */
  const withNear = (ranked: readonly RankedEntry[], near: ReadonlyMap<number, number>, nearest: number): RankedEntry[] => {
    const gain = (key: number): number => (HISTORY_SEARCH.near * (near.get(key) ?? 0)) / nearest;
    const why = (key: number): string[] => (near.has(key) ? [`similar ${(near.get(key) as number).toFixed(2)}`] : []);
    const seen = new Set(ranked.map(({ entry }) => entry.key));
    const others = [...near.keys()].flatMap((key): RankedEntry[] => {
      const entry = seen.has(key) ? undefined : entries.get(key);
      return entry === undefined ? [] : [{ entry, score: gain(key), why: why(key) }];
    });
    return [
      ...ranked.map((one) => ({ ...one, score: one.score + gain(one.entry.key), why: [...one.why, ...why(one.entry.key)] })),
      ...others,
    ];
  };

  const findCommits = (text: string, nowMs: number): SearchHit[] => {
    const query = understandQuery(text);
    const found = messages.find(query.words, { entries: HISTORY_SEARCH.commitEntries, weighed: HISTORY_SEARCH.commitsWeighed });
    const scores = new Map(found.slice(0, HISTORY_SEARCH.commitHits).map(({ key, score }) => [key, score]));
    const rows = (commits.all(JSON.stringify([...scores.keys()])) as unknown as CommitRow[]).map((row) => ({
      ...row,
      score: scores.get(row.key) ?? 0,
    }));
    const spans = readDates(text, nowMs);
    for (const span of spans) {
      const known = new Set(rows.map((row) => row.key));
      for (const row of between.all(span.from, span.to, HISTORY_SEARCH.commitHits) as unknown as CommitRow[])
        if (!known.has(row.key)) rows.push(row);
    }
    const best = Math.max(1e-9, ...rows.map((row) => row.score));
    const asked = text.toLowerCase();
    return rows.map((row) => {
      const dated = spans.some((span) => row.at >= span.from && row.at < span.to);
      const byAuthor = row.author.length > 2 && asked.includes(row.author.toLowerCase().split(" ")[0] as string);
      const score =
        HISTORY_SEARCH.commitShare * (row.score / best) + (dated ? HISTORY_SEARCH.date : 0) + (byAuthor ? HISTORY_SEARCH.author : 0);
      const fresh = freshness({ domain: "history", ageMs: nowMs - row.at, superseded: false, expired: false });
      return {
        domain: "history" as const,
        path: (paths.get(row.key) as { path: string } | undefined)?.path ?? "",
        node: row.id,
        externalId: undefined,
        score,
        lines: undefined,
        title: row.name,
        why: [
          `message ${(row.score / best).toFixed(2)}`,
          ...(dated ? ["in the time asked about"] : []),
          ...(byAuthor ? [`by ${row.author}`] : []),
        ],
        author: row.author,
        time: isoTime(row.at),
        trust: trustOf({ domain: "history", type: "commit", verified: true, ageMs: nowMs - row.at }),
        warning: fresh.warning,
      };
    });
  };

  return {
    find(text, k, nowMs, near = new Map()) {
      const nearest = Math.max(1e-9, ...near.values());
      const ranked = near.size === 0 ? entries.rank(text, k * 2) : withNear(entries.rank(text, k * 2), near, nearest);
      const own = tokenize(text).filter((term) => !STOP_WORDS.has(term));
      const asked = new Set(own.flatMap((term) => [term, ...relatedWords(term)]));
      const said = ranked.flatMap(({ entry, score: found, why }): SearchHit[] => {
        const node = about.get(entry.key) as { id: string; type: string; verified: number; superseded: number | null };
        // What is known of a file stands behind what was said and done, and needs words of its own.
        const spoken = near.has(entry.key) || why.some((reason) => BESIDE_WORDS.test(reason));
        if (node.type === "fact" && !spoken && !tokenize(entry.text).some((term) => asked.has(term))) return [];
        const score = node.type === "fact" ? found * HISTORY_SEARCH.fact : found;
        const ageMs = entry.at === undefined ? 0 : nowMs - entry.at;
        return [
          {
            domain: "history",
            path: "",
            node: node.id,
            externalId: entry.externalId,
            score,
            lines: undefined,
            title: `${entry.author === "" ? "" : `${entry.author}: `}${entry.text.replaceAll(/\s+/gu, " ").slice(0, 160)}`,
            why,
            author: entry.author,
            time: entry.at === undefined ? undefined : isoTime(entry.at),
            trust: trustOf({ domain: "history", type: node.type, verified: node.verified === 1, ageMs }),
            warning: freshness({ domain: "history", ageMs, superseded: node.superseded !== null, expired: false }).warning,
          },
        ];
      });
      // Each kind is only measured against its own best: what knows less of the question counts less.
      const weighed = (hits: readonly SearchHit[], of: "entries" | "commits"): SearchHit[] => {
        const sure = Math.max(surenessOf(text, hits, of), of === "entries" && near.size > 0 ? nearest : 0);
        return hits.map((hit) => ({ ...hit, score: hit.score * sure }));
      };
      const found = withoutRepeats(
        [...weighed(said, "entries"), ...weighed(findCommits(text, nowMs), "commits")].sort((a, b) => b.score - a.score),
      ).slice(0, k);
      const best = Math.max(1e-9, found[0]?.score ?? 0);
      const sure = Math.max(surenessOf(text, found, "all"), near.size === 0 ? 0 : nearest);
      return found.map((hit) => ({ ...hit, score: (sure * hit.score) / best })).filter((hit) => hit.score > 0);
    },
  };
}

/** What tasks noted again and again, such as a check that failed at every step, is told once. Numbers make no difference. */
function withoutRepeats(hits: readonly SearchHit[]): SearchHit[] {
  const seen = new Set<string>();
  return hits.filter((hit) => {
    const noted = hit.node.startsWith("journal:");
    const key = !noted ? hit.node : (/Check \S+ failed/u.exec(hit.title)?.[0] ?? hit.title.replaceAll(/\d+/gu, "0"));
    if (seen.has(key)) return false;
    seen.add(key);
    return true;
  });
}
