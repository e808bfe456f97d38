/** Gives every hit three to six lines around its best place, as they are on disk now and without secrets. */
import type { DatabaseSync } from "node:sqlite";
import { linesOf } from "../../code/lines/index.ts";
import { projectFile, wording } from "../../kernel/index.ts";
import { redactLines } from "../../guard/index.ts";
import { tokenize } from "../text/tokenize.ts";
import type { SearchHit, ShownHit } from "../types.ts";
import { understandQuery } from "./understand-query.ts";
import { vocabularyOf } from "./vocabulary.ts";

const SHOWN = { lines: 5, mostLines: 6, lineChars: 200, scanned: 400 };
const NOT_READ = "(of this file only the name is known)";

export interface ShowParts {
  db: DatabaseSync;
  root: string;
  redact: (text: string) => string;
}

type Worth = (line: string) => Map<string, number>;

/** The words of the question that a line has, rare ones counting more. */
function createWorth(db: DatabaseSync, question: string): Worth {
  const vocabulary = vocabularyOf(db);
  const all = Math.max(1, vocabulary.entries("chunks"));
  const words = new Map(
    [...understandQuery(question).words].map(([term, weight]) => [
      term,
      weight * Math.log(1 + all / (1 + vocabulary.entriesWith("chunks", term))),
    ]),
  );
  return (line) => new Map(tokenize(line.slice(0, 2_000)).flatMap((term) => (words.has(term) ? [[term, words.get(term) ?? 0]] : [])));
}

/** Where the window begins that has most of the question's words; a window that begins with a match is better than one that ends with it. */
function bestWindow(lines: readonly string[], worth: Worth): number {
  const found = lines.slice(0, SHOWN.scanned).map(worth);
  let best = { at: 0, score: 0 };
  for (let at = 0; at < found.length; at += 1) {
    const here = new Map<string, number>();
    for (const [i, line] of found.slice(at, at + SHOWN.lines).entries())
      for (const [term, value] of line) if (!here.has(term)) here.set(term, value * (1 - 0.02 * i));
    const score = here.values().reduce((sum, value) => sum + value, 0);
    if (score > best.score * 1.001) best = { at, score };
  }
  return best.at;
}

export function createHitTexts({ db, root, redact }: ShowParts) {
  const kept = db.prepare("SELECT c.text FROM chunks c JOIN files f ON f.key = c.file WHERE f.path = ? AND c.line_start = ?");
  const defined = db.prepare("SELECT line_start AS line FROM nodes WHERE id = ? AND owner IS NOT NULL");
  const said = db.prepare("SELECT content FROM nodes WHERE id = ?");

  /** All lines of a piece whose text is kept, or of the file. */
  const linesAt = (hit: SearchHit, from: number): { lines: string[]; first: number } => {
    const text = (kept.get(hit.path, from) as { text: string | null } | undefined)?.text;
    if (typeof text === "string") return { lines: linesOf(text), first: from };
    return { lines: linesOf(projectFile.text(root, hit.path) ?? ""), first: 1 };
  };
  const ofPlace = (hit: SearchHit, place: { from: number; to: number }, worth: Worth, isName: boolean): ShownHit => {
    const { lines, first } = linesAt(hit, place.from);
    const inside = lines.slice(place.from - first, place.to - first + 1);
    const start = isName ? ((defined.get(hit.node) as { line: number } | undefined)?.line ?? 0) : 0;
    let at = start >= place.from && start <= place.to ? start - first : place.from - first + bestWindow(inside, worth);
    while (at < lines.length - 1 && lines[at]?.trim() === "") at += 1;
    const end = Math.min(lines.length, at + SHOWN.lines);
    const text = redactLines(lines, { from: at + 1, to: end }, redact).map((line) => wording.shorten(line.trimEnd(), SHOWN.lineChars));
    while (text.at(-1) === "") text.pop();
    return { ...hit, text: text.join("\n"), textLine: text.length === 0 ? undefined : first + at };
  };
  const ofHistory = (hit: SearchHit, worth: Worth): ShownHit => {
    const { content } = (said.get(hit.node) as { content: string | null } | undefined) ?? { content: null };
    const lines = linesOf(content ?? hit.title).filter((line) => line.trim() !== "");
    const at = lines.length <= SHOWN.mostLines ? 0 : bestWindow(lines, worth);
    const text = lines.slice(at, at + SHOWN.mostLines).map((line) => wording.shorten(line.trim(), SHOWN.lineChars * 2));
    return { ...hit, text: redact(text.join("\n")), textLine: undefined };
  };

  return (question: string, hits: readonly SearchHit[]): ShownHit[] => {
    const worth = createWorth(db, question);
    const { isName } = understandQuery(question);
    const shown: ShownHit[] = [];
    for (const hit of hits) {
      if (hit.domain === "history") shown.push(ofHistory(hit, worth));
      else if (hit.lines === undefined) shown.push({ ...hit, text: NOT_READ, textLine: undefined });
      else shown.push(ofPlace(hit, hit.lines, worth, isName));
    }
    return shown;
  };
}
