/** Writes the git log as history: commits, the paths they changed, and how lively each file is. */
import type { DatabaseSync } from "node:sqlite";
import { isoTime } from "../../kernel/index.ts";

import { wordVectors } from "../text/word-vectors.ts";
import { shapeTerms, tokenize } from "../text/tokenize.ts";
import { packWords } from "../text/word-bag.ts";
import { prepareWrite } from "./prepare-write.ts";
import { transaction } from "./file-writer.ts";
import { readMeta, writeMeta } from "./meta.ts";

export interface LoggedCommit {
  hash: string;
  at: number;
  author: string;
  message: string;
  files: { path: string; change: "added" | "modified" | "deleted"; renamedFrom?: string | undefined }[];
}

export interface GitHistory {
  head: string;
  commits: LoggedCommit[];
  /** The commits come after those of the last reading; otherwise they replace them. */
  continues: boolean;
  /** Not everything could be read. */
  partial: boolean;
}

/** Days after which a change counts half. */
const CHANGE_HALF_LIFE_DAYS = 120;
const BATCH = 500;
/** The first line says what it is about. */
const SUBJECT_WEIGHT = 2;

export interface CommitWriter {
  knownHead(): string | undefined;
  write(history: GitHistory, replace: boolean, now: string): void;
  /** Counts changes per file again; cheap, and needed when files or commits changed. */
  refreshLiveliness(): void;
}

export function createCommitWriter(db: DatabaseSync): CommitWriter {
  const addNode = prepareWrite(
    db,
    `INSERT INTO nodes (id, domain, node_type, name, timestamp, category, author, content, verified, verification_type, confidence, trust_level, created_at, updated_at)
    VALUES (?, 'history', 'commit', ?, ?, ?, ?, ?, 1, 'from_source', 1, 80, ?, ?) ON CONFLICT (id) DO NOTHING`,
  );
  const addCommit = prepareWrite(
    db,
    "INSERT INTO commits (key, hash, at, author, files, length, words, vector) VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
  );
  const addFile = prepareWrite(db, "INSERT OR IGNORE INTO commit_files (commit_key, path, change) VALUES (?, ?, ?)");
  const addText = prepareWrite(db, "INSERT INTO commit_fts (rowid, body) VALUES (?, ?)");
  const addSigns = prepareWrite(db, "INSERT INTO saying_signs (key, kind, signs) VALUES (?, 'commit', vec_quantize_binary(vec_int8(?)))");

  const writeOne = (commit: LoggedCommit, current: (path: string) => string, now: string): void => {
    const [subject = "", ...rest] = commit.message.split("\n");
    const added = addNode.run(
      `commit:${commit.hash}`,
      subject.slice(0, 300),
      isoTime(commit.at),
      categoryOf(subject),
      commit.author,
      commit.message,
      now,
      now,
    );
    if (Number(added.changes) === 0) return;
    const key = Number(added.lastInsertRowid);
    const [first, further] = [[...tokenize(subject), ...shapeTerms(subject)], tokenize(rest.join("\n"))];
    const bag = packWords([first, SUBJECT_WEIGHT], [further, 1]);
    const table = wordVectors();
    const vector = table.kind === "loaded" ? table.vectors.saying(commit.message) : undefined;
    const bytes = vector === undefined ? null : new Uint8Array(vector.buffer);
    addCommit.run(key, commit.hash, commit.at, commit.author, commit.files.length, bag.length, bag.bytes, bytes);
    addText.run(key, [...first, ...further].join(" "));
    if (bytes !== null) addSigns.run(BigInt(key), bytes);
    for (const file of commit.files) addFile.run(key, current(file.path), file.change);
  };

  return {
    knownHead: () => readMeta(db, "git_head"),
    write(history, replace, now) {
      if (replace)
        transaction(db, () => {
          db.exec("DELETE FROM saying_signs WHERE kind = 'commit'; DELETE FROM nodes WHERE node_type = 'commit'");
          db.exec("INSERT INTO commit_fts(commit_fts) VALUES ('delete-all')");
          writeMeta(db, "git_head", "");
        });
      const renamed = renameMap(history.commits);
      if (!replace && renamed.size > 0) moveOldPaths(db, renamed);
      // Newest first, so that what is asked for most is there soonest. The head is written last: after an interrupted
      // run the same range is read again, and what is there already stays.
      const { commits } = history;
      for (let from = 0; from < commits.length; from += BATCH)
        transaction(db, () => {
          for (const commit of commits.slice(from, from + BATCH)) writeOne(commit, (path) => renamed.get(path)?.at(-1) ?? path, now);
        });
      writeMeta(db, "git_head", history.head);
      writeMeta(db, "git_partial", history.partial ? "1" : "0");
    },
    refreshLiveliness() {
      const newest = (db.prepare("SELECT max(at) AS at FROM commits").get() as { at: number | null }).at ?? 0;
      transaction(db, () => {
        db.exec("CREATE TEMP TABLE IF NOT EXISTS lively (path TEXT PRIMARY KEY, changes REAL, at INTEGER)");
        db.exec("DELETE FROM temp.lively");
        prepareWrite(
          db,
          `INSERT INTO temp.lively SELECT cf.path, sum(pow(0.5, (? - c.at) / ?) / (1 + ln(max(1, c.files)))), max(c.at)
           FROM commit_files cf JOIN commits c ON c.key = cf.commit_key GROUP BY cf.path`,
        ).run(newest, CHANGE_HALF_LIFE_DAYS * 86_400_000);
        db.exec(
          "UPDATE files SET changes = coalesce((SELECT l.changes FROM temp.lively l WHERE l.path = files.path), 0), changed_at = coalesce((SELECT l.at FROM temp.lively l WHERE l.path = files.path), 0)",
        );
      });
    },
  };
}

/** Old path → the names it had since, newest last. */
function renameMap(commits: readonly LoggedCommit[]): Map<string, string[]> {
  const now = new Map<string, string[]>();
  // Newest first: what a newer commit renamed is already known when an older one is met.
  for (const commit of commits) {
    for (const file of commit.files) {
      if (file.renamedFrom === undefined || now.has(file.renamedFrom)) continue;
      const last = now.get(file.path)?.at(-1) ?? file.path;
      if (last !== file.renamedFrom) now.set(file.renamedFrom, [file.path, last]);
    }
  }
  return now;
}

function moveOldPaths(db: DatabaseSync, renamed: ReadonlyMap<string, readonly string[]>): void {
  const move = prepareWrite(db, "UPDATE OR IGNORE commit_files SET path = ? WHERE path = ?");
  transaction(db, () => {
    for (const [old, names] of renamed) move.run(names.at(-1) as string, old);
  });
}

/** The kind of work a commit's first line speaks of (KNO-013). */
function categoryOf(subject: string): string {
  if (/\b(?:fix(?:e[sd])?|bug|hotfix|crash|regression|resolve[sd]?|issue)\b/iu.test(subject)) return "bug_fix";
  if (/^(?:feat|feature)\b|\b(?:add(?:s|ed)?|implement(?:s|ed)?|introduce[sd]?|support)\b/iu.test(subject)) return "feature";
  if (/\b(?:refactor(?:s|ed|ing)?|clean(?:s|ed)?\s?up|rename[sd]?|simplif(?:y|ies|ied)|move[sd]?)\b/iu.test(subject)) return "refactoring";
  if (/\brevert/iu.test(subject)) return "failure";
  return "task_completion";
}
