/** What happens to a task, on the stream `task/<id>`. */
import { z } from "zod";
import { CHOICES } from "../choices.ts";
import { taskOutputs } from "../task-outputs.ts";
import type { Json } from "../../kernel/index.ts";
import { picture } from "../picture.ts";
import { place } from "../place.ts";
import { checkResult } from "./check-result.ts";
import { defineEvent, payloads, typesOf, type EventOf } from "./define-event.ts";
import { decidedWhy, whyOf } from "./decided-why.ts";
import { memoryEffect } from "./memory-effect.ts";
import { treeEvents } from "./tree.ts";

const fileChange = z.object({
  path: z.string(),
  operation: z.enum(["create", "modify", "delete", "move"]),
  before: z.string().nullable(),
  after: z.string().nullable(),
  /** Content before the change. */
  snapshot: z.string().optional(),
  /** The content after it. */
  kept: z.string().optional(),
  /** Permissions of the file before. */
  mode: z.int().optional(),
  /** Those after, where the change gave it others. */
  new_mode: z.int().optional(),
});

/** Arguments that were refused are kept without what they held. */
const toolCall = z.object({
  name: z.string(),
  args: z.unknown(),
  refused: z.string().optional(),
  /** To be read with its result. */
  note: z.string().optional(),
});

const cut = z.object({ section: z.string(), item: z.string(), rule: z.string(), before: z.int(), after: z.int() });

const contextRecord = z.object({
  tokens: z.int(),
  sections: z.record(z.string(), z.int()),
  cuts: z.array(cut),
  /** Hash and tokens of the part that stays the same within a phase. */
  prefix_hash: z.string(),
  prefix_tokens: z.int(),
  system: z.string(),
  tools: z.string(),
  user: z.string(),
});

/** What shows that the goal is reached: it failed without the change. */
const evidence = z.object({ kind: z.enum(CHOICES.evidence), what: z.array(z.string()) });

const usage = z.object({ input: z.int(), output: z.int(), cached: z.int(), cost_usd: z.number().nullable() });

const rule = z.object({ path: z.string(), text: z.string() });

const namedCheck = z.object({
  name: z.string(),
  command: z.string(),
  /** Whose word it is; a check without this is not taken for the user's. */
  from: z.enum(["person", "project", "agent"]).optional(),
});

const TREE_ID = /\bwork_[0-9a-hjkmnp-tv-z]{26}\b/u;

/** Version 1 had one text: relative to the project, or absolute in a work tree, whose folder has its name. */
function placeOf(root: string): Record<string, Json> {
  const isAbsolute = /^(?:[/\\]|[A-Za-z]:[/\\])/u.test(root);
  return isAbsolute ? { kind: "tree", tree: TREE_ID.exec(root)?.[0] ?? "", folder: root } : { kind: "project", folder: root };
}

const created = defineEvent({
  type: "task.created",
  version: 2,
  schema: z.object({
    id: z.string(),
    session: z.string(),
    /** Most all tasks of its session may cost together. */
    session_usd: z.number().positive().optional(),
    goal: z.string(),
    type: z.string(),
    role: z.string(),
    criteria: z.array(z.string()),
    constraints: z.array(z.string()),
    /** Commands that decide whether the work is done. */
    checks: z.array(namedCheck),
    /** Project rules as they stood when the task began. */
    rules: z.array(rule),
    inputs: z.record(z.string(), z.string()),
    /** What the user gave to look at. */
    pictures: z.array(picture).optional(),
    /** The project's files at a glance, as they were when the task began. */
    overview: z.string(),
    model: z.string(),
    profile: z.string(),
    max_steps: z.int().nullable(),
    place,
    phase: z.string(),
    /** What its first look at the checks cannot tell: tests that failed before whoever gave it began, and test files it is to make pass. */
    failing: z.object({ before: z.array(z.string()), wanted: z.array(z.string()), silent: z.array(z.string()).optional() }).optional(),
    /** It ends with a plan first and changes nothing before that is approved. */
    plan: z.boolean().optional(),
    /** The permission mode it goes on in, whoever takes it up again; absent: the default. */
    mode: z.enum(CHOICES.keptMode).optional(),
  }),
  upcast: ({ root, ...old }) => ({ ...old, place: placeOf(typeof root === "string" ? root : ".") }),
});

/** The model was asked and answered; what it wants done comes next. */
const stepped = defineEvent({
  type: "task.stepped",
  version: 1,
  schema: z.object({
    step: z.int(),
    phase: z.string(),
    context: contextRecord,
    /** What the model said besides its calls. */
    text: z.string(),
    calls: z.array(toolCall),
    /** Calls that were left out, and why. */
    skipped: z.array(z.string()),
    /** Why the answer could not be used, after its repair. */
    invalid: z.string().optional(),
    repaired: z.boolean(),
    usage,
    model: z.string(),
  }),
});

/** A side effect is about to happen. Recorded before it does (CTX-020). */
const intended = defineEvent({
  type: "task.intended",
  version: 1,
  schema: z.object({ step: z.int(), index: z.int(), action: z.string(), args: z.unknown(), files: z.array(fileChange) }),
});

const acted = defineEvent({
  type: "task.acted",
  version: 1,
  schema: z.object({
    step: z.int(),
    index: z.int(),
    action: z.string(),
    target: z.string(),
    ok: z.boolean(),
    outcome: z.string(),
    summary: z.string(),
    /** Identifies equal actions and equal outcomes. */
    signature: z.string(),
    files: z.array(fileChange),
    /** Of a command: whether `files` is all it changed. */
    tracked: z.boolean().optional(),
    effects: z.array(memoryEffect),
    /** Whole result as a blob. */
    detail: z.string().optional(),
    /** Something the task had not seen before. */
    news: z.boolean(),
  }),
});

const verified = defineEvent({
  type: "task.verified",
  version: 1,
  schema: z.object({ step: z.int(), checks: z.array(checkResult), ready: z.boolean() }),
});

/** A command was named that fails because of the bug; it is one more check. */
const reproduced = defineEvent({ type: "task.reproduced", version: 1, schema: z.object({ step: z.int(), check: checkResult }) });

const decision = z.enum(["continue", "complete", "escalate", "failed", "paused"]);

const decided = defineEvent({
  type: "task.decided",
  version: 2,
  schema: z.object({
    step: z.int(),
    decision,
    phase: z.string(),
    why: decidedWhy,
    /** The same in words, for people. */
    reason: z.string(),
    progress: z.boolean(),
    /** Steps this task may take, after this decision. */
    limit: z.int(),
    /** What is asked of the user, when escalated, and the question under which it can be answered. */
    question: z.string().optional(),
    question_id: z.string().optional(),
    report: z.string().optional(),
    /** What it hands over beside the report, as its type says. */
    outputs: taskOutputs.optional(),
    /** Evidence and advice of the loop detector. */
    loop: z.object({ kind: z.string(), evidence: z.array(z.string()), advice: z.string() }).optional(),
    verified: z.boolean().optional(),
    evidence: evidence.optional(),
    code: z.string().optional(),
  }),
  upcast: (old) => ({ ...old, why: whyOf(old) }),
});

/** It rests, in the middle of a step, until this question is answered. */
const waits = defineEvent({ type: "task.waits", version: 1, schema: z.object({ question: z.string(), text: z.string() }) });
const answered = defineEvent({
  type: "task.answered",
  version: 1,
  schema: z.object({ text: z.string(), question: z.string().optional() }),
});
/** The user took the task's changes of these files back. */
const undone = defineEvent({
  type: "task.undone",
  version: 1,
  schema: z.object({
    files: z.array(z.string()),
    /** Only what came after this step, and what was known since is forgotten; absent: all of it. */
    to: z.object({ step: z.int(), files: z.array(fileChange) }).optional(),
  }),
});
/** Attempts that failed one after the other were taken back: the files as they are since. */
const takenBack = defineEvent({ type: "task.taken_back", version: 1, schema: z.object({ step: z.int(), files: z.array(fileChange) }) });
/** What the user should know of it, beside what it does. */
const noticed = defineEvent({
  type: "task.noticed",
  version: 1,
  schema: z.object({
    step: z.int(),
    notices: z.array(z.object({ about: z.string(), target: z.string(), outcome: z.string(), summary: z.string() })),
  }),
});
/** What the task learnt was put into its role's memory. */
const kept = defineEvent({ type: "task.kept", version: 1, schema: z.object({ notices: z.int() }) });
/** The user ends it on their own word, verified or not. */
const accepted = defineEvent({ type: "task.accepted", version: 1, schema: z.object({ reason: z.string() }) });
const cancelled = defineEvent({ type: "task.cancelled", version: 1, schema: z.object({ reason: z.string() }) });
const resumed = defineEvent({
  type: "task.resumed",
  version: 1,
  schema: z.object({
    extra_steps: z.int(),
    /** From here on another model works. */
    model: z.string().optional(),
    /** The plan to be carried out, as the user approved it. */
    plan: z.string().optional(),
    /** Most all tasks of its session may cost together from here on. */
    session_usd: z.number().positive().optional(),
    /** The permission mode it goes on in from here on. */
    mode: z.enum(CHOICES.keptMode).optional(),
  }),
});
/** Something it asked for did not fit: from here on its steps may be larger. */
const grew = defineEvent({
  type: "task.grew",
  version: 1,
  schema: z.object({ step: z.int(), from: z.string(), to: z.string(), items: z.array(z.string()) }),
});
/** The goal monitor has advice for the next step. */
const advised = defineEvent({ type: "task.advised", version: 1, schema: z.object({ text: z.string() }) });
const pauseAsked = defineEvent({ type: "task.pause_asked", version: 1, schema: z.object({ reason: z.string() }) });
/** The user stopped what ran; it stays where it stands until they say that it goes on. */
const stopped = defineEvent({ type: "task.stopped", version: 1, schema: z.object({}) });

export const taskEvents = {
  created,
  stepped,
  intended,
  acted,
  verified,
  reproduced,
  decided,
  waits,
  answered,
  undone,
  takenBack,
  noticed,
  kept,
  accepted,
  cancelled,
  resumed,
  grew,
  advised,
  pauseAsked,
  stopped,
  ...treeEvents,
};
type TaskEvent = EventOf<typeof taskEvents>;
/** What happened, without its place. */
type TaskFact = TaskEvent extends infer E ? (E extends TaskEvent ? Pick<E, "type" | "payload"> : never) : never;

/** An event as surfaces get it, in the newest version; undefined for one of another kind, or one that cannot be understood. */
export function readTaskEvent(type: string, payload: Json): TaskFact | undefined {
  const decoded = payloads.decode(type, payload);
  if (decoded.kind !== "known" || !typesOf(taskEvents).includes(type)) return undefined;
  return { type, payload: decoded.value } as TaskFact;
}

export function taskStream(id: string): string {
  return `task/${id}`;
}
