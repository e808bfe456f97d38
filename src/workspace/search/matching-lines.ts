/**
 * The lines a search found, read from their files and redacted there: the search itself hands out single
 * lines, and a line of a private key alone does not look like one.
 */
import path from "node:path";
import { redactLines, SECRET_REACH_CHARS } from "../../guard/index.ts";
import { systemCode } from "../../kernel/index.ts";
import { openResolved } from "../files/held-folder.ts";
import { cutLine, lookedAt } from "../files/redact-page.ts";
import { decodeText } from "../files/text-format.ts";
import type { Match, SearchContext } from "./search-context.ts";

export interface RawMatch {
  path: string;
  line: number;
  /** Where the line begins, in bytes. */
  offset: number;
  /** The first characters of the line as the search saw it. */
  begins: string;
}

/** Larger files are read around each match only. */
const WHOLE_BYTES = 2 * 1024 * 1024;
/** In bytes what a secret reaches in characters. */
const AROUND_BYTES = SECRET_REACH_CHARS * 3;
const NOT_SHOWN = "[line not shown: the file is too large to be read in its encoding, or it changed meanwhile]";

type File = Awaited<ReturnType<typeof openResolved>>;

/** Matches come file by file, as they were found. */
export async function matchingLines(found: readonly RawMatch[], context: SearchContext, signal: AbortSignal | undefined): Promise<Match[]> {
  const out: Match[] = [];
  for (const [name, matches] of Map.groupBy(found, (match) => match.path)) {
    signal?.throwIfAborted();
    const texts = await textsOf(path.resolve(context.boundary.root, name), matches, context);
    for (const [i, match] of matches.entries()) out.push({ path: name, line: match.line, text: texts[i] ?? NOT_SHOWN });
  }
  return out;
}

async function textsOf(absolute: string, matches: readonly RawMatch[], context: SearchContext): Promise<(string | undefined)[]> {
  try {
    await using file = await openResolved(absolute);
    const { size } = await file.stat();
    if (size > WHOLE_BYTES) {
      const texts: (string | undefined)[] = [];
      for (const match of matches) texts.push(await textAround(file, match, context));
      return texts;
    }
    const bytes = await file.readFile();
    return fromWhole(decodeText(bytes)?.raw ?? bytes.toString("utf8"), matches, context);
  } catch (error) {
    if (systemCode(error) === undefined) throw error;
    // Gone or no longer readable since the search: the matches stay, their text is not known.
    return [];
  }
}

function fromWhole(text: string, matches: readonly RawMatch[], context: SearchContext): (string | undefined)[] {
  const max = context.limits.maxLineChars;
  const lines = text.split("\n");
  const more = lines.map((line) => Math.max(0, line.length - max - SECRET_REACH_CHARS));
  const numbers = matches.map((match) => match.line);
  const from = Math.min(...numbers);
  const clean = redactLines(
    lines.map((line) => lookedAt(line, max)),
    { from, to: Math.max(...numbers) },
    context.redact,
  );
  return numbers.map((number) => {
    const line = clean[number - from];
    return line === undefined ? undefined : cutLine(line.replace(/\r$/u, ""), max, more[number - 1]);
  });
}

async function textAround(file: File, match: RawMatch, context: SearchContext): Promise<string | undefined> {
  const max = context.limits.maxLineChars;
  const start = Math.max(0, match.offset - AROUND_BYTES);
  const buffer = Buffer.alloc(match.offset - start + max * 4 + AROUND_BYTES);
  const { bytesRead } = await file.read(buffer, 0, buffer.length, start);
  const above = buffer.toString("utf8", 0, match.offset - start).split("\n");
  // What ends at the match's own beginning is an empty piece; what begins in the middle of a line is left away.
  above.pop();
  if (start > 0) above.shift();
  const rest = buffer.toString("utf8", match.offset - start, bytesRead).split("\n");
  if (!(rest[0] ?? "").startsWith(match.begins.replace(/\uFFFD+$/u, ""))) return undefined;
  const at = above.length + 1;
  const [line] = redactLines([...above, ...rest.map((one) => lookedAt(one, max))], { from: at, to: at }, context.redact);
  return line === undefined ? undefined : cutLine(line.replace(/\r$/u, ""), max);
}
