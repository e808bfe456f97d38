/**
 * Reads a question without a model: what it names outright (paths, lines of a stack trace, identifiers),
 * what it is about (its first line counts more than the rest), and what is only noise.
 */
import { CODE_STOP_WORDS, STOP_WORDS } from "../text/stop-words.ts";
import { shapeTerms, tokenize } from "../text/tokenize.ts";

export interface PathMention {
  path: string;
  line: number | undefined;
}

export interface CodeQuery {
  text: string;
  /** Every word it says, without repeats, with what it counts: those of the first line more than those of the rest. */
  words: ReadonlyMap<string, number>;
  /** Those of the first line. */
  head: string[];
  paths: PathMention[];
  /** Asked as a question, where a commit message only states. */
  question: boolean;
  /** Names as written, e.g. `parseRequest`, `MAX_SIZE`. */
  identifiers: string[];
  /** Nothing but a name is asked for: `PQueue`, `app.use`, `Cursor::next`. */
  isName: boolean;
}

const QUERY_LIMITS = { chars: 20_000, headTerms: 80, restTerms: 400, identifiers: 24, paths: 16, nameChars: 100 };
/** What a word after the first line counts. */
const REST_WEIGHT = 0.6;

const NOISE =
  /^(?:signed-off-by|co-authored-by|reviewed-by|acked-by|cc|change-id|tested-by|reported-by|git-svn-id|pr-url|refs?|see also)\s*:.*$|https?:\/\/\S+|\b[\da-f]{7,40}\b(?=[^\w]|$)|\(?(?:(?:close[sd]?|fixe?[sd]?|resolve[sd]?|refs?|pr|issue|gh)[\s:]*)?#\d+\)?/gimu;
const PATH =
  /(?:^|[\s"'`(<[{,=])((?:\.{0,2}\/)?(?:[\w@.+-]+\/)+[\w@.+-]+|[\w@+-][\w@.+-]*\.[a-z][a-z\d]{0,5})(?::(\d+))?(?=$|[\s"'`)>\]},:;.?!])/giu;
const TRACE = /File "([^"]+)", line (\d+)/gu;
const IDENTIFIER =
  /`([^`\n]{2,80})`|\b([a-z_$][\w$]*(?:[A-Z_]|\d[A-Za-z])[\w$]*|[A-Z][a-z\d]+(?:[A-Z][\w$]*)+|[A-Z][A-Z\d]*_[A-Z\d_]+|[a-z_]\w*(?=\())/gu;

function unique(terms: readonly string[], limit: number, skip?: ReadonlySet<string>): string[] {
  const out = new Set<string>();
  for (const term of terms) {
    if (STOP_WORDS.has(term) || skip?.has(term) === true || (term.length < 2 && !/\p{L}/u.test(term))) continue;
    if (/^\d{1,2}$/u.test(term)) continue;
    out.add(term);
    if (out.size >= limit) break;
  }
  return [...out];
}

function findPaths(text: string): PathMention[] {
  const found = new Map<string, PathMention>();
  for (const match of text.matchAll(TRACE)) found.set(match[1] as string, { path: match[1] as string, line: Number(match[2]) });
  for (const match of text.matchAll(PATH)) {
    const path = (match[1] as string).replace(/^\.{0,2}\//u, "").replace(/\.$/u, "");
    if (/^\d+(?:\.\d+)*$/u.test(path) || /^(?:e\.g|i\.e|etc)$/iu.test(path)) continue;
    if (!found.has(path)) found.set(path, { path, line: match[2] === undefined ? undefined : Number(match[2]) });
  }
  return [...found.values()].slice(0, QUERY_LIMITS.paths);
}

function findIdentifiers(text: string): string[] {
  const found = new Set<string>();
  for (const match of text.matchAll(IDENTIFIER)) {
    for (const word of (match[1] ?? match[2] ?? "").split(/[^\w$]+/u)) if (word.length >= 2) found.add(word);
  }
  return [...found].slice(0, QUERY_LIMITS.identifiers);
}

const NAME = /^[`'"]?([\p{L}_$@][\p{L}\p{N}_$]*(?:(?:\.|::|#|->)[\p{L}_$][\p{L}\p{N}_$]*)*[!?]?)(?:\(\))?[`'"]?$/u;

/** What a name that is asked for alone may be defined as: its last part first. */
function nameParts(text: string): string[] {
  const name = NAME.exec(text)?.[1];
  return name === undefined || name.length > QUERY_LIMITS.nameChars ? [] : name.split(/\.|::|#|->/u).toReversed();
}

export function understandQuery(raw: string): CodeQuery {
  const text = raw.slice(0, QUERY_LIMITS.chars).replaceAll(NOISE, " ").trim();
  const at = text.indexOf("\n");
  const first = at === -1 ? text : text.slice(0, at);
  const question = /\?\s*$|^(?:where|how|what|which|why|who|when|find|show|is|are|does|do|can)\b/iu.test(first);
  const all = [...unique(tokenize(first), QUERY_LIMITS.headTerms), ...shapeTerms(first)];
  const telling = question ? all.filter((term) => !CODE_STOP_WORDS.has(term)) : all;
  const head = telling.length > 0 ? telling : all;
  const rest = at === -1 ? [] : unique(tokenize(text.slice(at)), QUERY_LIMITS.restTerms, new Set(head));
  const paths = findPaths(text);
  const name = nameParts(text);
  const identifiers = [...new Set([...name, ...findIdentifiers(text)])];
  const isName = name.length > 0;
  const words = new Map([...head.map((term) => [term, 1] as const), ...rest.map((term) => [term, REST_WEIGHT] as const)]);
  return { text, words, head, question, paths, identifiers, isName };
}
