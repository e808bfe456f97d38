/** Writes what was read of project files. One call, one transaction; writing the same file twice changes nothing. */
import type { DatabaseSync } from "node:sqlite";
import type { ReadFile } from "./file-report.ts";
import { createPieceWriter } from "./piece-writer.ts";
import { prepareWrite } from "./prepare-write.ts";
import { transaction } from "./transaction.ts";

export interface KnownFile {
  path: string;
  hash: string;
  size: number;
  mtimeMs: number;
}

export interface FileWriter {
  /** All files, or those of these paths. */
  known(paths?: readonly string[]): Map<string, KnownFile>;
  count(): number;
  write(files: readonly ReadFile[], now: string): void;
  touch(file: { path: string; size: number; mtimeMs: number }): void;
  remove(paths: readonly string[]): void;
}

export function createFileWriter(db: DatabaseSync): FileWriter {
  const find = db.prepare("SELECT key, hash FROM files WHERE path = ?");
  const addNode = prepareWrite(
    db,
    `INSERT INTO nodes (id, domain, node_type, name, path, language, line_start, line_end, signature, doc, content_hash, verified,
    verification_type, confidence, trust_level, created_at, updated_at, owner) VALUES (?, 'code', ?, ?, ?, ?, ?, ?, ?, ?, ?, 1, 'against_code', 1, 100, ?, ?, ?)`,
  );
  const updateFile = prepareWrite(db, "UPDATE nodes SET language = ?, line_end = ?, content_hash = ?, updated_at = ? WHERE key = ?");
  const putFile = prepareWrite(
    db,
    `INSERT INTO files (key, path, hash, size, mtime_ms, kind, lines, test, broken) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
    ON CONFLICT (key) DO UPDATE SET hash = excluded.hash, size = excluded.size, mtime_ms = excluded.mtime_ms, kind = excluded.kind, lines = excluded.lines, test = excluded.test, broken = excluded.broken`,
  );
  const touch = prepareWrite(db, "UPDATE files SET size = ?, mtime_ms = ? WHERE path = ?");
  const pieces = createPieceWriter(db);
  const addMention = prepareWrite(db, "INSERT INTO mentions (file, node, name, kind, line, count) VALUES (?, ?, ?, ?, ?, ?)");
  const addEdge = prepareWrite(db, "INSERT INTO edges (source, target, edge_type) VALUES (?, ?, 'defines')");
  const addFileText = prepareWrite(db, "INSERT INTO file_fts (rowid, path, symbols) VALUES (?, ?, ?)");
  const addName = prepareWrite(db, "INSERT INTO name_fts (rowid, name) VALUES (?, ?)");
  const chunkKeys = db.prepare("SELECT key FROM chunks WHERE file = ?");
  const symbolKeys = db.prepare("SELECT key FROM nodes WHERE owner = ?");
  const drop = {
    name: prepareWrite(db, "DELETE FROM name_fts WHERE rowid = ?"),
    fileText: prepareWrite(db, "DELETE FROM file_fts WHERE rowid = ?"),
    mentions: prepareWrite(db, "DELETE FROM mentions WHERE file = ?"),
    symbols: prepareWrite(db, "DELETE FROM nodes WHERE owner = ?"),
    node: prepareWrite(db, "DELETE FROM nodes WHERE key = ?"),
  };

  const clear = (file: number): void => {
    for (const { key } of chunkKeys.all(file) as { key: number }[]) pieces.remove(key);
    for (const { key } of symbolKeys.all(file) as { key: number }[]) drop.name.run(key);
    drop.name.run(file);
    drop.fileText.run(file);
    drop.mentions.run(file);
    drop.symbols.run(file);
  };

  const writeParts = (key: number, file: ReadFile, now: string): void => {
    addFileText.run(key, file.pathTokens, file.symbolTokens);
    addName.run(key, file.path);
    const seen = new Map<string, number>();
    const symbolNodes = file.symbols.map((symbol) => {
      const times = (seen.get(symbol.name) ?? 0) + 1;
      seen.set(symbol.name, times);
      const id = `${file.path}:${symbol.name}${times === 1 ? "" : `#${times}`}`;
      const added = addNode.run(
        id,
        symbol.kind,
        symbol.name,
        file.path,
        file.language ?? null,
        symbol.line,
        symbol.endLine,
        symbol.signature,
        symbol.doc,
        null,
        now,
        now,
        key,
      );
      const node = Number(added.lastInsertRowid);
      addName.run(node, symbol.name);
      addEdge.run(key, node);
      return node;
    });
    const nodeOf = (symbol: number | undefined): number | null => (symbol === undefined ? null : (symbolNodes[symbol] ?? null));
    for (const chunk of file.chunks) pieces.add(key, nodeOf(chunk.symbol), chunk);
    for (const mention of file.mentions)
      addMention.run(key, nodeOf(mention.symbol), mention.name, mention.kind, mention.line, mention.count);
  };

  const writeOne = (file: ReadFile, now: string): void => {
    const known = find.get(file.path) as { key: number; hash: string } | undefined;
    if (known?.hash === file.hash) {
      touch.run(file.size, file.mtimeMs, file.path);
      return;
    }
    let key = known?.key;
    if (key === undefined)
      key = Number(
        addNode.run(
          file.path,
          "file",
          file.path.slice(file.path.lastIndexOf("/") + 1),
          file.path,
          file.language ?? null,
          1,
          file.lines,
          null,
          null,
          file.hash,
          now,
          now,
          null,
        ).lastInsertRowid,
      );
    else {
      clear(key);
      updateFile.run(file.language ?? null, file.lines, file.hash, now, key);
    }
    putFile.run(key, file.path, file.hash, file.size, file.mtimeMs, file.kind, file.lines, file.test ? 1 : 0, file.broken ? 1 : 0);
    writeParts(key, file, now);
  };

  return {
    known(paths) {
      const columns = "path, hash, size, mtime_ms AS mtimeMs";
      const rows =
        paths === undefined
          ? db.prepare(`SELECT ${columns} FROM files WHERE kind <> 'external'`).all()
          : db
              .prepare(`SELECT ${columns} FROM files WHERE kind <> 'external' AND path IN (SELECT value FROM json_each(?))`)
              .all(JSON.stringify(paths));
      return new Map((rows as unknown as KnownFile[]).map((row) => [row.path, row]));
    },
    count: () => (db.prepare("SELECT count(*) AS n FROM files WHERE kind <> 'external'").get() as { n: number }).n,
    write: (files, now) =>
      transaction(db, () => {
        for (const file of files) writeOne(file, now);
      }),
    touch: (file) => void transaction(db, () => touch.run(file.size, file.mtimeMs, file.path)),
    remove: (paths) =>
      transaction(db, () => {
        for (const path of paths) {
          const known = find.get(path) as { key: number } | undefined;
          if (known === undefined) continue;
          clear(known.key);
          drop.node.run(known.key);
        }
      }),
  };
}
