/** JSON with comments. */
import { childOf } from "../syntax-node.ts";
import type { TextFormat } from "./language.ts";
import { comma, ordered, set, type MergeRules } from "./merge-rules.ts";
import { parseJson } from "./parse-json.ts";

const merge: MergeRules = {
  trivia: set("comment"),
  ordering: set(),
  indented: false,
  lists: { document: ordered, object: { ...comma, sortable: true }, array: comma },
  nameOf(node, text) {
    const key = node.type === "pair" ? childOf(node, "key") : undefined;
    return key === undefined ? undefined : `pair:${text(key)}`;
  },
  independent: () => false,
};

export const json: TextFormat = { extensions: [".json", ".jsonc", ".json5"], merge, parse: parseJson };
