/** Which requirements have a passing test: the IDs that open test titles against the IDs the spec defines. */
import { readFileSync, readdirSync } from "node:fs";
import path from "node:path";
import type { TestResult } from "./report.ts";

export interface PrefixCoverage {
  prefix: string;
  total: number;
  proven: number;
  missing: string[];
}

export interface Trace {
  prefixes: PrefixCoverage[];
  total: number;
  proven: number;
  /** IDs in titles that the spec does not define. */
  unknown: { id: string; title: string; file: string }[];
}

/** A requirement is defined where its ID opens a line: a paragraph, a list item or a table row. */
const DEFINITION = /^\s*(?:-\s+|\|\s*)?(?:\*\*)?([A-Z]{3}-\d{3})\b/gm;
const OPENING = /^[A-Z]{3}-\d{3}(?:[\s,]+[A-Z]{3}-\d{3})*(?=\s*:)/;

export function definedIds(specFolder: string): Set<string> {
  const ids = new Set<string>();
  for (const name of readdirSync(specFolder).filter((n) => n.endsWith(".md"))) {
    for (const match of readFileSync(path.join(specFolder, name), "utf8").matchAll(DEFINITION)) ids.add(match[1] as string);
  }
  return ids;
}

/** `ERR-001 ERR-009: …` → both IDs; none when the title opens otherwise. */
export function idsOf(title: string): string[] {
  return OPENING.exec(title)?.[0].split(/[\s,]+/) ?? [];
}

/** An ID is proven when at least one test names it and none that names it fails. */
export function traceRequirements(defined: ReadonlySet<string>, results: readonly TestResult[]): Trace {
  const passed = new Set<string>();
  const failed = new Set<string>();
  const unknown: Trace["unknown"] = [];
  for (const { title, file, status } of results) {
    for (const id of idsOf(title)) {
      if (!defined.has(id)) unknown.push({ id, title, file });
      else if (status === "passed") passed.add(id);
      else if (status === "failed") failed.add(id);
    }
  }
  const prefixes = new Map<string, PrefixCoverage>();
  for (const id of [...defined].sort()) {
    const prefix = id.slice(0, 3);
    const row = prefixes.get(prefix) ?? { prefix, total: 0, proven: 0, missing: [] };
    row.total += 1;
    if (passed.has(id) && !failed.has(id)) row.proven += 1;
    else row.missing.push(id);
    prefixes.set(prefix, row);
  }
  const rows = [...prefixes.values()];
  return { prefixes: rows, total: defined.size, proven: rows.reduce((sum, row) => sum + row.proven, 0), unknown };
}
