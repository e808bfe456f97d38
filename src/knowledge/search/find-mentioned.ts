/** Files that a question names outright: by a path as written anywhere, or by a definition they hold. */
import type { DatabaseSync } from "node:sqlite";
import type { PathMention } from "./understand-query.ts";

export interface Mentions {
  /** How surely each file is meant, 0 to 1. */
  files(paths: readonly PathMention[]): Map<number, number>;
  definers(names: readonly string[]): Map<number, number>;
}

/** A variable or a constant of that name is seldom what is asked for; another spelling of it is less sure. */
const SHARES = { variable: 0.5, otherCase: 0.6, fileNameOnly: 0.5 };
const MOST_FILES = 12;

/** `@source/index.ts`, `~/lib/x`, `./x` and paths of other machines: folders as they are compared. */
const segmentsOf = (path: string): string[] =>
  path
    .split("/")
    .map((part) => part.replace(/^[@~]/u, "").toLowerCase())
    .filter((part) => part !== "" && part !== "." && part !== "..");

function sharedEnd(a: readonly string[], b: readonly string[]): number {
  let shared = 0;
  while (shared < Math.min(a.length, b.length) && a[a.length - 1 - shared] === b[b.length - 1 - shared]) shared += 1;
  return shared;
}

export function createMentions(db: DatabaseSync): Mentions {
  const named = db.prepare(
    "SELECT f.key, f.path FROM nodes n JOIN files f ON f.key = n.key WHERE n.name = ? COLLATE NOCASE AND n.node_type = 'file' LIMIT 500",
  );
  const defined = db.prepare(
    "SELECT owner AS file, max((CASE WHEN node_type IN ('variable', 'constant') THEN ? ELSE 1 END) * (CASE WHEN name = ? THEN 1 ELSE ? END)) AS share FROM (SELECT owner, node_type, name FROM nodes WHERE name = ? COLLATE NOCASE AND domain = 'code' AND owner IS NOT NULL LIMIT 300) GROUP BY owner LIMIT 30",
  );
  const filesOf = ({ path }: PathMention): { key: number; share: number }[] => {
    const wanted = segmentsOf(path);
    const rows = named.all(wanted.at(-1) ?? "") as { key: number; path: string }[];
    const whole = rows.filter((row) => row.path === path);
    if (whole.length > 0) return whole.map(({ key }) => ({ key, share: 1 }));
    const ends = rows.map((row) => {
      const own = segmentsOf(row.path);
      const shared = sharedEnd(own, wanted);
      return { key: row.key, shared, whole: shared === own.length || shared === wanted.length };
    });
    const longest = ends.reduce((most, { shared }) => Math.max(most, shared), 0);
    const best = ends.filter(({ shared }) => shared === longest).slice(0, MOST_FILES);
    return best.map((one) => ({ key: one.key, share: (one.whole || longest > 1 ? 1 : SHARES.fileNameOnly) / best.length }));
  };
  const keepMost = (into: Map<number, number>, key: number, share: number): void => void into.set(key, Math.max(share, into.get(key) ?? 0));
  return {
    files(paths) {
      const found = new Map<number, number>();
      for (const mention of paths) for (const { key, share } of filesOf(mention)) keepMost(found, key, share);
      return found;
    },
    definers(names) {
      const found = new Map<number, number>();
      for (const name of names) {
        const rows = defined.all(SHARES.variable, name, SHARES.otherCase, name) as { file: number; share: number }[];
        for (const { file, share } of rows) keepMost(found, file, share / Math.sqrt(rows.length));
      }
      return found;
    },
  };
}
