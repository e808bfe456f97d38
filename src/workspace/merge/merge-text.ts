/**
 * The merge of one text file (CCY-041, CCY-042). Lines first, as git does it; when that leaves a
 * dispute, or its result no longer parses or declares a name twice, by structure. A result is only
 * called clean when it parses wherever its sources did.
 */
import path from "node:path";
import type { Clock } from "../../kernel/index.ts";
import { buildContainer } from "./build-structure.ts";
import { GRAMMAR_OF, json, markdown, type Grammar } from "./grammar.ts";
import { mergeStructures, type StructureConflict } from "./merge-structure.ts";
import { grammarFor, parseCode } from "./parse-code.ts";
import { parseJson } from "./parse-json.ts";
import { parseMarkdown } from "./parse-markdown.ts";
import { plainMerge, type Hunk, type PlainMerge } from "./plain-merge.ts";
import type { Container, Item } from "./structure.ts";

export interface MergeInput {
  /** Decides the language. */
  path: string;
  base: string;
  /** The change to bring in. */
  ours: string;
  /** What is there now. */
  theirs: string;
}

export type TextMerge =
  | { kind: "merged"; text: string; by: "trivial" | "lines" | "structure" }
  | { kind: "conflict"; hunks: Hunk[]; /** The file with conflict markers. */ marked: string; structure: StructureConflict[] };

interface Parsed {
  container: Container;
  grammar: Grammar;
}

/** Larger texts are merged by lines only: parsing them would hold everything else up. */
const MAX_STRUCTURED_CHARS = 400_000;

async function parse(file: string, text: string): Promise<Parsed | undefined> {
  const extension = path.extname(file).toLowerCase();
  if (text.length > MAX_STRUCTURED_CHARS) return undefined;
  if (extension === ".json" || extension === ".jsonc" || extension === ".json5") {
    const root = parseJson(text);
    return root === undefined ? undefined : { container: buildContainer(root, text, json), grammar: json };
  }
  if (extension === ".md" || extension === ".markdown")
    return { container: buildContainer(parseMarkdown(text), text, markdown), grammar: markdown };
  const name = grammarFor(extension);
  const grammar = name === undefined ? undefined : GRAMMAR_OF[name];
  if (name === undefined || grammar === undefined) return undefined;
  using code = await parseCode(name, text);
  return code === undefined || code.broken ? undefined : { container: buildContainer(code.root, text, grammar), grammar };
}

/** How often each name is declared, at every level. */
function declarations(container: Container, path: string, counts: Map<string, number>): Map<string, number> {
  const seen = (item: Item): boolean =>
    item.named ||
    item.declares !== item.key ||
    (item.independent && !/^(?:section|use_declaration)$/u.test(item.kind)) ||
    container.sortable;
  for (const item of container.items) {
    const key = `${path}/${item.declares}`;
    if (seen(item)) counts.set(key, (counts.get(key) ?? 0) + 1);
    for (const part of item.parts) if (part.kind === "container") declarations(part.container, key, counts);
  }
  return counts;
}

/** A name that the result declares more often than any of its sources did. */
function declaresTwice(result: Container, sources: readonly Container[]): boolean {
  const before = sources.map((source) => declarations(source, "", new Map()));
  for (const [key, n] of declarations(result, "", new Map()))
    if (n > 1 && before.every((counts) => (counts.get(key) ?? 0) < n)) return true;
  return false;
}

async function holds(file: string, text: string, sources: readonly Parsed[]): Promise<boolean> {
  const result = await parse(file, text);
  return (
    result !== undefined &&
    !declaresTwice(
      result.container,
      sources.map((source) => source.container),
    )
  );
}

async function structured(
  input: MergeInput,
  sources: readonly [Parsed, Parsed, Parsed],
): Promise<{ text?: string; conflicts: StructureConflict[] }> {
  const [base, ours, theirs] = sources;
  const merged = mergeStructures(base.container, ours.container, theirs.container, { indented: base.grammar.indented });
  if (merged.conflicts.length > 0) return { conflicts: merged.conflicts };
  return (await holds(input.path, merged.text, sources)) ? { text: merged.text, conflicts: [] } : { conflicts: [] };
}

/** With the line breaks of `theirs`, whatever the others have. */
function sameEndings(input: MergeInput): MergeInput & { crlf: boolean } {
  const crlf = /\r\n/u.test(input.theirs) && !/(?<!\r)\n/u.test(input.theirs);
  const plain = (text: string): string => text.replaceAll("\r\n", "\n");
  return crlf ? { ...input, base: plain(input.base), ours: plain(input.ours), theirs: plain(input.theirs), crlf } : { ...input, crlf };
}

function disputed(lines: PlainMerge, input: MergeInput, structure: StructureConflict[]): TextMerge {
  if (lines.hunks.length > 0) return { kind: "conflict", hunks: lines.hunks, marked: lines.text, structure };
  // Lines merged, but the result is wrong: the whole of both versions is in dispute.
  const marked = `<<<<<<< theirs\n${input.theirs}||||||| base\n${input.base}=======\n${input.ours}>>>>>>> ours\n`;
  return { kind: "conflict", hunks: [{ line: 1, base: input.base, ours: input.ours, theirs: input.theirs }], marked, structure };
}

export async function mergeText(given: MergeInput, clock: Clock): Promise<TextMerge> {
  if (given.ours === given.theirs || given.ours === given.base) return { kind: "merged", text: given.theirs, by: "trivial" };
  if (given.theirs === given.base) return { kind: "merged", text: given.ours, by: "trivial" };
  const input = sameEndings(given);
  const done = (text: string, by: "lines" | "structure"): TextMerge => ({
    kind: "merged",
    text: input.crlf ? text.replaceAll("\n", "\r\n") : text,
    by,
  });
  const lines = await plainMerge(input.base, input.ours, input.theirs, clock);
  if (lines === undefined)
    return { kind: "conflict", hunks: [{ line: 1, base: "", ours: "", theirs: "" }], marked: input.theirs, structure: [] };
  const sources = await Promise.all([parse(input.path, input.base), parse(input.path, input.ours), parse(input.path, input.theirs)]);
  const [base, ours, theirs] = sources;
  if (base === undefined || ours === undefined || theirs === undefined)
    return lines.hunks.length === 0 ? done(lines.text, "lines") : disputed(lines, input, []);
  const all: [Parsed, Parsed, Parsed] = [base, ours, theirs];
  if (lines.hunks.length === 0 && (await holds(input.path, lines.text, all))) return done(lines.text, "lines");
  const merged = await structured(input, all);
  return merged.text === undefined ? disputed(lines, input, merged.conflicts) : done(merged.text, "structure");
}
