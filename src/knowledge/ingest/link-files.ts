/** Turns import texts into edges between files, and finds which test is about which file. Done again whenever files changed. */
import type { DatabaseSync } from "node:sqlite";
import path from "node:path";
import { transaction } from "../store/file-writer.ts";
import { prepareWrite } from "../store/prepare-write.ts";
import { isTestFile } from "./classify-file.ts";

const SCRIPT_ENDINGS = [
  "",
  ".ts",
  ".tsx",
  ".js",
  ".jsx",
  ".mjs",
  ".cjs",
  ".mts",
  ".vue",
  ".svelte",
  "/index.ts",
  "/index.tsx",
  "/index.js",
];

const TAIL_SEGMENTS = 4;

interface Paths {
  has(file: string): boolean;
  /** Files whose path ends so, by their last two and one segments. */
  endingWith(tail: string): readonly string[];
  inFolder(folder: string): readonly string[];
}

function indexPaths(files: readonly string[]): Paths {
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
function pathsInDatabase(db: DatabaseSync): Paths {
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

function script(from: string, spec: string, paths: Paths): string[] {
  if (!spec.startsWith(".")) return [];
  const target = path.posix.join(path.posix.dirname(from), spec);
  const stem = target.replace(/\.[cm]?jsx?$/u, "");
  const found = [...SCRIPT_ENDINGS.map((ending) => target + ending), ...SCRIPT_ENDINGS.map((ending) => stem + ending)].find((file) =>
    paths.has(file),
  );
  return found === undefined ? [] : [found];
}

function python(from: string, spec: string, paths: Paths): string[] {
  const dots = /^\.+/u.exec(spec)?.[0].length ?? 0;
  const rest = spec.slice(dots).replaceAll(".", "/");
  if (dots > 0) {
    let folder = path.posix.dirname(from);
    for (let i = 1; i < dots; i += 1) folder = path.posix.dirname(folder);
    const place = path.posix.join(folder, rest);
    return [`${place}.py`, `${place}/__init__.py`].filter((file) => paths.has(file));
  }
  return [...paths.endingWith(`${rest}.py`), ...paths.endingWith(`${rest}/__init__.py`)].slice(0, 2);
}

function go(_from: string, spec: string, paths: Paths): string[] {
  const parts = spec.split("/");
  for (let n = Math.min(4, parts.length); n >= 1; n -= 1) {
    const inside = paths.inFolder(parts.slice(-n).join("/")).filter((file) => file.endsWith(".go") && !file.endsWith("_test.go"));
    if (inside.length > 0) return inside.slice(0, 12);
  }
  return [];
}

function rust(from: string, spec: string, paths: Paths): string[] {
  const parts = spec
    .replaceAll(/\{[\s\S]*|\s/gu, "")
    .split("::")
    .filter((part) => part !== "" && part !== "crate" && part !== "self" && part !== "super");
  const here = path.posix.dirname(from);
  const own = path.posix.join(here, path.posix.basename(from, ".rs"));
  for (let n = parts.length; n >= 1; n -= 1) {
    const tail = parts.slice(0, n).join("/");
    const found = [`${here}/${tail}.rs`, `${here}/${tail}/mod.rs`, `${own}/${tail}.rs`].filter((file) => paths.has(file));
    if (found.length > 0) return found.slice(0, 1);
    const ending = [...paths.endingWith(`src/${tail}.rs`), ...paths.endingWith(`${tail}.rs`)];
    if (ending.length > 0 && n >= 1) return ending.slice(0, 1);
  }
  return [];
}

function java(_from: string, spec: string, paths: Paths): string[] {
  const parts = spec.split(".");
  for (let n = Math.min(4, parts.length); n >= 2; n -= 1) {
    const found = paths.endingWith(`${parts.slice(-n).join("/")}.java`);
    if (found.length > 0) return found.slice(0, 2);
  }
  return [];
}

const RESOLVERS: Readonly<Record<string, (from: string, spec: string, paths: Paths) => string[]>> = {
  typescript: script,
  javascript: script,
  python,
  go,
  rust,
  java,
};

/** `src/foo.ts` for `test/foo.test.ts`, `foo.py` for `test_foo.py`. */
function testedBy(test: string, paths: Paths): string[] {
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
      const resolve = RESOLVERS[file.language ?? ""];
      if (resolve !== undefined)
        for (const { name } of imports.all(file.key) as { name: string }[])
          for (const target of resolve(file.path, name, paths)) addTo(file, target, "imports");
      if (file.test === 1) for (const target of testedBy(file.path, paths)) addTo(file, target, "tests");
    }
  });
}
