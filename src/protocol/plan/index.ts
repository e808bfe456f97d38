/** What a request wants, and how it is to be built: assertions first, then the pieces of work that bring them about. */
import { z } from "zod";
import { CHOICES } from "../choices.ts";

/** The user's words and what follows from them; carried unchanged into every task that acts on them. */
const intent = z.object({
  words: z.string(),
  constraints: z.array(z.string()),
  criteria: z.array(z.string()),
});
export type Intent = z.infer<typeof intent>;

const ASSERTION = /^A[1-9]\d?$/u;
const NODE = /^n[1-9]\d?$/u;

/** Something that will be true, and what would show it. */
const assertion = z.object({
  id: z.string().regex(ASSERTION),
  text: z.string().min(1).max(600),
  /** Said by the user, or what the plan adds. */
  from: z.enum(["user", "inferred"]),
  shown_by: z.enum(["test", "command", "inspection"]),
  /** Of `command`: what must exit with 0. */
  command: z.string().max(400).optional(),
  /** Which of the person's own criteria it holds, by number. */
  criteria: z.array(z.number()).optional(),
});

/** One piece of work: a pipeline of its own. */
const planNode = z.object({
  id: z.string().regex(NODE),
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

const plan = z.object({
  summary: z.string().min(1).max(1_000),
  assertions: z.array(assertion).min(1).max(40),
  nodes: z.array(planNode).min(1).max(20),
  /** What the request names and the plan leaves out, with the reason. */
  deferred: z.array(z.string().max(300)).max(20).default([]),
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
});
export type Finding = z.infer<typeof finding>;

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
});

/** The shapes a request and its plan are made of. */
export const PLAN = { intent, reading, assertion, node: planNode, plan, finding } as const;
