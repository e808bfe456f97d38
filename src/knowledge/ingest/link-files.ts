/** Turns import texts into edges between files, and finds which test is about which file. Done again whenever files changed. */
import type { DatabaseSync } from "node:sqlite";
import path from "node:path";
import { languageById, type ProjectPaths } from "../../code/index.ts";
import { transaction } from "../store/transaction.ts";
import { prepareWrite } from "../store/prepare-write.ts";
import { isTestFile } from "./classify-file.ts";

const TAIL_SEGMENTS = 4;

function indexPaths(files: readonly string[]): ProjectPaths {
  const all = new Set(files);
  const tails = new Map<string, string[]>();
  const folders = new Map<string, string[]>();
  const add = (map: Map<string, string[]>, key: string, file: string): void => {
    const list = map.get(key);
    if (list === undefined) map.set(key, [file]);
    else list.push(file);
  };
  for (const file of files) {
    const parts = file.split("/");
    for (let n = 1; n <= Math.min(TAIL_SEGMENTS, parts.length); n += 1) add(tails, parts.slice(-n).join("/"), file);
    add(folders, path.posix.dirname(file), file);
  }
  return { has: (file) => all.has(file), endingWith: (tail) => tails.get(tail) ?? [], inFolder: (folder) => folders.get(folder) ?? [] };
}

/** The same, asked of the database: for a few files that is less than reading all paths. */
function pathsInDatabase(db: DatabaseSync): ProjectPaths {
  const one = db.prepare("SELECT 1 FROM files WHERE path = ? AND kind <> 'external'");
  const named = db.prepare(
    "SELECT f.path FROM nodes n JOIN files f ON f.key = n.key WHERE n.name = ? COLLATE NOCASE AND n.node_type = 'file' ORDER BY f.path",
  );
  const below = db.prepare("SELECT path FROM files WHERE path > ? AND path < ? AND kind <> 'external' ORDER BY path");
  const pathsOf = (rows: unknown): string[] => (rows as { path: string }[]).map((row) => row.path);
  return {
    has: (file) => one.get(file) !== undefined,
    endingWith(tail) {
      if (tail.split("/").length > TAIL_SEGMENTS) return [];
      return pathsOf(named.all(path.posix.basename(tail))).filter((file) => file === tail || file.endsWith(`/${tail}`));
    },
    // "0" follows "/".
    inFolder: (folder) => pathsOf(below.all(`${folder}/`, `${folder}0`)).filter((file) => path.posix.dirname(file) === folder),
  };
}

/** `src/foo.ts` for `test/foo.test.ts`, `foo.py` for `test_foo.py`. */
function testedBy(test: string, paths: ProjectPaths): string[] {
  const ending = path.posix.extname(test);
  const name = path.posix
    .basename(test, ending)
    .replace(/^test_|[._-](?:test|spec|tests)$|_test$|(?<=[a-z\d])(?:Test|Tests|Spec|IT)$/u, "");
  if (name === path.posix.basename(test, ending) && !/(?:^|\/)tests?\//u.test(test)) return [];
  const candidates = paths.endingWith(`${name}${ending}`).filter((file) => file !== test && !isTestFile(file));
  return candidates.length > 3 ? [] : [...candidates];
}

interface LinkedFile {
  key: number;
  path: string;
  test: number;
  language: string | null;
}

/** `only`: the files whose imports may have changed, when no file came or went; absent: all. */
export function linkFiles(db: DatabaseSync, only?: readonly string[]): void {
  const where = only === undefined ? "" : "AND f.path IN (SELECT value FROM json_each(?))";
  const statement = db.prepare(
    `SELECT f.key, f.path, f.test, n.language FROM files f JOIN nodes n ON n.key = f.key WHERE f.kind <> 'external' ${where} ORDER BY f.path`,
  );
  const wanted = (only === undefined ? statement.all() : statement.all(JSON.stringify(only))) as unknown as LinkedFile[];
  const paths = only === undefined ? indexPaths(wanted.map((file) => file.path)) : pathsInDatabase(db);
  const keyOf = db.prepare("SELECT key FROM files WHERE path = ?");
  const imports = db.prepare("SELECT name FROM mentions WHERE file = ? AND kind = 'import'");
  const drop = prepareWrite(db, "DELETE FROM edges WHERE source = ? AND edge_type IN ('imports', 'tests')");
  const add = prepareWrite(db, "INSERT INTO edges (source, target, edge_type, weight) VALUES (?, ?, ?, 1) ON CONFLICT DO NOTHING");
  const addTo = (file: LinkedFile, target: string, type: string): void => {
    const found = keyOf.get(target) as { key: number } | undefined;
    if (found !== undefined && found.key !== file.key) add.run(file.key, found.key, type);
  };
  transaction(db, () => {
    if (only === undefined) db.exec("DELETE FROM edges WHERE edge_type IN ('imports', 'tests')");
    for (const file of wanted) {
      if (only !== undefined) drop.run(file.key);
      const language = languageById(file.language ?? "");
      if (language?.filesOf !== undefined)
        for (const { name } of imports.all(file.key) as { name: string }[])
          for (const target of language.filesOf(file.path, name, paths)) addTo(file, target, "imports");
      if (file.test === 1) for (const target of testedBy(file.path, paths)) addTo(file, target, "tests");
    }
  });
}
