/**
 * Programs of the project that its own lines run: scripts beside the code, tools under `node_modules/.bin`. Who agreed
 * to a line agreed to these as they were, and to where their links led. What such a program loads is not followed.
 */
import { realpathSync } from "node:fs";
import path from "node:path";
import { projectFile, sha256 } from "../kernel/index.ts";
import type { FilesBehind } from "./files-behind.ts";

const MAX_BYTES = 64 * 1024 * 1024;
/** What they run is named by a word after them. */
const INTERPRETERS =
  /^(?:node|deno|bun|tsx|ts-node|sh|bash|dash|zsh|ksh|source|\.|exec|env|time|xargs|python[\d.]*|ruby|perl|php|lua|Rscript|pwsh)$/u;

/** The words of each command of a line, with the folder it runs in. */
function commandsOf(line: string, root: string): { words: string[]; cwd: string }[] {
  let cwd = root;
  return line.split(/&&|\|\||[;|&\n]/u).flatMap((part) => {
    const words = part
      .split(/[\s'"`()]+/u)
      .map((word) => word.replace(/^[@+-](?=[\w./])/u, ""))
      .filter((word) => word !== "" && !/^[A-Za-z_]\w*=/u.test(word));
    if (words[0] !== "cd") return [{ words, cwd }];
    cwd = path.resolve(cwd, words[1] ?? ".");
    return [];
  });
}

/** Package managers put these folders in front, the nearest first. */
function installed(name: string, root: string): string | undefined {
  for (let dir = root; ; dir = path.dirname(dir)) {
    const file = path.join(dir, "node_modules/.bin", name);
    if (real(file) !== undefined) return file;
    if (dir === path.dirname(dir)) return undefined;
  }
}

function real(file: string): string | undefined {
  try {
    return realpathSync.native(file);
  } catch {
    return undefined;
  }
}

function filesOf({ words, cwd }: { words: string[]; cwd: string }): { word: string; file: string }[] {
  const interpreted = words.some((word) => INTERPRETERS.test(word));
  return words.flatMap((word, at) => {
    const named = word.replace(/^-[^=]*=/u, "");
    if (!named.includes("/") && /^[\w.@-]+$/u.test(named)) {
      const tool = installed(named, cwd);
      if (tool !== undefined) return [{ word, file: tool }];
    }
    const isProgram = at === 0 && named.includes("/");
    return isProgram || interpreted ? [{ word, file: path.resolve(cwd, named) }] : [];
  });
}

/** A line that changes with the program; undefined when it is none of the project's. */
function lookAt({ word, file }: { word: string; file: string }, root: string): string | undefined | { unclear: string } {
  if (path.relative(root, file).startsWith("..") && !file.includes("node_modules/.bin")) return undefined;
  const at = real(file);
  if (at === undefined) return word.includes("/") ? `${word}: not there` : undefined;
  const found = projectFile.read(path.dirname(at), path.basename(at), { maxBytes: MAX_BYTES });
  if (found.kind === "read" && found.cut) return { unclear: `${word} is too large` };
  if (found.kind !== "read") return undefined;
  // Beside its folder, so that a work tree with linked dependencies has the same.
  const leads = path.relative(real(path.dirname(file)) ?? root, at);
  return `${word}: ${leads === path.basename(file) ? "" : `${leads} `}${sha256(found.bytes)}`;
}

export function programsBehind(root: string, lines: readonly string[]): FilesBehind {
  const seen = new Set<string>();
  for (const one of lines.flatMap((line) => commandsOf(line, root)).flatMap(filesOf)) {
    const looked = lookAt(one, root);
    if (typeof looked === "object") return { kind: "unclear", reason: looked.unclear };
    if (looked !== undefined) seen.add(looked);
  }
  return { kind: "followed", lines: [...seen] };
}
