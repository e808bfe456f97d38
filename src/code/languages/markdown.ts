/** Markdown blocks. */
import { childOf } from "../syntax-node.ts";
import type { TextFormat } from "./language.ts";
import { lines, ordered, set, type MergeRules } from "./merge-rules.ts";
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
  independent: (node) => node.type === "section",
};

export const markdown: TextFormat = { extensions: [".md", ".markdown"], merge, parse: parseMarkdown };
