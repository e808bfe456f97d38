/** What a one-sentence wish says: domain, actions, name and description, without a model (SKF-002, SKF-003). */
import { wording } from "../kernel/index.ts";
import { ACTION_VERBS, STOP_WORDS } from "./word-lists.ts";
import { MAX_DESCRIPTION_CHARS, MAX_NAME_CHARS } from "./read-skill.ts";

export interface Understanding {
  domain: string[];
  actions: string[];
  audience: string;
  complexity: "simple" | "compound";
  kind: "knowledge" | "action";
}

export function verbOf(word: string): string | undefined {
  const lower = word.toLowerCase();
  const forms = [lower, lower.replace(/s$/, ""), lower.replace(/es$/, ""), lower.replace(/ies$/, "y")];
  const ing = lower.replace(/ing$/, "");
  if (ing !== lower) forms.push(ing, `${ing}e`, ing.replace(/(.)\1$/, "$1"));
  return forms.find((form) => ACTION_VERBS.has(form));
}

/** Letters of any script become the nearest plain ones; what has none is left out. */
const plain = (text: string): string => text.normalize("NFKD").replaceAll(/\p{M}/gu, "").toLowerCase();

const wordsOf = (text: string): string[] => plain(text).match(/[a-z0-9]+/g) ?? [];

const BEFORE_VERB = new Set(["and", "then", "or", "to", "also"]);

export function understandRequest(wish: string): Understanding {
  const all = wordsOf(requestPhrase(wish));
  // "write release notes": only a word at the place of a verb is one.
  const isAction = (word: string, at: number): boolean => (at === 0 || BEFORE_VERB.has(all[at - 1] ?? "")) && verbOf(word) !== undefined;
  const actions = [...new Set(all.filter(isAction).flatMap((word) => verbOf(word) ?? []))];
  const domain = [...new Set(all.filter((word, at) => !isAction(word, at) && !STOP_WORDS.has(word)))];
  const audience = /\bfor (?:the )?([a-z-]+ (?:team|developers|engineers|users|reviewers|beginners))\b/i.exec(wish)?.[1] ?? "developers";
  return {
    domain: domain.slice(0, 8),
    actions: actions.slice(0, 5),
    audience,
    complexity: actions.length > 1 || /\b(and then|then|after that)\b/i.test(wish) ? "compound" : "simple",
    kind: actions.length === 0 ? "knowledge" : "action",
  };
}

/** Domain first, then the action; short enough whatever came in. */
export function deriveName({ domain, actions }: Understanding): string {
  const words = [...domain.slice(0, 3), ...actions.slice(0, 1)];
  let name = "";
  for (const word of words.length === 0 ? ["project", "guide"] : words) {
    const next = name === "" ? word.slice(0, MAX_NAME_CHARS) : `${name}-${word}`;
    if (next.length > MAX_NAME_CHARS) break;
    name = next;
  }
  return name;
}

const third = (verb: string): string =>
  /(s|x|z|ch|sh)$/.test(verb) ? `${verb}es` : /[^aeiou]y$/.test(verb) ? `${verb.slice(0, -1)}ies` : `${verb}s`;
const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

const sentence = (text: string): string => wording.oneLine(text).replace(/[.!?]+$/, "");

/** Left out by whole words. */
export const shortenAtWord = (text: string, maxChars: number): string =>
  text.length <= maxChars ? text : wording.shorten(text, maxChars).replace(/\s+\S*…$/, "…");

/** The wish as an instruction without its opening ("a skill that …"). */
export function requestPhrase(wish: string): string {
  const line = sentence(wish).replace(
    /^(please )?((create|make|build|write) )?(me )?(an?|the) skill (that|which|to|for) (can |will )?/i,
    "",
  );
  const [first = "", ...rest] = line.split(" ");
  const verb = verbOf(first);
  return verb === undefined ? line : [verb, ...rest].join(" ");
}

/** Third user, trigger included, within the limit. */
export function deriveDescription(wish: string): string {
  const phrase = requestPhrase(wish);
  const [first = "", ...rest] = phrase.split(" ");
  const does = verbOf(first) === undefined ? `Guides work on ${phrase}` : [capital(third(first)), ...rest].join(" ");
  const room = (MAX_DESCRIPTION_CHARS - 60) / 2;
  const short = (text: string): string => shortenAtWord(text, room);
  return verbOf(first) === undefined
    ? `${short(does)}. Use when a task is about ${short(phrase)}.`
    : `${short(does)}. Use when someone asks to ${short(phrase)}.`;
}

export function titleOf(name: string): string {
  return capital(name.replaceAll("-", " "));
}
