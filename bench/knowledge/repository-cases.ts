/**
 * What is asked of one repository, each with the files that answer it: messages of commits (asked at the
 * parent, where neither the commit nor anything after it is known), names of definitions, stack traces of
 * another machine, and questions in words. Definitions are found here by patterns, not by the product.
 */
import { execFileSync } from "node:child_process";
import { readFileSync, statSync } from "node:fs";
import path from "node:path";
import { chunkPassages, type Passage } from "./baselines.ts";
import { QUESTIONS } from "./questions.ts";

export const KINDS = ["short message", "long message", "question", "name", "stack trace"] as const;
export type CaseKind = (typeof KINDS)[number];

export interface RepositoryCase {
  kind: CaseKind;
  /** The commit at which it is asked. */
  at: string;
  text: string;
  /** Paths; those that are not known at that commit are left out. */
  wanted: string[];
}

const LIMITS = { wanted: 30, bodyChars: 80, names: 24, traces: 16, frames: 3 };
const TRAILERS = /^(?:[\w-]+-by|cc|change-id|pr-url|reviewed-on|refs?|fixes|closes)\b.*$/gimu;

export type Git = (...args: string[]) => string;

export function gitIn(root: string): Git {
  return (...args) => execFileSync("git", ["-C", root, ...args], { maxBuffer: 1e9, stdio: ["ignore", "pipe", "ignore"] }).toString();
}

/** The same seed gives the same numbers. */
export function seeded(seed: number): () => number {
  let state = seed >>> 0 || 1;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296;
  };
}

/** Spread evenly over the newest part of the history, oldest first. */
export function messageCases(git: Git, count: number): RepositoryCase[] {
  const all = git("log", "--no-merges", "--format=%H", `-${count * 8}`)
    .trim()
    .split("\n")
    .slice(0, -5);
  const step = Math.max(1, Math.floor(all.length / count));
  return all
    .filter((_, i) => i % step === 0)
    .slice(0, count)
    .toReversed()
    .flatMap((commit) => {
      const changed = git("diff-tree", "--no-commit-id", "--no-renames", "--name-status", "-r", commit).trim().split("\n");
      const wanted = changed.flatMap((line) => (/^[MD]\t/u.test(line) ? [line.slice(2)] : []));
      if (wanted.length === 0 || wanted.length > LIMITS.wanted) return [];
      const text = git("log", "-1", "--format=%B", commit);
      const body = text.slice(text.indexOf("\n")).replaceAll(TRAILERS, "").trim();
      return [
        { kind: body.length >= LIMITS.bodyChars ? ("long message" as const) : ("short message" as const), at: `${commit}^`, text, wanted },
      ];
    });
}

const DEFINITION =
  /^[ \t]*(?:export |default |public |private |protected |static |final |abstract |async |pub(?:\([a-z]+\))? |unsafe )*(?:class|interface|trait|struct|enum|type|module|function\*?|def|func(?: \([^)]*\))?|fn)[ \t]+([A-Za-z_]\w{4,})/gmu;
const SOURCE = /\.(?:ts|tsx|js|mjs|py|go|rs|java|rb|c|h|cc|cpp)$/u;
const C_FUNCTION = /^[A-Za-z_][\w *]*[ *]([a-z_]\w{5,})\([^;{]*\)\s*\{/gmu;

interface Definition {
  name: string;
  file: string;
  line: number;
}

function definitionsIn(root: string, files: readonly string[]): Definition[] {
  const found: Definition[] = [];
  for (const file of files) {
    if (!SOURCE.test(file) || /(?:^|\/)(?:tests?|spec|examples?|vendor|third_party|benches)\//u.test(file)) continue;
    const text = readFileSync(path.join(root, file), "utf8");
    for (const match of text.matchAll(/\.[ch]$/u.test(file) ? C_FUNCTION : DEFINITION))
      found.push({ name: match[1] as string, file, line: text.slice(0, match.index).split("\n").length + 1 });
  }
  const times = Map.groupBy(found, ({ name }) => name);
  return found.filter(({ name }) => times.get(name)?.length === 1);
}

function pick<T>(list: readonly T[], count: number, random: () => number): T[] {
  const left = [...list];
  return Array.from({ length: Math.min(count, left.length) }, () => left.splice(Math.floor(random() * left.length), 1)[0] as T);
}

function frame({ name, file, line }: Definition): string {
  if (file.endsWith(".py")) return `  File "/home/ci/build/${file}", line ${line}, in ${name}`;
  if (file.endsWith(".rb")) return `\tfrom /home/ci/build/${file}:${line}:in '${name}'`;
  if (file.endsWith(".java"))
    return `\tat ${file
      .replaceAll(/^.*?src\/(?:main\/)?(?:java\/)?/gu, "")
      .replace(/\.java$/u, "")
      .replaceAll("/", ".")}.${name}(${path.basename(file)}:${line})`;
  if (file.endsWith(".go")) return `main.${name}(0xc000010000)\n\t/home/ci/build/${file}:${line} +0x1d`;
  if (file.endsWith(".rs")) return `   3: ${name}\n             at /home/ci/build/${file}:${line}:9`;
  if (/\.(?:c|h|cc|cpp)$/u.test(file)) return `#2 0x00005581 in ${name} () at /home/ci/build/${file}:${line}`;
  return `    at ${name} (/home/ci/build/${file}:${line}:11)`;
}

/** Names and traces of what stands in the work tree, and the questions written for this repository. */
export function placeCases(name: string, root: string, git: Git): RepositoryCase[] {
  const at = git("rev-parse", "HEAD").trim();
  const random = seeded(7_919);
  const definitions = definitionsIn(root, git("ls-files").trim().split("\n"));
  const names = pick(definitions, LIMITS.names, random).map((one) => ({ kind: "name" as const, at, text: one.name, wanted: [one.file] }));
  const traces = Array.from({ length: definitions.length < 12 ? 0 : LIMITS.traces }, () => {
    const frames = pick(definitions, LIMITS.frames, random);
    const text = `Error: unexpected state while handling the request\n${frames.map(frame).join("\n")}`;
    return { kind: "stack trace" as const, at, text, wanted: [...new Set(frames.map(({ file }) => file))] };
  });
  const questions = (QUESTIONS[name] ?? []).map(([text, ...wanted]) => ({ kind: "question" as const, at, text, wanted }));
  return [...questions, ...names, ...traces];
}

/** Pieces of forty lines, as plain BM25 sees them; kept for files that did not change. */
export function createPassages(root: string): (files: readonly string[]) => Passage[] {
  const cache = new Map<string, Passage[]>();
  return (files) =>
    files.flatMap((file) => {
      const facts = statSync(path.join(root, file), { throwIfNoEntry: false });
      if (facts === undefined) return [];
      const key = `${file}:${facts.mtimeMs}:${facts.size}`;
      let found = cache.get(key);
      if (found === undefined) {
        const bytes = facts.size > 1e6 ? Buffer.from([0]) : readFileSync(path.join(root, file));
        found = bytes.subarray(0, 8_000).includes(0) ? [] : chunkPassages(file, bytes.toString("utf8"));
        cache.set(key, found);
      }
      return found;
    });
}
