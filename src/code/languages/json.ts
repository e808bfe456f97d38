/** JSON with comments. */
import path from "node:path";
import { childOf } from "../syntax-node.ts";
import type { TextFormat } from "./language.ts";
import { comma, never, none, ordered, sequence, set, type MergeRules } from "./merge-rules.ts";
import { parseJson } from "./parse-json.ts";

/** Arrays that are known to be sets. */
const SETS: readonly (readonly [file: RegExp, keys: readonly string[]])[] = [
  [/^[jt]sconfig.*\.jsonc?$/u, ["include", "exclude", "files", "lib", "types"]],
  [/^package\.json$/u, ["keywords", "bundledDependencies", "bundleDependencies"]],
  [/^extensions\.json$/u, ["recommendations", "unwantedRecommendations"]],
];

/** One key may be written in several ways. */
function plainKey(written: string): string {
  try {
    return String(JSON.parse(written));
  } catch {
    return written;
  }
}

const merge: MergeRules = {
  trivia: set("comment"),
  ordering: set(),
  indented: false,
  lists: { document: ordered, object: { ...comma, sortable: true }, array: sequence },
  nameOf(node, text) {
    const key = node.type === "pair" ? childOf(node, "key") : undefined;
    return key === undefined ? undefined : `pair:${plainKey(text(key))}`;
  },
  binds: none,
  acts: never,
  isSet(list, text, owner, file) {
    const key = list.type === "array" ? childOf(owner, "key") : undefined;
    if (key === undefined) return undefined;
    const known = SETS.find(([name]) => name.test(path.basename(file)))?.[1] ?? [];
    return (known.includes(plainKey(text(key))) && !text(list).includes('"!')) || undefined;
  },
  independent: () => false,
};

export const json: TextFormat = { extensions: [".json", ".jsonc", ".json5"], merge, parse: parseJson };
