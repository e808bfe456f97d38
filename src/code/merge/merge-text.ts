/**
 * The merge of one text file (CCY-041, CCY-042). Lines first, as git does it; when that leaves a
 * dispute, or its result no longer parses or declares a name twice, by structure. A result is only
 * called clean when it parses wherever its sources did.
 */
import path from "node:path";
import { buildContainer } from "./build-structure.ts";
import { formatOf, grammarFor, languageOf } from "../languages/find-language.ts";
import type { MergeRules } from "../languages/merge-rules.ts";
import { mergeStructures, type StructureConflict } from "./merge-structure.ts";
import { parseCode } from "../syntax/parse-code.ts";
import type { Hunk, MergedLines, MergeLines } from "./line-merge.ts";
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
  rules: MergeRules;
}

/** Larger texts are merged by lines only: parsing them would hold everything else up. */
const MAX_STRUCTURED_CHARS = 400_000;

async function parse(file: string, text: string): Promise<Parsed | undefined> {
  const extension = path.extname(file).toLowerCase();
  if (text.length > MAX_STRUCTURED_CHARS) return undefined;
  const format = formatOf(extension);
  if (format !== undefined) {
    const root = format.parse(text);
    return root === undefined ? undefined : { container: buildContainer(root, text, format.merge), rules: format.merge };
  }
  const grammar = grammarFor(extension);
  const rules = languageOf(extension)?.merge;
  if (grammar === undefined || rules === undefined) return undefined;
  using code = await parseCode(grammar.name, text);
  return code === undefined || code.broken ? undefined : { container: buildContainer(code.root, text, rules), rules };
}

type Counts = ReadonlyMap<string, number>;

/** How often each name is declared, by the path of the lists it stands in. */
function declarations(container: Container): Map<string, Map<string, number>> {
  const lists = new Map<string, Map<string, number>>();
  const visit = (list: Container, at: string): void => {
    const counts = new Map<string, number>();
    lists.set(at, counts);
    const seen = (item: Item): boolean =>
      item.named || item.declares !== item.key || (item.independent && !/^(?:section|use_declaration)$/u.test(item.kind)) || list.sortable;
    const ordinals = new Map<string, number>();
    for (const item of list.items) {
      const ordinal = (ordinals.get(item.kind) ?? 0) + 1;
      ordinals.set(item.kind, ordinal);
      // Nameless items are only compared where none of them came or went.
      const among = list.items.filter((other) => other.kind === item.kind).length;
      const name = item.named || item.independent ? item.declares : `${item.kind}:${ordinal}/${among}`;
      if (seen(item)) counts.set(item.declares, (counts.get(item.declares) ?? 0) + 1);
      for (const [i, part] of item.parts.entries()) if (part.kind === "container") visit(part.container, `${at}/${name}#${i}`);
    }
  };
  visit(container, "");
  return lists;
}

/**
 * The names of one list after the merge: what one side deleted stays deleted, what one side added is
 * there, and nothing is declared more often than in any of the sources.
 */
function namesHold(result: Counts, base: Counts, ours: Counts, theirs: Counts): boolean {
  for (const name of new Set([...result.keys(), ...base.keys(), ...ours.keys(), ...theirs.keys()])) {
    const [r, b, o, t] = [result.get(name) ?? 0, base.get(name) ?? 0, ours.get(name) ?? 0, theirs.get(name) ?? 0];
    if (r > Math.max(1, b, o, t)) return false;
    if (b > 0 && (o === 0 || t === 0) && r > 0) return false;
    if (r === 0 && ((b === 0 && o + t > 0) || (b > 0 && o > 0 && t > 0))) return false;
  }
  return true;
}

async function holds(file: string, text: string, sources: readonly [Parsed, Parsed, Parsed]): Promise<boolean> {
  const result = await parse(file, text);
  if (result === undefined) return false;
  const [base, ours, theirs] = sources.map((source) => declarations(source.container)) as [
    ReturnType<typeof declarations>,
    ReturnType<typeof declarations>,
    ReturnType<typeof declarations>,
  ];
  for (const [at, counts] of declarations(result.container)) {
    const [b, o, t] = [base.get(at), ours.get(at), theirs.get(at)];
    if (b !== undefined && o !== undefined && t !== undefined && !namesHold(counts, b, o, t)) return false;
  }
  return true;
}

async function structured(
  input: MergeInput,
  sources: readonly [Parsed, Parsed, Parsed],
): Promise<{ text?: string; conflicts: StructureConflict[] }> {
  const [base, ours, theirs] = sources;
  const merged = mergeStructures(base.container, ours.container, theirs.container, { indented: base.rules.indented });
  if (merged.conflicts.length > 0) return { conflicts: merged.conflicts };
  return (await holds(input.path, merged.text, sources)) ? { text: merged.text, conflicts: [] } : { conflicts: [] };
}

/** With the line breaks of `theirs`, whatever the others have. */
function sameEndings(input: MergeInput): MergeInput & { crlf: boolean } {
  const crlf = /\r\n/u.test(input.theirs) && !/(?<!\r)\n/u.test(input.theirs);
  const plain = (text: string): string => text.replaceAll("\r\n", "\n");
  return crlf ? { ...input, base: plain(input.base), ours: plain(input.ours), theirs: plain(input.theirs), crlf } : { ...input, crlf };
}

function disputed(lines: MergedLines, input: MergeInput, structure: StructureConflict[]): TextMerge {
  if (lines.hunks.length > 0) return { kind: "conflict", hunks: lines.hunks, marked: lines.text, structure };
  // Lines merged, but the result is wrong: the whole of both versions is in dispute.
  const marked = `<<<<<<< theirs\n${input.theirs}||||||| base\n${input.base}=======\n${input.ours}>>>>>>> ours\n`;
  return { kind: "conflict", hunks: [{ line: 1, base: input.base, ours: input.ours, theirs: input.theirs }], marked, structure };
}

export async function mergeText(given: MergeInput, mergeLines: MergeLines): Promise<TextMerge> {
  if (given.ours === given.theirs || given.ours === given.base) return { kind: "merged", text: given.theirs, by: "trivial" };
  if (given.theirs === given.base) return { kind: "merged", text: given.ours, by: "trivial" };
  const input = sameEndings(given);
  const done = (text: string, by: "lines" | "structure"): TextMerge => ({
    kind: "merged",
    text: input.crlf ? text.replaceAll("\n", "\r\n") : text,
    by,
  });
  const lines = await mergeLines(input.base, input.ours, input.theirs);
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
