/** Models, what they have cost, and the project's own tools. */
import { z } from "zod";
import { CHOICES } from "../choices.ts";
import { PLAN } from "../plan/index.ts";
import { defineCall, none, nothing } from "./define-call.ts";

const listing = z.strictObject({
  providers: z.array(
    z.strictObject({
      name: z.string(),
      kind: z.string(),
      status: z.discriminatedUnion("kind", [
        z.strictObject({ kind: z.literal("ready") }),
        z.strictObject({ kind: z.literal("disabled") }),
        z.strictObject({ kind: z.literal("missing"), what: z.string() }),
        z.strictObject({ kind: z.literal("silent"), what: z.string() }),
      ]),
      /** Where one on this machine is expected. */
      server: z.string().optional(),
    }),
  ),
  /** Tier to its chain; `configured` is false for the shipped ones. */
  tiers: z.array(z.strictObject({ name: z.string(), chain: z.array(z.string()), configured: z.boolean() })),
  models: z.array(
    z.strictObject({
      id: z.string(),
      ready: z.boolean(),
      context_window: z.number(),
      max_output: z.number(),
      /** US dollars per million tokens. */
      input_price: z.number(),
      output_price: z.number(),
      cache_read_price: z.number(),
      cache_write_price: z.number(),
      tools: z.boolean(),
      structured: z.boolean(),
      reasoning: z.boolean(),
      images: z.boolean(),
      known_limits: z.boolean(),
      assumed: z.boolean(),
    }),
  ),
});

const tested = z.strictObject({
  /** As it was asked for; the answering model may be a fallback. */
  asked: z.string(),
  answered: z.string(),
  ms: z.int(),
  first_word_ms: z.int().optional(),
  usage: z.strictObject({
    input_tokens: z.number(),
    output_tokens: z.number(),
    cache_read_tokens: z.number(),
    cache_write_tokens: z.number(),
    reasoning_tokens: z.number(),
    estimated: z.boolean(),
  }),
  cost_usd: z.number(),
  attempts: z.int(),
});

const usageRow = z.strictObject({
  key: z.string(),
  /** Of a piece of a request: its number in the plan, and its title. */
  name: z.string().optional(),
  calls: z.number(),
  failures: z.number(),
  input_tokens: z.number(),
  output_tokens: z.number(),
  cache_read_tokens: z.number(),
  cache_write_tokens: z.number(),
  reasoning_tokens: z.number(),
  cost_nano_usd: z.number(),
  assumed_cost_nano_usd: z.number(),
  estimated_calls: z.number(),
  counted_tokens: z.number(),
  reported_tokens: z.number(),
  latency_ms: z.number(),
  queued_ms: z.number(),
  /** Mean error of the tokenizer's count against what providers reported, in percent; null when unknown. */
  estimate_error_percent: z.number().nullable(),
});

const dimension = z.enum(CHOICES.usageDimension);

const argv = z.array(z.string());
const category = z.string();

const discovery = z.strictObject({
  /** It was known already. */
  cached: z.boolean().optional(),
  root: z.string(),
  languages: z.array(z.strictObject({ language: z.string(), files: z.int() })),
  package_managers: z.array(z.strictObject({ id: z.string(), install: argv, confidence: z.number(), reason: z.string() })),
  choices: z.array(
    z.strictObject({
      category,
      language: z.string(),
      root: z.string(),
      tool: z.strictObject({
        id: z.string(),
        name: z.string(),
        category,
        language: z.string(),
        /** Folder of the package it belongs to, relative to the project; `.` for the root. */
        root: z.string(),
        commands: z.partialRecord(
          z.enum(["run", "file", "single", "coverage", "watch", "check", "fix", "stdin", "related"]),
          argv.optional(),
        ),
        report: z.strictObject({ args: argv, format: z.string() }).optional(),
        test_files: argv,
        test_folders: argv,
        extensions: argv,
        config_path: z.string().optional(),
        version: z.string().optional(),
        installed: z.boolean(),
        install_command: argv.optional(),
        source: z.string(),
        confidence: z.number(),
        level: z.string(),
        reason: z.string(),
      }),
      alternatives: z.array(z.strictObject({ id: z.string(), reason: z.string() })),
      warnings: z.array(z.string()),
      /** 1: found in the project. 3: only defaults are known, a user should choose. */
      tier: z.literal([1, 3]),
      requires_user: z.boolean(),
    }),
  ),
  /** Named entry points of the project itself: package scripts and make targets. */
  scripts: z.array(z.strictObject({ name: z.string(), command: argv, line: z.string(), from: z.string() })),
});

const sandboxStatus = z.strictObject({
  mode: z.enum(["off", "auto", "require"]),
  available: z.boolean(),
  layer: z.enum(["bubblewrap", "sandbox-runtime"]).optional(),
  /** Why it is not available, or not whole, and what would help. */
  reason: z.string().optional(),
  fix: z.string().optional(),
  /** Commands with a list of hosts can be sandboxed too. */
  network: z.boolean(),
});

const sandboxCheck = z.strictObject({
  name: z.string(),
  layer: z.string(),
  result: z.enum(["kept", "broken", "not_tested"]),
  detail: z.string(),
});

export const commands = {
  /** One small real call. */
  "model.test": defineCall(z.strictObject({ model: z.string().optional() }), tested),
  /** Asks again at once a provider or model that was given up. */
  "model.reset": defineCall(z.strictObject({ breaker: z.string() }), nothing),
  /** Tries the sandbox for real. */
  "sandbox.test": defineCall(none, z.array(sandboxCheck)),
};

export const queries = {
  /** What a server at this address offers, where it speaks OpenAI's protocol. */
  "model.served": defineCall(
    z.strictObject({ url: z.string().min(1).max(2_000) }),
    z.discriminatedUnion("kind", [
      z.strictObject({ kind: z.literal("served"), base_url: z.string(), models: z.array(z.string()) }),
      z.strictObject({ kind: z.literal("unreachable"), why: z.string() }),
    ]),
  ),
  /** `ask`: whether servers on this machine are there. */
  "model.list": defineCall(z.strictObject({ ask: z.boolean().optional() }), listing),
  /** The first model a name stands for here; a tier needs a key. */
  "model.resolve": defineCall(z.strictObject({ model: z.string() }), z.strictObject({ id: z.string() })),
  /** What a cassette says of itself; `recording`: the request it was made from. */
  "model.cassette": defineCall(
    z.strictObject({ file: z.string() }),
    z.strictObject({ recorded_at: z.string(), calls: z.int(), recording: PLAN.recording.optional() }),
  ),
  /** Breakers that are not closed, for all processes. */
  "model.tripped": defineCall(none, z.array(z.strictObject({ id: z.string(), state: z.string(), until: z.number().nullable() }))),
  "usage.report": defineCall(
    z.strictObject({ by: dimension, where: z.partialRecord(dimension, z.string()).optional(), period: z.enum(CHOICES.usagePeriod) }),
    z.strictObject({ by: dimension, rows: z.array(usageRow), total: usageRow }),
  ),
  /** Formatters, linters, type checkers, test frameworks and their commands, with the reason for each. */
  "tool.discover": defineCall(none, discovery),
  "sandbox.status": defineCall(none, sandboxStatus),
};
