/**
 * Writes the git log as history: commits, the paths they changed, and how lively each file is. Newest first, so that
 * what is asked for most is there soonest; a reading that was stopped goes on where it ended.
 */
import type { DatabaseSync } from "node:sqlite";
import { z } from "zod";
import { isoTime, yieldToLoop } from "../../kernel/index.ts";

import { wordVectors } from "../text/word-vectors.ts";
import { shapeTerms, tokenize } from "../text/tokenize.ts";
import { packWords } from "../text/word-bag.ts";
import { prepareWrite } from "./prepare-write.ts";
import { transaction } from "./transaction.ts";
import { readMeta, writeMeta } from "./meta.ts";

export interface LoggedCommit {
  hash: string;
  at: number;
  author: string;
  message: string;
  files: { path: string; change: "added" | "modified" | "deleted"; renamedFrom?: string | undefined }[];
}

/** A first reading that has not come to its end: of which head, and how many of its commits were kept. */
const begunSchema = z.object({ head: z.string(), read: z.int(), renamed: z.array(z.tuple([z.string(), z.string()])) });
type Begun = z.infer<typeof begunSchema>;

export interface KnownHistory {
  /** All commits below it were read. */
  head: string | undefined;
  begun: Begun | undefined;
}

/** The commits to come replace what is there, come on top of it, or go on where a reading ended. */
export type HistoryPlace = "anew" | "on_top" | "further";

/** Days after which a change counts half. */
const CHANGE_HALF_LIFE_DAYS = 120;
const BATCH = 500;
/** The first line says what it is about. */
const SUBJECT_WEIGHT = 2;

export interface CommitWriter {
  known(): KnownHistory;
  /** What it returns takes the next commits, newest first. */
  begin(head: string, place: HistoryPlace): (commits: readonly LoggedCommit[], now: string, signal?: AbortSignal) => Promise<void>;
  /** All were written; `partial`: not everything could be read. */
  finish(head: string, partial: boolean): void;
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

  const known = (): KnownHistory => {
    const head = readMeta(db, "git_head");
    const begun = readMeta(db, "git_begun") ?? "";
    return { head: head === "" ? undefined : head, begun: begun === "" ? undefined : begunSchema.parse(JSON.parse(begun)) };
  };

  return {
    known,
    begin(head, place) {
      const begun: Begun = (place === "further" ? known().begun : undefined) ?? { head, read: 0, renamed: [] };
      const renamed = new Map(begun.renamed);
      if (place === "anew")
        transaction(db, () => {
          db.exec("DELETE FROM saying_signs WHERE kind = 'commit'; DELETE FROM nodes WHERE node_type = 'commit'");
          db.exec("INSERT INTO commit_fts(commit_fts) VALUES ('delete-all')");
          writeMeta(db, "git_head", "");
          writeMeta(db, "git_begun", JSON.stringify(begun));
        });
      const before = (db.prepare("SELECT max(key) AS last FROM commits").get() as { last: number | null }).last ?? 0;
      return async (commits, now, signal) => {
        const found = noteRenames(commits, renamed);
        if (place === "on_top" && found.size > 0) moveOldPaths(db, found, before);
        begun.renamed.push(...found);
        for (let from = 0; from < commits.length; from += BATCH) {
          const batch = commits.slice(from, from + BATCH);
          begun.read += batch.length;
          transaction(db, () => {
            for (const commit of batch) writeOne(commit, (path) => renamed.get(path) ?? path, now);
            // On top, the head is written last: what was stopped is read again, and what is there already stays.
            if (place !== "on_top") writeMeta(db, "git_begun", JSON.stringify(begun));
          });
          await yieldToLoop();
          signal?.throwIfAborted();
        }
      };
    },
    finish(head, partial) {
      transaction(db, () => {
        writeMeta(db, "git_head", head);
        writeMeta(db, "git_partial", partial ? "1" : "0");
        writeMeta(db, "git_begun", "");
      });
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

/** Adds which old path is which path now, and returns what was new. */
function noteRenames(commits: readonly LoggedCommit[], renamed: Map<string, string>): Map<string, string> {
  const found = new Map<string, string>();
  // Newest first: what a newer commit renamed is already known when an older one is met.
  for (const commit of commits) {
    for (const file of commit.files) {
      if (file.renamedFrom === undefined || renamed.has(file.renamedFrom)) continue;
      const last = renamed.get(file.path) ?? file.path;
      if (last === file.renamedFrom) continue;
      renamed.set(file.renamedFrom, last);
      found.set(file.renamedFrom, last);
    }
  }
  return found;
}

/** Of commits that were there before, up to this key. */
function moveOldPaths(db: DatabaseSync, renamed: ReadonlyMap<string, string>, lastKey: number): void {
  const move = prepareWrite(db, "UPDATE OR IGNORE commit_files SET path = ? WHERE path = ? AND commit_key <= ?");
  transaction(db, () => {
    for (const [old, now] of renamed) move.run(now, old, lastKey);
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
