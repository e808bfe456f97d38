/** The project in a few hundred tokens: the files that matter most, each with what it defines. */
import type { DatabaseSync } from "node:sqlite";

export interface MapOptions {
  budgetTokens: number;
  /** Only below this folder. */
  folder?: string | undefined;
  countTokens: (text: string) => number;
}

export interface ProjectMap {
  text: string;
  tokens: number;
  shown: number;
  files: number;
}

interface FileRow {
  key: number;
  path: string;
  importers: number;
  changes: number;
  test: number;
  symbols: number;
}

const MAX_SYMBOLS = 12;

/** Much imported, often changed, defining much; tests and generated files last. */
function weightOf(file: FileRow): number {
  return Math.log1p(file.importers) * 2 + Math.log1p(file.changes) + Math.log1p(file.symbols) * 0.5 - (file.test === 1 ? 3 : 0);
}

export function createMap(db: DatabaseSync, options: MapOptions): ProjectMap {
  const files = db
    .prepare(
      `SELECT f.key, f.path, f.changes, f.test, (SELECT count(*) FROM edges e WHERE e.target = f.key AND e.edge_type = 'imports') AS importers,
       (SELECT count(*) FROM nodes n WHERE n.owner = f.key) AS symbols FROM files f WHERE f.kind IN ('code', 'doc', 'config') AND f.path LIKE ? ESCAPE '!'`,
    )
    .all(
      options.folder === undefined ? "%" : `${options.folder.replaceAll(/[!%_]/gu, "!$&").replace(/\/$/u, "")}/%`,
    ) as unknown as FileRow[];
  const symbols = db.prepare(
    "SELECT signature, node_type AS type, name FROM nodes WHERE owner = ? AND node_type NOT IN ('variable', 'constant') ORDER BY line_start LIMIT ?",
  );
  const chosen: { path: string; text: string }[] = [];
  let tokens = 0;
  for (const file of files.toSorted((a, b) => weightOf(b) - weightOf(a) || (a.path < b.path ? -1 : 1))) {
    const lines = (symbols.all(file.key, MAX_SYMBOLS) as { signature: string }[]).map(
      (symbol) => `  ${symbol.signature.replace(/\s*[{:]\s*$/u, "").slice(0, 120)}`,
    );
    // All of it, else the shorter half, else its name.
    for (const part of [lines, lines.slice(0, 4), []]) {
      const text = [file.path, ...part].join("\n");
      const cost = options.countTokens(`${text}\n`);
      if (tokens + cost > options.budgetTokens) continue;
      chosen.push({ path: file.path, text });
      tokens += cost;
      break;
    }
    if (tokens > options.budgetTokens * 0.97) break;
  }
  const text = chosen
    .sort((a, b) => (a.path < b.path ? -1 : 1))
    .map((one) => one.text)
    .join("\n");
  return { text, tokens: options.countTokens(text), shown: chosen.length, files: files.length };
}
