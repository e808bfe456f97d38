/** What a request wants, and how it is to be built: assertions first, then the pieces of work that bring them about. */
import { z } from "zod";
import { CHOICES } from "../choices.ts";
import { recording } from "./recording.ts";

const level = z.enum(CHOICES.inferredLevel);

/** What counts as success: said by the person, or what a plan added and the person let stand. */
const criterion = z.discriminatedUnion("source", [
  z.object({ source: z.literal("explicit"), text: z.string() }),
  z.object({ source: z.literal("inferred"), text: z.string(), level }),
]);

/**
 * The user's words and what follows from them, carried unchanged into every task that acts on them. What the person
 * says later makes the next revision; nobody else does, but for what an approved plan adds.
 */
const intent = z.object({
  revision: z.int().positive(),
  /** As they were said first; never changed. */
  words: z.string(),
  /** What kind of change it is, as the Guide read it. */
  type: z.enum(CHOICES.intentType).optional(),
  constraints: z.array(z.string()),
  criteria: z.array(criterion),
  /** What the person said since, oldest first, and on what. */
  said: z.array(z.object({ on: z.enum(CHOICES.saidOn), words: z.string(), question: z.string().optional() })),
  /** Which plan the inferred criteria come from. */
  inferred_from: z.string().optional(),
});
export type Intent = z.infer<typeof intent>;

const ASSERTION = /^A[1-9]\d?$/u;
const NODE = /^n[1-9]\d{0,2}$/u;
/** A plan grows with what is added to it: pieces and assertions it may have then, and the last number of a piece. */
const MOST = { nodes: 200, number: 999 };

/** A pattern that costs no room in what a model is shown: its prompt says the same. */
const named = (pattern: RegExp, like: string) => z.string().refine((id) => pattern.test(id), `is written like ${like}`);

/** Something that will be true, and what would show it. */
const assertion = z.object({
  id: named(ASSERTION, "A1"),
  text: z.string().min(1).max(600),
  /** Said by the user, or what the plan adds. */
  from: z.enum(["user", "inferred"]),
  shown_by: z.enum(["test", "command", "inspection"]),
  /** Of `command`: what must exit with 0. */
  command: z.string().max(400).optional(),
  /** Which of the person's own criteria it holds, by number. */
  criteria: z.array(z.number()).optional(),
  /** Of `inferred`: how much it matters, how it stands to what the person said (absent: nobody can tell), and why: their words, or what it is for. */
  level: level.optional(),
  beside: z.enum(CHOICES.besideExplicit).optional(),
  why: z.string().optional(),
});

/** One piece of work: a pipeline of its own. */
const planNode = z.object({
  id: named(NODE, "n1"),
  title: z.string().min(1).max(120),
  /** What is to be built, for whoever builds it. */
  goal: z.string().min(1).max(2_000),
  /** Ids; whether there are such is checked with the whole plan. */
  assertions: z.array(z.string()).min(1),
  /** What must be merged before it can begin. */
  after: z.array(z.string()).default([]),
  /** Files it will change or make, as far as can be told. */
  files: z.array(z.string().min(1)).max(60).default([]),
});

/** A plan as it is handed in. */
const draft = z.object({
  summary: z.string().min(1).max(1_000),
  assertions: z.array(assertion).min(1).max(40),
  nodes: z.array(planNode).min(1).max(20),
  /** What the request names and the plan leaves out, with the reason. */
  deferred: z.array(z.string().max(300)).max(20).default([]),
});

/** A plan as it holds: what was inferred and does not stand is kept apart, with the reason. */
const plan = draft.extend({
  assertions: z.array(assertion).min(1).max(MOST.nodes),
  nodes: z.array(planNode).min(1).max(MOST.nodes),
  left: z.array(z.object({ text: z.string(), level, why: z.enum(CHOICES.inferredLeft), what: z.string() })).default([]),
});
export type Plan = z.infer<typeof plan>;

/** What a review found; it holds work up only when something else than words shows it. */
const finding = z.object({
  text: z.string().min(1).max(600),
  path: z.string().optional(),
  line: z.int().positive().optional(),
  assertion: z.string().regex(ASSERTION).optional(),
  /** A failing test, words of a rule of the project, or a command that exits with something else than 0. */
  evidence: z.object({ kind: z.enum(["test", "rule", "command"]), what: z.string().min(1).max(400) }).optional(),
  /** What would mend it, and what that means for what the person said. */
  fix: z
    .object({
      correction: z.string().min(1).max(600),
      /** Limits of the person it would break, by number. */
      breaks: z.array(z.int()),
      /** Assertions or criteria it helps or hinders. */
      impacts: z.array(z.object({ criterion: z.string(), impact: z.enum(CHOICES.criterionImpact), reason: z.string() })),
      /** How sure it is that this is the cause and not a symptom, and why. */
      cause: z.number().min(0).max(1),
      why: z.string(),
    })
    .optional(),
});

/** One try that came to nothing. */
const attemptSummary = z.object({
  timestamp: z.int(),
  approach: z.string(),
  error: z.string(),
  error_tier: z.enum(CHOICES.errorTier),
  tokens_spent: z.int(),
  phases_complete: z.array(z.enum(CHOICES.pipelinePhase)),
});
/** What whoever tries again is told. */
const retryBriefing = z.object({
  original_request: z.string(),
  attempt_number: z.int(),
  /** Oldest first. */
  prior_attempts: z.array(attemptSummary),
  failure_analysis: z.string(),
  suggested_approach: z.string(),
  avoid_patterns: z.array(z.string()),
});

/** What was taken back of a request, and what cannot be. */
const receipt = z.object({
  files_restored: z.array(z.string()),
  staged_files_discarded: z.int(),
  local_commits_removed: z.int(),
  /** No task of it goes on; whoever tries again begins anew. */
  agent_context_reset: z.boolean(),
  /** What cannot be taken back. */
  external_calls: z.array(z.object({ method: z.string(), path: z.string(), status: z.string() })),
  /** The stream that tells what was tried and how it ended. */
  failure_record: z.string(),
  warnings: z.array(z.string()),
});

const requestKind = z.enum(CHOICES.requestKind);
/** One way to understand what the user said. */
const candidate = z.object({ kind: requestKind.exclude(["ambiguous"]), reading: z.string().trim().min(1).max(300) });

/** How a request is understood: what it asks for, in one line, and how sure that is. */
const reading = z.object({
  kind: requestKind,
  confidence: z.number().min(0).max(1),
  reading: z.string().trim().min(1).max(300),
  /** Other ways to understand it, the likeliest first. */
  others: z.array(candidate).max(3).default([]),
  /** Of `answer`: who knows it. */
  who: z.enum(CHOICES.knower).optional(),
  /** What kind of change or question it is. */
  type: z.enum(CHOICES.intentType).optional(),
});

/** The shapes a request and its plan are made of. */
export const PLAN = {
  intent,
  reading,
  assertion,
  node: planNode,
  draft,
  plan,
  finding,
  retryBriefing,
  receipt,
  recording,
  most: MOST,
} as const;
