/** Which definitions differ between two texts of a file: functions as a whole, what holds others without those. */
import path from "node:path";
import { grammarFor } from "../languages/find-language.ts";
import { captureCode } from "./parse-code.ts";

/** Kinds that hold definitions of their own; the inside of any other belongs to it. */
const HOLDERS: ReadonlySet<string> = new Set(["def.class", "def.interface", "def.struct", "def.module"]);
/** Longer texts are generated, and are not looked into. */
const MAX_CHARS = 400_000;

interface Symbol {
  name: string;
  kind: string;
  start: number;
  end: number;
  inner: { start: number; end: number }[];
}

/** By name, with the names of what holds it before. */
async function symbolsOf(grammar: { name: string; query: string }, text: string): Promise<Map<string, string>> {
  const captured = text === "" ? undefined : await captureCode(grammar.name, text, grammar.query);
  const found = (captured?.matches ?? []).flatMap((match): Symbol[] => {
    const def = match.find(({ name }) => name.startsWith("def."));
    const name = match.find((node) => node.name === "name");
    return def === undefined || name === undefined ? [] : [{ name: name.text, kind: def.name, start: def.start, end: def.end, inner: [] }];
  });
  found.sort((a, b) => a.start - b.start || b.end - a.end);
  const kept: Symbol[] = [];
  const around: Symbol[] = [];
  for (const one of found) {
    while ((around.at(-1)?.end ?? Infinity) <= one.start) around.pop();
    if (around.some(({ kind }) => !HOLDERS.has(kind))) continue;
    around.at(-1)?.inner.push(one);
    kept.push({ ...one, name: [...around.map(({ name }) => name.split(".").at(-1)), one.name].join("."), inner: one.inner });
    around.push(one);
  }
  const texts = new Map<string, string>();
  for (const one of kept) texts.set(one.name, `${texts.get(one.name) ?? ""}${ownText(one, text)}\n`);
  return texts;
}

/** Without what it holds, and without its form. */
function ownText({ start, end, inner }: Symbol, text: string): string {
  let own = "";
  let at = start;
  for (const one of inner) {
    own += text.slice(at, one.start);
    at = Math.max(at, one.end);
  }
  return `${own}${text.slice(at, end)}`.replaceAll(/\s+/gu, " ").trim();
}

/** Nothing for a language that is not known here. */
export async function changedSymbols(file: string, before: string, after: string): Promise<string[]> {
  const grammar = grammarFor(path.extname(file).toLowerCase());
  if (grammar === undefined || before.length + after.length > MAX_CHARS) return [];
  const [was, is] = [await symbolsOf(grammar, before), await symbolsOf(grammar, after)];
  return [...new Set([...was.keys(), ...is.keys()])].filter((name) => was.get(name) !== is.get(name));
}
