/**
 * What is shown while it happens and then forgotten: never journaled, redacted before it leaves. A listener that
 * falls behind loses the oldest and is told how many.
 */
import { z } from "zod";

/** What an index took in. */
export const indexReport = z.strictObject({
  files: z.int(),
  added: z.int(),
  changed: z.int(),
  removed: z.int(),
  commits: z.int(),
  /** Folders in which files came or went. */
  folders: z.array(z.string()),
  /** Files that changed while they were read, each read again. */
  passes: z.int(),
});

const task = z.string();

export const livePart = z.discriminatedUnion("type", [
  /** A model is asked; `attempt` counts from 1 within one call. */
  z.strictObject({ type: z.literal("asking"), task, role: z.string(), provider: z.string(), model: z.string(), attempt: z.int() }),
  /** The model has not said anything for a while. */
  z.strictObject({
    type: z.literal("waiting"),
    task,
    provider: z.string(),
    attempt: z.int(),
    attempts: z.int(),
    waited_ms: z.int(),
    /** The step's one deadline, over all attempts. */
    limit_ms: z.int(),
  }),
  /** What the model says, as it comes. */
  z.strictObject({ type: z.literal("text"), task, role: z.string(), text: z.string() }),
  /** What the model said so far is void; it is asked again when `wait_ms` have passed. */
  z.strictObject({
    type: z.literal("retry"),
    task,
    provider: z.string(),
    why: z.enum(["retry", "preempted", "fallback"]),
    /** The error's tier: `external_rate_limit` is a wait in line, not a fault. */
    tier: z.string().optional(),
    reason: z.string(),
    wait_ms: z.int(),
  }),
  /** What this task's calls have cost since this process began. */
  z.strictObject({ type: z.literal("cost"), task, calls: z.int(), input: z.int(), output: z.int(), cost_usd: z.number() }),
  z.strictObject({
    type: z.literal("command"),
    task,
    state: z.enum(["starting", "running", "stopping", "ended"]),
    command: z.string(),
    /** It is run to see whether the work is right. */
    is_check: z.literal(true).optional(),
    /** Of one that ended by itself. */
    exit_code: z.int().optional(),
  }),
  /** A line of a command's output. */
  z.strictObject({ type: z.literal("output"), task, stream: z.enum(["stdout", "stderr"]), text: z.string() }),
  /** Long work that is no task: how far it is. */
  z.strictObject({
    type: z.literal("progress"),
    about: z.enum(["index", "verify", "refresh", "skill"]),
    what: z.string(),
    done: z.int().optional(),
    total: z.int().optional(),
  }),
  /** What a watched index took in. */
  z.strictObject({ type: z.literal("indexed"), report: indexReport }),
  /** So many parts were dropped before the next one. */
  z.strictObject({ type: z.literal("missed"), count: z.int() }),
]);
export type LivePart = z.infer<typeof livePart>;
