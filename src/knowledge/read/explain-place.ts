/** Why a file, or one line of it, is as it is: what stands there, which commits made it so, and what was noted about it. */
import type { DatabaseSync } from "node:sqlite";
import { isoTime, SylkError, type Clock } from "../../kernel/index.ts";
import { createGitReader } from "../../workspace/index.ts";

import { isReadInPart } from "../ingest/read-limits.ts";

export interface WhyCommit {
  hash: string;
  time: string;
  author: string;
  message: string;
  /** It wrote the very line asked about. */
  wroteLine: boolean;
}

export interface Why {
  path: string;
  line: number | undefined;
  symbol: { id: string; signature: string; doc: string; lines: { from: number; to: number } } | undefined;
  commits: WhyCommit[];
  /** Files that usually change with it. */
  together: { path: string; times: number }[];
  tests: string[];
  importedBy: string[];
  notes: { node: string; time: string | undefined; text: string }[];
}

const LIMITS = { commits: 12, together: 8, importers: 12, notes: 5 };

/** The commit that last wrote a line; undefined where git cannot tell (no repository, missing objects, not committed). */
async function blame(root: string, clock: Clock, file: string, line: number, signal: AbortSignal | undefined): Promise<string | undefined> {
  const result = await createGitReader(root, clock).run(["blame", "-L", `${line},${line}`, "--porcelain", "--", file], {
    accept: [1, 128],
    signal,
  });
  const hash = /^([\da-f]{40})/u.exec(result.stdout.toString())?.[1];
  return result.code === 0 && hash !== undefined && !/^0+$/u.test(hash) ? hash : undefined;
}

export async function createWhy(
  source: { db: DatabaseSync; root: string; clock: Clock },
  place: { path: string; line?: number | undefined },
  signal?: AbortSignal,
): Promise<Why> {
  const { db } = source;
  const file = db.prepare("SELECT key, kind, size, lines FROM files WHERE path = ?").get(place.path) as
    | { key: number; kind: string; size: number; lines: number }
    | undefined;
  if (file === undefined)
    throw new SylkError({
      code: "KNOWLEDGE_NO_SUCH_FILE",
      tier: "user_fixable",
      message: `${place.path} is not in the index`,
      fix: "give a path relative to the project or to where you are; `sylk index` reads what is new",
    });
  // Of what was not read whole, the lines are not known.
  const last = file.lines === 0 || isReadInPart({ ...file, path: place.path }) ? Infinity : file.lines;
  if (place.line !== undefined && (place.line < 1 || place.line > last))
    throw new SylkError({
      code: "KNOWLEDGE_NO_SUCH_LINE",
      tier: "user_fixable",
      message: `${place.path} has ${file.lines} ${file.lines === 1 ? "line" : "lines"}, there is no line ${place.line}`,
      fix: "give a line that is there, or the file alone",
    });
  const symbol =
    place.line === undefined
      ? undefined
      : (db
          .prepare(
            "SELECT id, signature, doc, line_start AS 'from', line_end AS 'to' FROM nodes WHERE owner = ? AND line_start <= ? AND line_end >= ? ORDER BY line_start DESC LIMIT 1",
          )
          .get(file.key, place.line, place.line) as { id: string; signature: string; doc: string; from: number; to: number } | undefined);
  const wrote = place.line === undefined ? undefined : await blame(source.root, source.clock, place.path, place.line, signal);
  const rows = db
    .prepare(
      `SELECT c.hash, c.at, c.author, n.content AS message FROM commits c JOIN nodes n ON n.key = c.key
       WHERE c.hash = ? OR c.key IN (SELECT commit_key FROM commit_files WHERE path = ?) ORDER BY c.hash = ? DESC, c.at DESC LIMIT ?`,
    )
    .all(wrote ?? "", place.path, wrote ?? "", LIMITS.commits) as { hash: string; at: number; author: string; message: string }[];
  const names = (sql: string): string[] => (db.prepare(sql).all(file.key, LIMITS.importers) as { path: string }[]).map((row) => row.path);
  return {
    path: place.path,
    line: place.line,
    symbol:
      symbol === undefined
        ? undefined
        : { id: symbol.id, signature: symbol.signature, doc: symbol.doc, lines: { from: symbol.from, to: symbol.to } },
    commits: rows.map((row) => ({
      hash: row.hash,
      time: isoTime(row.at),
      author: row.author,
      message: row.message,
      wroteLine: row.hash === wrote,
    })),
    together: db
      .prepare(
        `SELECT o.path, count(*) AS times FROM commit_files cf JOIN commits c ON c.key = cf.commit_key JOIN commit_files o ON o.commit_key = cf.commit_key JOIN files f ON f.path = o.path
         WHERE cf.path = ? AND o.path <> cf.path AND c.files <= 30 GROUP BY o.path HAVING times > 1 ORDER BY times DESC LIMIT ?`,
      )
      .all(place.path, LIMITS.together) as { path: string; times: number }[],
    tests: names("SELECT n.path FROM edges e JOIN nodes n ON n.key = e.source WHERE e.target = ? AND e.edge_type = 'tests' LIMIT ?"),
    importedBy: names(
      "SELECT n.path FROM edges e JOIN nodes n ON n.key = e.source WHERE e.target = ? AND e.edge_type = 'imports' ORDER BY n.path LIMIT ?",
    ),
    notes: (
      db
        .prepare(
          "SELECT n.id AS node, n.timestamp AS time, n.content AS text FROM turns t JOIN nodes n ON n.key = t.key WHERE instr(n.content, ?) > 0 ORDER BY t.at DESC LIMIT ?",
        )
        .all(place.path, LIMITS.notes) as { node: string; time: string | null; text: string }[]
    ).map((note) => ({ node: note.node, time: note.time ?? undefined, text: note.text.slice(0, 400) })),
  };
}
