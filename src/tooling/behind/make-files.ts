/**
 * The files make reads: the one it takes first, what it includes, and what make would make them anew from. Who agreed
 * to an entry point agreed to these as they were.
 */
import { existsSync, readdirSync } from "node:fs";
import path from "node:path";
import { projectFile, sha256 } from "../../kernel/index.ts";
import { MAKE_FILES } from "../discover/project-facts.ts";
import type { Behind } from "./behind.ts";

const MAX_INCLUDED = 50;
/** A tab in front does not matter: before the first rule it is no recipe. */
const INCLUDE = /^[ \t]*[-s]?include\b([^#\n]*)/gmu;
const UNCLEAR: readonly [pattern: RegExp, what: string][] = [
  [/^[ \t]*-?load\b/mu, "loads a library"],
  [/\$[({](?:eval|guile|file)\b/u, "makes or writes further lines while it is read"],
];

/** Its text, and a line that changes with it. */
function look(behind: Behind, file: string): string | undefined {
  const found = projectFile.read(behind.root, file);
  const name = behind.relative(file);
  if (found.kind === "refused" || (found.kind === "read" && found.cut)) {
    behind.cannot(`${name} ${found.kind === "refused" ? found.reason : "is too large"}`);
    return undefined;
  }
  behind.says(`${name}: ${found.kind === "none" ? "not there" : sha256(found.bytes)}`);
  return found.kind === "none" ? undefined : found.text;
}

function namesIncluded(text: string): string[] {
  return [...text.replaceAll(/\\\r?\n/gu, " ").matchAll(INCLUDE)]
    .flatMap((match) => (match[1] ?? "").split(/\s+/u))
    .filter((name) => name !== "");
}

/** Each file with its text, the first first; undefined when there is none. */
export function readMakeFiles(behind: Behind, folder: string, named: string | undefined): Map<string, string> | undefined {
  const first = named ?? MAKE_FILES.find((name) => existsSync(path.join(folder, name)));
  if (first === undefined) return undefined;
  // Make makes its own file anew from these, by rules that are built in.
  const sources = readdirSync(folder).filter((name) =>
    [...MAKE_FILES, first].some((make) => name.startsWith(`${make}.`) || name.startsWith(`${make},`)),
  );
  if (["RCS", "SCCS"].some((name) => existsSync(path.join(folder, name)))) behind.cannot("make would fetch its files from RCS or SCCS");
  for (const name of sources.sort()) look(behind, path.join(folder, name));
  const texts = new Map<string, string>();
  const files = new Set([first]);
  for (const file of files) {
    const text = look(behind, path.resolve(folder, file)) ?? "";
    texts.set(file, text);
    for (const made of [".sh", ",v"])
      if (existsSync(path.resolve(folder, `${file}${made}`))) behind.takeIfThere(path.resolve(folder, `${file}${made}`));
    const what = UNCLEAR.find(([pattern]) => pattern.test(text))?.[1];
    if (what !== undefined) behind.cannot(`${file} ${what}`);
    for (const name of namesIncluded(text)) {
      if (/[$*?[\]%~]/u.test(name) || files.size >= MAX_INCLUDED) behind.cannot(`${file} includes ${name}, which cannot be followed`);
      else files.add(name);
    }
  }
  return texts;
}
