/**
 * Answers kept by what was meant (MEM-040…065): each intent has its own key, its own age limit and its own
 * reasons to be forgotten. An answer built on files is dropped the moment one of them has another hash.
 */
import type { Clock } from "../../kernel/index.ts";
import { stem } from "../text/stem.ts";
import { intentOf, INTENTS, type Intent } from "./intent-of.ts";

interface Entry<T> {
  value: T;
  at: number;
  intent: Intent;
  /** Path → hash of what the answer rests on. */
  files: ReadonlyMap<string, string>;
}

export interface CacheCounts {
  hits: number;
  misses: number;
  invalidations: number;
}

export interface CacheChange {
  folders: ReadonlySet<string>;
  history: boolean;
  documents?: boolean;
  many: boolean;
}

export interface IntentCache<T> {
  get(text: string, scope: string, hashOf: (path: string) => string | undefined): T | undefined;
  put(text: string, scope: string, value: T, files: ReadonlyMap<string, string>): void;
  /** Files that came or went, and entries of history or documents that were added. */
  noteChange(change: CacheChange): void;
  counts(): Readonly<CacheCounts>;
}

const MAX_ENTRIES = 1_000;
const MANY_CHANGES_CLEAR: ReadonlySet<string> = new Set(["locate", "explain", "pattern", "general"]);

function folderOf(path: string): string {
  return path.slice(0, Math.max(0, path.lastIndexOf("/")));
}

/** Words that change nothing of what is asked, wherever they stand; in a question for a place there are more. */
const FILLERS: ReadonlySet<string> = new Set(["a", "an", "the", "please"]);
const PLACE_FILLERS: ReadonlySet<string> = new Set(["where", "is", "are", "do", "does"]);
const EDGES = /^["'`“‘([]+|["'`”’)\](?!.,;:]+$/gu;
const PLAIN_WORD = /^[A-Z]?[a-z]+$/u;

/**
 * What makes two questions the same. Case, punctuation and articles do not count; order, negation and
 * direction do ("from staging to production", "not allowed"), and so does every name and number as it is
 * written. A question for a place may also use other endings ("errors handled") or turn two words round
 * with "of" ("handling of the error").
 */
function subjectOf(text: string, intent: Intent): string {
  const place = intent === "locate";
  const words = text
    .normalize("NFKC")
    .split(/\s+/u)
    .map((word) => word.replaceAll(EDGES, ""))
    .filter((word) => {
      const plain = word.toLowerCase();
      return plain !== "" && !FILLERS.has(plain) && !(place && PLACE_FILLERS.has(plain));
    })
    .map((word) => (place ? (PLAIN_WORD.test(word) ? stem(word.toLowerCase()) : word) : word.toLowerCase()));
  return place && words.length === 3 && words[1] === "of" ? `${words[2] as string} ${words[0] as string}` : words.join(" ");
}

export function createIntentCache<T>(clock: Clock): IntentCache<T> {
  const entries = new Map<string, Entry<T>>();
  const counts: CacheCounts = { hits: 0, misses: 0, invalidations: 0 };
  const keyOf = (text: string, scope: string): string => {
    const intent = intentOf(text);
    return `${intent}|${scope}|${subjectOf(text, intent)}`;
  };
  const drop = (key: string): void => {
    entries.delete(key);
    counts.invalidations += 1;
  };
  return {
    get(text, scope, hashOf) {
      const key = keyOf(text, scope);
      const entry = entries.get(key);
      const rule = entry === undefined ? undefined : INTENTS[entry.intent];
      if (entry === undefined || rule === undefined) {
        counts.misses += 1;
        return undefined;
      }
      const stale =
        clock.now() - entry.at > rule.ttlMs || (rule.files !== "none" && [...entry.files].some(([path, hash]) => hashOf(path) !== hash));
      if (stale) {
        drop(key);
        counts.misses += 1;
        return undefined;
      }
      counts.hits += 1;
      return entry.value;
    },
    put(text, scope, value, files) {
      const oldest = entries.keys().next().value;
      if (entries.size >= MAX_ENTRIES && oldest !== undefined) entries.delete(oldest);
      entries.set(keyOf(text, scope), { value, at: clock.now(), intent: intentOf(text), files });
    },
    noteChange({ folders, history, documents = false, many }) {
      for (const [key, entry] of entries) {
        const rule = INTENTS[entry.intent].files;
        const touched = rule !== "none" && [...entry.files.keys()].some((path) => folders.has(folderOf(path)));
        const grown = entry.intent === "research" ? documents : history && rule === "none";
        if ((many && MANY_CHANGES_CLEAR.has(entry.intent)) || touched || grown) drop(key);
      }
    },
    counts: () => ({ ...counts }),
  };
}
