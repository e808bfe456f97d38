/**
 * The merge of one text file (CCY-041, CCY-042). Lines first, as git does it; when that leaves a
 * dispute, or does not hold, by structure. Whoever made it, a result is only called clean when it
 * parses wherever its sources did and the judges of its tokens, its names, its numbers and its data
 * find nothing lost, doubled, reordered or guessed.
 */
import path from "node:path";
import { buildContainer } from "./build-structure.ts";
import { formatOf, grammarFor, languageOf } from "../languages/find-language.ts";
import type { MergeRules } from "../languages/merge-rules.ts";
import { mergeStructures, type StructureConflict } from "./merge-structure.ts";
import { parseCode } from "../syntax/parse-code.ts";
import { SIDE_NAMES, type Hunk, type MergedLines, type MergeLines } from "../lines/index.ts";
import { dataHolds } from "./data-check.ts";
import { namesHold, strandedName } from "./names.ts";
import { numberedLists, renumbered, type NumberedList } from "./numbering.ts";
import { faultOf } from "./oracle.ts";
import type { Container } from "./structure.ts";
import type { SyntaxNode } from "../syntax-node.ts";
import type { MergeTexts } from "./tokens.ts";

export type TextMerge =
  | { kind: "merged"; text: string; by: "trivial" | "lines" | "structure" }
  | { kind: "conflict"; hunks: Hunk[]; /** The file with conflict markers. */ marked: string; structure: StructureConflict[] };

interface Parsed {
  container: Container;
  rules: MergeRules;
  numbered: NumberedList[];
}

type Sources = readonly [base: Parsed, ours: Parsed, theirs: Parsed];

/** Larger texts are merged by lines only: parsing them would hold everything else up. */
const MAX_STRUCTURED_CHARS = 400_000;

async function parse(file: string, text: string): Promise<Parsed | undefined> {
  const extension = path.extname(file).toLowerCase();
  if (text.length > MAX_STRUCTURED_CHARS) return undefined;
  const format = formatOf(extension);
  if (format !== undefined) {
    const root = format.parse(text);
    return root === undefined ? undefined : read(root, text, format.merge, file);
  }
  const grammar = grammarFor(extension);
  const rules = languageOf(extension)?.merge;
  if (grammar === undefined || rules === undefined) return undefined;
  using code = await parseCode(grammar.name, text);
  return code === undefined || code.broken ? undefined : read(code.root, text, rules, file);
}

function read(root: SyntaxNode, text: string, rules: MergeRules, file: string): Parsed {
  const numbered = rules.numbering === undefined ? [] : numberedLists(root, text, rules.numbering);
  return { container: buildContainer(root, text, rules, file), rules, numbered };
}

/** Nothing speaks against the result: it parses where its sources did, and every judge agrees. */
async function holds(input: MergeTexts, text: string, sources: Sources | undefined): Promise<boolean> {
  if (faultOf(input, text) !== undefined || !(await dataHolds(input, text))) return false;
  if (sources === undefined) return true;
  const [base, ours, theirs] = sources;
  const result = await parse(input.path, text);
  if (result === undefined || renumbered(base.numbered, ours.numbered, theirs.numbered) !== undefined) return false;
  const containers = { result: result.container, base: base.container, ours: ours.container, theirs: theirs.container };
  return namesHold(containers) && strandedName(input, containers) === undefined;
}

async function structured(input: MergeTexts, sources: Sources): Promise<{ text?: string; conflicts: StructureConflict[] }> {
  const [base, ours, theirs] = sources;
  const merged = mergeStructures(base.container, ours.container, theirs.container, {
    file: input.path,
    indented: base.rules.indented,
  });
  if (merged.conflicts.length > 0) return { conflicts: merged.conflicts };
  return (await holds(input, merged.text, sources)) ? { text: merged.text, conflicts: [] } : { conflicts: [] };
}

/** With the line breaks of `theirs`, whatever the others have. */
function sameEndings(input: MergeTexts): MergeTexts & { crlf: boolean } {
  const crlf = /\r\n/u.test(input.theirs) && !/(?<!\r)\n/u.test(input.theirs);
  const plain = (text: string): string => text.replaceAll("\r\n", "\n");
  return crlf ? { ...input, base: plain(input.base), ours: plain(input.ours), theirs: plain(input.theirs), crlf } : { ...input, crlf };
}

function disputed(lines: MergedLines, input: MergeTexts, structure: StructureConflict[]): TextMerge {
  if (lines.hunks.length > 0) return { kind: "conflict", hunks: lines.hunks, marked: lines.text, structure };
  // Lines merged, but the result is wrong: the whole of both versions is in dispute.
  const marked = `<<<<<<< ${SIDE_NAMES.theirs}\n${input.theirs}||||||| ${SIDE_NAMES.base}\n${input.base}=======\n${input.ours}>>>>>>> ${SIDE_NAMES.ours}\n`;
  return { kind: "conflict", hunks: [{ line: 1, base: input.base, ours: input.ours, theirs: input.theirs }], marked, structure };
}

export async function mergeText(given: MergeTexts, mergeLines: MergeLines): Promise<TextMerge> {
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
  const all: Sources | undefined = base === undefined || ours === undefined || theirs === undefined ? undefined : [base, ours, theirs];
  if (lines.hunks.length === 0 && (await holds(input, lines.text, all))) return done(lines.text, "lines");
  if (all === undefined) return disputed(lines, input, []);
  const merged = await structured(input, all);
  return merged.text === undefined ? disputed(lines, input, merged.conflicts) : done(merged.text, "structure");
}
