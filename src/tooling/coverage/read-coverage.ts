/**
 * How much of a project its tests run, by the reports that its own tools left behind. Nothing is run for it: where no
 * report is there, nothing is known. Somebody else's files: only numbers come out of them.
 */
import { statSync } from "node:fs";
import path from "node:path";
import { projectFile } from "../../kernel/index.ts";
import { coverageFormats, type Lines } from "./coverage-formats.ts";

export interface Coverage {
  /** Of the lines that could run, 0 to 100. */
  percent: number;
  /** The same by kind of test, where the project keeps reports apart. */
  unit?: number;
  integration?: number;
  /** The reports it was read from. */
  from: string[];
  /** When the oldest of them was written. */
  writtenMs: number;
}

type Kind = "all" | "unit" | "integration";

/** Where tools leave reports, by what is in them. */
const FOLDERS: readonly { folder: string; kind: Kind }[] = [
  { folder: "coverage", kind: "all" },
  { folder: ".", kind: "all" },
  { folder: "coverage/unit", kind: "unit" },
  { folder: "coverage/integration", kind: "integration" },
  { folder: "coverage/e2e", kind: "integration" },
];
const MAX_BYTES = 32 * 1024 * 1024;

interface Report {
  file: string;
  kind: Kind;
  writtenMs: number;
  lines: Lines;
}

/** Of each folder the first form that is there; the same run often leaves several. */
function reportsOf(root: string): Report[] {
  const found: Report[] = [];
  for (const { folder, kind } of FOLDERS) {
    if (folder === "." && found.length > 0) continue;
    for (const { name, read } of coverageFormats) {
      const file = path.posix.join(folder, name);
      const text = projectFile.text(root, file, { maxBytes: MAX_BYTES });
      const lines = text === undefined ? undefined : read(text, (written) => inProject(root, written));
      if (lines === undefined || lines.size === 0) continue;
      const writtenMs = statSync(path.join(root, file), { throwIfNoEntry: false })?.mtimeMs ?? 0;
      found.push({ file, kind, writtenMs, lines });
      break;
    }
  }
  return found;
}

/** Reports name files absolutely, from the project, or by the module they belong to. */
function inProject(root: string, written: string): string {
  const plain = written.split(path.sep).join("/");
  if (path.isAbsolute(written)) return path.relative(root, written).split(path.sep).join("/");
  const parts = plain.replace(/^\.\//u, "").split("/");
  for (let at = 0; at < parts.length; at += 1) {
    const short = parts.slice(at).join("/");
    if (statSync(path.join(root, short), { throwIfNoEntry: false })?.isFile() === true) return short;
  }
  return plain;
}

/** A line that any of them ran was run. */
function percentOf(reports: readonly Report[], isIn: (file: string) => boolean): number | undefined {
  const all = new Map<string, boolean>();
  for (const { lines } of reports)
    for (const [file, hits] of lines)
      if (isIn(file)) for (const [line, hit] of hits) all.set(`${file}:${line}`, hit || all.get(`${file}:${line}`) === true);
  const ran = [...all.values()].filter(Boolean).length;
  return all.size === 0 ? undefined : Math.round((ran / all.size) * 1_000) / 10;
}

/** Undefined: no report speaks of these files. */
export function readCoverage(root: string, isIn: (file: string) => boolean): Coverage | undefined {
  const reports = reportsOf(root);
  const percent = percentOf(reports, isIn);
  if (percent === undefined) return undefined;
  const of = (kind: Kind): number | undefined => {
    const own = reports.filter((one) => one.kind === kind);
    return percentOf(own, isIn);
  };
  const [unit, integration] = [of("unit"), of("integration")];
  return {
    percent,
    ...(unit === undefined ? {} : { unit }),
    ...(integration === undefined ? {} : { integration }),
    from: reports.map(({ file }) => file),
    writtenMs: Math.min(...reports.map(({ writtenMs }) => writtenMs)),
  };
}
