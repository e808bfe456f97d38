/** How a language is written, by a vote of some files; a field that no clear majority agrees on stays open. */
import path from "node:path";
import type { Naming, Style, StyledLanguage } from "./style.ts";

/** Least share of the votes, and least votes, that count as a habit. */
const CLEAR = { share: 0.6, votes: 3 };
const WIDTHS = [80, 88, 100, 120, 140, 160];
/** So many lines may be longer than the width the others keep to. */
const WIDE_SHARE = 0.005;

function most<T>(votes: readonly T[]): { what: T; votes: number; share: number } | undefined {
  const [best] = [...Map.groupBy(votes, (one) => one)].toSorted((a, b) => b[1].length - a[1].length);
  return best === undefined ? undefined : { what: best[0], votes: best[1].length, share: best[1].length / votes.length };
}

function vote<T>(votes: readonly T[], least = CLEAR.votes): T | undefined {
  const best = most(votes);
  return best !== undefined && best.votes >= least && best.share >= CLEAR.share ? best.what : undefined;
}

/** A single word in lower case is every naming's. */
function namingOf(name: string): Naming | undefined {
  if (/^[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+$/u.test(name)) return "UPPER_CASE";
  if (/^[a-z][a-z0-9]*(?:_[a-z0-9]+)+$/u.test(name)) return "snake_case";
  if (/^[a-z][a-z0-9]*(?:-[a-z0-9]+)+$/u.test(name)) return "kebab-case";
  if (/^[A-Z][A-Za-z0-9]*$/u.test(name) && /[a-z]/u.test(name)) return "PascalCase";
  return /^[a-z][a-z0-9]*[A-Z]/u.test(name) && !name.includes("_") && !name.includes("-") ? "camelCase" : undefined;
}

function indentOf(lines: readonly string[]): "tabs" | number | undefined {
  const steps: ("tabs" | number)[] = [];
  for (const [at, line] of lines.entries()) {
    const [own, before] = [/^(\s*)\S/u.exec(line)?.[1], /^(\s*)\S/u.exec(lines[at - 1] ?? "")?.[1]];
    if (own === undefined || before === undefined || own.length <= before.length || /^\s*\*/u.test(line)) continue;
    if (own.startsWith("\t")) steps.push("tabs");
    else if (own.length - before.length <= 8) steps.push(own.length - before.length);
  }
  return vote(steps, 1);
}

const quotesOf = (text: string): "single" | "double" | undefined => {
  const plain = text.match(/(?<![\w"'])"[^"'\n\\]*"|(?<![\w"'])'[^"'\n\\]*'/gu) ?? [];
  return vote(
    plain.map((one) => (one.startsWith("'") ? "single" : "double")),
    1,
  );
};

const STATEMENT = /^\s*(?:const|let|var|return|import)\b.*[\w)\]"'`;]\s*$/u;

const semicolonsOf = (lines: readonly string[]): boolean | undefined =>
  vote(
    lines.filter((line) => STATEMENT.test(line)).map((line) => /;\s*$/u.test(line)),
    1,
  );

function columnsOf(texts: readonly string[]): number | undefined {
  const lengths = texts.flatMap((text) => text.split("\n").map((line) => line.length)).toSorted((a, b) => a - b);
  const wide = lengths[Math.floor(lengths.length * (1 - WIDE_SHARE)) - 1] ?? 0;
  // Short lines everywhere tell of no limit.
  return wide < 70 ? undefined : WIDTHS.find((one) => wide <= one);
}

const names = (texts: readonly string[], pattern: RegExp): Naming[] =>
  texts.flatMap((text) => [...text.matchAll(pattern)].flatMap((match) => namingOf(match[1] ?? "") ?? []));

const FUNCTIONS = /^\s*(?:export\s+|pub\s+|static\s+|async\s+|default\s+)*(?:function\*?|def|fn|func)\s+([A-Za-z_]\w*)/gmu;
const TYPES = /^\s*(?:export\s+|pub\s+|abstract\s+)*(?:class|struct|interface|enum|type)\s+([A-Za-z_]\w*)/gmu;

type Sample = readonly { path: string; text: string }[];
type Voted = Exclude<keyof Style, "columns" | "trailingCommas">;

/** What each file, or each name in them, says of a field. */
function votesOf(files: Sample) {
  const texts = files.map(({ text }) => text);
  const each = <T>(of: (text: string) => T | undefined): T[] => texts.flatMap((text) => of(text) ?? []);
  const bare = files.map(({ path: file }) => path.posix.basename(file).split(".")[0] ?? "");
  return {
    indent: each((text) => indentOf(text.split("\n"))),
    quotes: each(quotesOf),
    semicolons: each((text) => semicolonsOf(text.split("\n"))),
    functions: names(texts, FUNCTIONS),
    types: names(texts, TYPES),
    files: bare.flatMap((name) => namingOf(name) ?? []),
  } satisfies { [Field in Voted]: NonNullable<Style[Field]>[] };
}

export function sampledStyle(language: StyledLanguage, files: Sample): Style {
  const votes = votesOf(files);
  const all: Required<Style> = {
    indent: vote(votes.indent),
    quotes: vote(votes.quotes),
    semicolons: vote(votes.semicolons),
    trailingCommas: undefined,
    columns: columnsOf(files.map(({ text }) => text)),
    functions: vote(votes.functions),
    types: vote(votes.types),
    files: vote(votes.files),
  };
  return Object.fromEntries(language.has.map((key) => [key, all[key]]));
}

/** How far the files agree, field by field: 1 where all say the same; empty where too few say anything. */
export function agreements(language: StyledLanguage, files: Sample): number[] {
  return Object.entries(votesOf(files)).flatMap(([field, votes]) => {
    const counts = votes.length >= CLEAR.votes && language.has.some((one) => one === field);
    return counts ? [most<unknown>(votes)?.share ?? 0] : [];
  });
}
