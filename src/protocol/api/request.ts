/** Requests: from a sentence to merged work. */
import { z } from "zod";
import { CHOICES } from "../choices.ts";
import { PLAN } from "../plan/index.ts";
import { attended } from "./task.ts";
import { defineCall, none, nothing } from "./define-call.ts";

const { finding, intent, plan, receipt, recording } = PLAN;
const id = z.string();
const one = z.strictObject({ id });

const startRequest = z.strictObject({
  words: z.string(),
  constraints: z.array(z.string()),
  criteria: z.array(z.string()),
  checks: z.array(z.string()),
  approve: z.enum(CHOICES.approve),
  mode: z.enum(CHOICES.requestMode),
  model: z.string().optional(),
  profile: z.string(),
  budget_usd: z.number().positive().optional(),
  /** Picture files beside those that the words name. */
  pictures: z.array(z.string()).optional(),
  /** Requests and tasks that were said before it in the same session, by id, oldest first; the last six count. */
  before: z.array(z.string()).optional(),
  /** It is a question, whoever reads it: it is answered, and nothing is planned or changed. */
  asks: z.literal(true).optional(),
});

const pieceState = z.enum(["waiting", "blocked", "paused", ...CHOICES.pipelinePhase, "merging", "needs_you", ...CHOICES.pipelineEnd]);

/** Who works, in which step of which task, and what it does or said last. */
const worker = z.strictObject({ task: z.string(), role: z.string(), step: z.int(), status: z.string(), does: z.string() });

const piece = z.strictObject({
  id: z.string(),
  title: z.string(),
  assertions: z.array(z.string()),
  after: z.array(z.string()),
  files: z.array(z.string()),
  state: pieceState,
  attempt: z.int(),
  /** Why it waits, was left out or ended as it did. */
  why: z.string(),
  /** Who works on it now. */
  doing: worker.optional(),
  /** Since when it is at work; what it rested for the user does not count. */
  since: z.int().optional(),
  pipeline: z.string().optional(),
  /** Of its tasks, oldest first. */
  tasks: z.array(z.string()),
  cost_usd: z.number(),
});

const requestSummary = z.strictObject({
  id,
  words: z.string(),
  /** `interrupted`: it was begun, has not ended, waits for nobody, and nobody works on it. */
  status: z.enum(["planning", "building", "judging", "needs_you", "paused", "interrupted", "undone", ...CHOICES.requestEnd]),
  /** Whether somebody works on it now. */
  running: z.boolean(),
  /** The user stopped it on purpose, and has not gone on with it. */
  stopped: z.literal(true).optional(),
  /** Pieces that could begin wait for this machine to have room. */
  waits_for: z.literal("memory").optional(),
  created_at: z.int(),
  updated_at: z.int(),
  pieces: z.int(),
  merged: z.int(),
  cost_usd: z.number(),
});

/** `answers`: what may be chosen; none where words are the answer. */
const openQuestion = z.strictObject({ id: z.string(), text: z.string(), answers: z.array(z.string()) });

export const requestDetail = requestSummary.extend({
  /** Names of pictures that everybody who works on it is shown. */
  pictures: z.array(z.string()).optional(),
  /** What was said before it in the same session: requests and tasks, oldest first. */
  before: z.array(z.string()),
  /** As it stands, and every revision before it. */
  intent,
  earlier: z.array(intent),
  approve: z.enum(CHOICES.approve),
  /** How it was understood; absent: nobody had to. */
  reading: z
    .strictObject({ kind: z.enum(CHOICES.requestKind), confidence: z.number(), reading: z.string(), by: z.enum(["guide", "user"]) })
    .optional(),
  shape: z.strictObject({ mode: z.enum(["solo", "team"]), why: z.string() }).optional(),
  plan: z.strictObject({ version: z.int(), approved: z.boolean(), plan, text: z.string() }).optional(),
  work: z.array(piece),
  /** Who reads, plans or looks at the whole now. */
  doing: worker.optional(),
  /** What only the user can say. */
  questions: z.array(openQuestion),
  findings: z.array(finding.extend({ blocks: z.boolean() })),
  /** `model_ms`: how long models took; of pieces at work at once it adds up. */
  usage: z.strictObject({ input: z.int(), output: z.int(), calls: z.int(), model_ms: z.int() }),
  /** From the first word until now, or until somebody last worked on it. */
  took_ms: z.int(),
  /** The look at the whole: `sylk task diff` and `sylk task undo` know it. */
  whole: z.string().optional(),
  end: z
    .strictObject({
      how: z.enum(CHOICES.requestEnd),
      summary: z.string(),
      deferred: z.array(z.string()),
      files: z.array(z.string()),
      evidence: z.record(z.string(), z.string()),
    })
    .optional(),
});

export const commands = {
  "request.start": defineCall(z.strictObject({ options: startRequest }), one),
  /** Runs it and everything that belongs to it until all of it ends or waits. Aborted, it can be run again. */
  "request.run": defineCall(one.extend({ attended }), requestDetail),
  /** Stops after what is under way; nothing new begins until it is resumed. */
  "request.pause": defineCall(one, nothing),
  "request.resume": defineCall(one, nothing),
  /** To one piece and nobody else; null: whoever works on it has not acknowledged it in time. It is written down all the same. */
  "request.signal": defineCall(
    z.strictObject({ id, piece: z.string(), signal: z.enum(CHOICES.pieceSignal) }),
    z.strictObject({ stands: z.enum(["paused", "at_work", "ended"]), running: z.array(z.string()) }).nullable(),
  ),
  /** What the person wants beside it: its plan is changed, and what is merged stays. */
  "request.add": defineCall(z.strictObject({ id, words: z.string() }), nothing),
  /** Words for whoever works on a piece, now and later. */
  "request.tell": defineCall(z.strictObject({ id, piece: z.string(), words: z.string() }), nothing),
  /** Looks at a range of commits, or at what is not committed, and changes nothing. */
  "request.review": defineCall(
    z.strictObject({ range: z.string().optional(), model: z.string().optional(), profile: z.string() }),
    z.strictObject({
      title: z.string(),
      summary: z.string(),
      findings: z.array(finding.extend({ blocks: z.boolean() })),
      checks: z.array(z.object({ name: z.string(), command: z.string(), passed: z.boolean(), summary: z.string() })),
      /** No finding with evidence, and every check passes. */
      passed: z.boolean(),
      /** Absent: nothing differs. */
      task: z.string().optional(),
    }),
  ),
  /** Ends it and every piece of it; what was merged stays merged. */
  /** A new one from the same state of the project and, unless other words are given, the same plan. */
  "request.fork": defineCall(z.strictObject({ id, words: z.string().optional() }), one),
  /** Takes all of it back, merged or not; the receipt tells what was taken back and what cannot be. */
  "request.rollback": defineCall(z.strictObject({ id, force: z.boolean() }), receipt),
  /** What ran was stopped by the user on purpose: it is not begun again unless they name it. */
  "request.stopped": defineCall(one, nothing),
  "request.cancel": defineCall(z.strictObject({ id, reason: z.string() }), nothing),
};

export const queries = {
  /** What words with a slash stand for; nobody else is asked what they mean. */
  "request.command": defineCall(
    z.strictObject({ words: z.string() }),
    z.discriminatedUnion("kind", [
      z.strictObject({ kind: z.literal("none") }),
      z.strictObject({ kind: z.literal("command"), does: z.enum(CHOICES.slashCommand), rest: z.string(), help: z.string() }),
      /** A request in other words. */
      z.strictObject({ kind: z.literal("request"), words: z.string() }),
      z.strictObject({ kind: z.literal("wrong"), message: z.string(), fix: z.string() }),
    ]),
  ),
  /** Words with a slash that people wrote down themselves, in files of the user and of the project. */
  "request.commands": defineCall(
    none,
    z.array(
      z.strictObject({
        name: z.string(),
        description: z.string(),
        hint: z.string().optional(),
        file: z.string(),
        from: z.enum(["user", "project"]),
        /** Why it is not used. */
        idle: z.string().optional(),
      }),
    ),
  ),
  /** Newest first. */
  "request.list": defineCall(z.strictObject({ limit: z.int().positive().optional() }), z.array(requestSummary)),
  /** Those in whose words, plan or summary all of these words stand; newest first. */
  "request.search": defineCall(z.strictObject({ words: z.string() }), z.array(requestSummary)),
  "request.show": defineCall(one, requestDetail),
  /** One that has ended, as a cassette: every step of its tasks, from the journal. */
  "request.record": defineCall(one, z.strictObject({ text: z.string(), calls: z.int(), recording })),
  /** A whole id from its beginning or end; the newest one for `last`. */
  "request.resolve": defineCall(one, one),
};
