/** Markdown blocks. */
import { childOf } from "../syntax-node.ts";
import type { TextFormat } from "./language.ts";
import { lines, never, none, ordered, set, type MergeRules } from "./merge-rules.ts";
import { parseMarkdown } from "./parse-markdown.ts";

const merge: MergeRules = {
  trivia: set(),
  ordering: set(),
  indented: false,
  lists: {
    document: ordered,
    section: { itemField: "block" },
    list: { ...lines, itemField: "item" },
    table: { ...lines, itemField: "row" },
  },
  nameOf(node, text) {
    const heading = node.type === "section" ? childOf(node, "heading") : undefined;
    if (heading !== undefined) return `section:${text(heading).trim()}`;
    return node.type === "table_row" ? `row:${(text(node).split("|")[1] ?? "").trim()}` : undefined;
  },
  binds: none,
  acts: never,
  // A numbered list is a sequence.
  isSet: (list, text) => (list.type === "list" && /^\s*\d/u.test(text(list)) ? false : undefined),
  independent: (node) => node.type === "section",
};

export const markdown: TextFormat = { extensions: [".md", ".markdown"], merge, parse: parseMarkdown };
