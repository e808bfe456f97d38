/** What is known about the project: reading it in, searching, asking, and keeping it sound. */
import { z } from "zod";
import { CHOICES } from "../choices.ts";
import { healthSchema } from "../health.ts";
import { defineCall, none, nothing } from "./define-call.ts";
import { indexReport } from "./live.ts";

const words = z.array(z.string());

const domain = z.enum(CHOICES.searchDomain);
const span = z.strictObject({ from: z.int(), to: z.int() });

const hit = z.strictObject({
  domain: z.enum(["code", "docs", "history"]),
  /** Relative to the project; empty for history without a file. */
  path: z.string(),
  /** The node's id: `<path>:<symbol>`, `commit:<hash>`, `<source>:<id>`. */
  node: z.string(),
  external_id: z.string().optional(),
  /** 0 to 1: closeness to the best of its domain, times how much of the question the domain knows at all. */
  score: z.number(),
  lines: span.optional(),
  /** One line that shows what was found. */
  title: z.string(),
  /** Three to six lines around the best place, and the line of the file they begin with. */
  text: z.string(),
  text_line: z.int().optional(),
  /** Parts of the score, strongest first. */
  why: words,
  author: z.string().optional(),
  time: z.string().optional(),
  trust: z.number(),
  warning: z.string().optional(),
});

const foundConflict = z.strictObject({
  type: z.enum(["temporal", "source_mismatch", "semantic"]),
  subject: z.string(),
  node_a: z.string(),
  node_b: z.string(),
  severity: z.enum(["info", "warning"]),
  description: z.string(),
  suggestion: z.string(),
});

const answer = z.strictObject({
  layer: z.enum(["cache", "graph", "model", "none"]),
  text: z.string(),
  sources: z.array(
    z.strictObject({
      n: z.int(),
      id: z.string(),
      path: z.string().optional(),
      line: z.int().optional(),
      trust: z.number(),
      quality: z.number(),
      /** One line that shows it. */
      shown: z.string(),
      /** The beginning of what it says. */
      excerpt: z.string(),
    }),
  ),
  /** Numbers the text cites. */
  cited: z.array(z.int()),
  /** Stretches of the text with the source each rests on. */
  segments: z.array(z.strictObject({ text: z.string(), start: z.int(), end: z.int(), source: z.int() })),
  inferences: words,
  conflicts: z.array(foundConflict),
  warnings: words,
  /** Of the model, for this answer. */
  tokens: z.number(),
});

const why = z.strictObject({
  path: z.string(),
  line: z.int().optional(),
  symbol: z.strictObject({ id: z.string(), signature: z.string(), doc: z.string(), lines: span }).optional(),
  commits: z.array(
    z.strictObject({
      hash: z.string(),
      time: z.string(),
      author: z.string(),
      message: z.string(),
      /** It wrote the very line asked about. */
      wrote_line: z.boolean(),
    }),
  ),
  /** Files that usually change with it. */
  together: z.array(z.strictObject({ path: z.string(), times: z.int() })),
  tests: words,
  imported_by: words,
  notes: z.array(z.strictObject({ node: z.string(), time: z.string().optional(), text: z.string() })),
});

const node = z.strictObject({
  id: z.string(),
  domain: z.enum(["code", "history", "academic"]),
  type: z.string(),
  name: z.string(),
  path: z.string().optional(),
  line: z.int().optional(),
  end_line: z.int().optional(),
  signature: z.string().optional(),
  content: z.string().optional(),
  category: z.string().optional(),
  time: z.string().optional(),
  author: z.string().optional(),
  url: z.string().optional(),
  verified: z.boolean(),
  /** A user said so. */
  by_user: z.boolean(),
  trust: z.number(),
  superseded_by: z.string().optional(),
  session: z.string().optional(),
  /** Of a failure: whether it was mended, where known. */
  resolved: z.boolean().optional(),
});

const status = z.strictObject({
  file: z.string(),
  bytes: z.int(),
  indexed_at: z.string().optional(),
  files: z.int(),
  /** Files of which only the beginning was read, largest first. */
  cut: words,
  symbols: z.int(),
  chunks: z.int(),
  commits: z.int(),
  /** Of history: what was said or noted. */
  entries: z.int(),
  edges: z.int(),
  /** What roles named as a source for work that failed or was taken back, and how often it was named in all. */
  doubted: z.array(z.strictObject({ source: z.string(), named: z.int(), failed: z.int() })),
  /** What questions are asked with now. */
  vectors: z.strictObject({ model: z.string(), dimensions: z.int(), count: z.int() }),
  /** The model that is configured beside the built-in one, and how far it has come. */
  embeddings: z
    .strictObject({
      model: z.string(),
      dimensions: z.int(),
      embedded: z.int(),
      pending: z.int(),
      in_use: z.boolean(),
      trouble: z.string().optional(),
    })
    .optional(),
  history_partial: z.boolean(),
  /** Of this process. */
  cache: z.strictObject({ hits: z.int(), misses: z.int(), invalidations: z.int() }),
});

const document = z.strictObject({
  file: z.string(),
  slug: z.string().optional(),
  type: z.enum(CHOICES.documentType),
  title: z.string().optional(),
});

/** Null when everything was read; else how far reading is, and what that means for an answer. */
const freshness = z.strictObject({
  indexing: z
    .strictObject({
      phase: z.enum(["listing", "reading", "history", "linking", "embedding"]),
      done: z.int(),
      total: z.int(),
      note: z.string(),
    })
    .nullable(),
});

/** Progress of all of these is live, about `index`. */
export const commands = {
  "knowledge.index": defineCall(none, indexReport),
  /** Brings the index up to date, once before searching. Does not wait long unless for the whole; reading goes on meanwhile. */
  "knowledge.refresh": defineCall(z.strictObject({ whole: z.boolean().optional() }), freshness),
  /** Follows every change until aborted; each is a live part `indexed`. */
  "knowledge.watch": defineCall(none, nothing),
  /** Throws the index away and reads everything again. */
  "knowledge.rebuild": defineCall(none, indexReport),
  "knowledge.import_history": defineCall(
    z.strictObject({ name: z.string(), text: z.string() }),
    z.strictObject({ entries: z.int(), added: z.int() }),
  ),
  "knowledge.add_document": defineCall(
    z.strictObject({ document }),
    z.strictObject({
      slug: z.string(),
      title: z.string(),
      added: z.int(),
      updated: z.int(),
      removed: z.int(),
      unchanged: z.int(),
    }),
  ),
  /** False when there is no such open contradiction. */
  "knowledge.resolve_conflict": defineCall(z.strictObject({ id: z.int(), resolution: z.string() }), z.boolean()),
};

export const queries = {
  /** Answers from the index as it is. */
  "knowledge.search": defineCall(
    z.strictObject({
      text: z.string(),
      domain: domain.optional(),
      k: z.int().optional(),
      /** Only paths that match this glob. */
      path_glob: z.string().optional(),
      /** Let the configured model put the best in order. */
      rerank: z.boolean().optional(),
      /** Nothing else is asked after this. */
      once: z.boolean().optional(),
    }),
    z.strictObject({ hits: z.array(hit), warnings: words }),
  ),
  /** A question through cache, graph and model; how the model is used is configured unless said. */
  "knowledge.ask": defineCall(
    z.strictObject({ text: z.string(), domain: domain.optional(), k: z.int().optional(), with_model: z.boolean().optional() }),
    answer,
  ),
  "knowledge.map": defineCall(
    z.strictObject({ budget_tokens: z.int(), folder: z.string().optional() }),
    z.strictObject({ text: z.string(), tokens: z.int(), shown: z.int(), files: z.int() }),
  ),
  "knowledge.why": defineCall(z.strictObject({ path: z.string(), line: z.int().optional() }), why),
  /** One entry whole, by the id a search shows; null when nothing is known under it. */
  "knowledge.node": defineCall(z.strictObject({ id: z.string() }), node.nullable()),
  "knowledge.conflicts": defineCall(none, z.array(foundConflict.extend({ id: z.int() }))),
  /** How sound a folder of the project is, measured now; all of it when none is named. */
  "knowledge.health": defineCall(z.strictObject({ folder: z.string().optional() }), healthSchema),
  "knowledge.status": defineCall(none, status),
  /** What is damaged; null when it is sound. */
  "knowledge.verify": defineCall(none, z.strictObject({ problem: z.string().nullable() })),
};
