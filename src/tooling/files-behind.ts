/**
 * Files that decide what a project's own entry point runs, besides the line behind its name: the make file as a
 * whole, what it includes and what make would make it anew from; the settings of package managers, which name
 * shells and programs. Who agreed to an entry point agreed to these as they were.
 */
import { existsSync, readdirSync } from "node:fs";
import path from "node:path";
import { sha256, projectFile } from "../kernel/index.ts";
import { MAKE_FILES } from "./discover/project-facts.ts";

export type FilesBehind = { kind: "followed"; lines: string[] } | { kind: "unclear"; reason: string };

const MANAGER_FILES = [".npmrc", ".yarnrc", ".yarnrc.yml", "bunfig.toml", "pnpm-workspace.yaml"];
const MAX_INCLUDED = 50;
/** A tab in front does not matter: before the first rule it is no recipe. */
const INCLUDE = /^[ \t]*[-s]?include\b([^#\n]*)/gmu;
const UNCLEAR: readonly [pattern: RegExp, what: string][] = [
  [/^[ \t]*-?load\b/mu, "loads a library"],
  [/\$[({]eval\b/u, "makes further lines while it is read"],
];

interface Seen {
  lines: string[];
  unclear: string | undefined;
}

/** Its text, and a line that changes with it. */
function look(root: string, file: string, seen: Seen): string | undefined {
  const found = projectFile.read(root, file);
  if (found.kind === "refused" || (found.kind === "read" && found.cut)) {
    seen.unclear ??= `${file} ${found.kind === "refused" ? found.reason : "is too large"}`;
    return undefined;
  }
  seen.lines.push(`${file}: ${found.kind === "none" ? "not there" : sha256(found.bytes)}`);
  return found.kind === "none" ? undefined : found.text;
}

function namesIncluded(text: string): string[] {
  return [...text.replaceAll(/\\\r?\n/gu, " ").matchAll(INCLUDE)]
    .flatMap((match) => (match[1] ?? "").split(/\s+/u))
    .filter((name) => name !== "");
}

function lookAtMake(root: string, seen: Seen): void {
  const first = MAKE_FILES.find((name) => existsSync(path.join(root, name)));
  if (first === undefined) return;
  // Make makes its own file anew from these, by rules that are built in.
  const sources = readdirSync(root).filter((name) => MAKE_FILES.some((make) => name.startsWith(`${make}.`) || name.startsWith(`${make},`)));
  if (["RCS", "SCCS"].some((name) => existsSync(path.join(root, name)))) seen.unclear ??= "make would fetch its files from RCS or SCCS";
  for (const name of sources.sort()) look(root, name, seen);
  const files = new Set([first]);
  for (const file of files) {
    const text = look(root, file, seen) ?? "";
    const what = UNCLEAR.find(([pattern]) => pattern.test(text))?.[1];
    if (what !== undefined) seen.unclear ??= `${file} ${what}`;
    for (const name of namesIncluded(text)) {
      if (/[$*?[\]%~]/u.test(name) || files.size >= MAX_INCLUDED) seen.unclear ??= `${file} includes ${name}, which cannot be followed`;
      else files.add(name);
    }
  }
}

/** `from` is the file that names the entry point. */
export function filesBehind(root: string, from: string): FilesBehind {
  const seen: Seen = { lines: [], unclear: undefined };
  if (from === "package.json") for (const file of MANAGER_FILES) if (existsSync(path.join(root, file))) look(root, file, seen);
  if (from === "Makefile") lookAtMake(root, seen);
  return seen.unclear === undefined ? { kind: "followed", lines: seen.lines } : { kind: "unclear", reason: seen.unclear };
}
