/**
 * Answers kept by what was meant (MEM-040…065): each intent has its own key, its own age limit and its own
 * reasons to be forgotten. An answer built on files is dropped the moment one of them has another hash.
 */
import type { Clock } from "../../kernel/index.ts";
import { STOP_WORDS } from "../text/stop-words.ts";
import { tokenize } from "../text/tokenize.ts";
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

export function createIntentCache<T>(clock: Clock): IntentCache<T> {
  const entries = new Map<string, Entry<T>>();
  const counts: CacheCounts = { hits: 0, misses: 0, invalidations: 0 };
  /** Word order, case, endings and small words do not make another question. */
  const keyOf = (text: string, scope: string): string => {
    const words = tokenize(text).filter((word) => !STOP_WORDS.has(word));
    return `${intentOf(text)}|${scope}|${words.toSorted().join(" ")}`;
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
