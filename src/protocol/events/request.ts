/** What becomes of a request, on the stream `request/<id>`: its plan, its pieces of work, its result. */
import { z } from "zod";
import { CHOICES } from "../choices.ts";
import { healthSchema } from "../health.ts";
import { picture } from "../picture.ts";
import { PLAN } from "../plan/index.ts";
import { checkLine } from "./check-result.ts";
import { defineEvent } from "./define-event.ts";
import { correctionsMessage } from "../message.ts";
import { correctionsOfBefore } from "./corrections-of-before.ts";
import { intentOfBefore } from "./intent-of-before.ts";

const { finding, intent, plan, reading } = PLAN;

const namedCheck = z.object({ name: z.string(), command: z.string(), from: z.enum(["person", "project", "agent"]).optional() });

const created = defineEvent({
  type: "request.created",
  version: 2,
  schema: z.object({
    id: z.string(),
    intent,
    /** When the user is asked: for the plan and the last merge, never, or only for a plan. */
    approve: z.enum(CHOICES.approve),
    /** One pipeline, several, or as the plan suggests. */
    mode: z.enum(CHOICES.requestMode),
    /** A model for every role; absent: each role's own. */
    model: z.string().optional(),
    profile: z.string(),
    /** Commands of the user that must pass; none: the project's own. */
    checks: z.array(z.string()),
    budget_usd: z.number().positive().optional(),
    pictures: z.array(picture).optional(),
    /** What was said before it in the same session: requests and tasks, oldest first. */
    before: z.array(z.string()).optional(),
    /** The user said that it is a question: only who answers it is to be found. */
    asks: z.literal(true).optional(),
    /** The request it was made from, and the state of the project that one began with. */
    from: z.object({ request: z.string(), base: z.string().optional() }).optional(),
  }),
  upcast: ({ intent: old, ...rest }) => ({ ...rest, intent: intentOfBefore(old) }),
});

/** How the Guide understands it, or what the user said it means. */
const classified = defineEvent({
  type: "request.classified",
  version: 1,
  schema: reading.extend({ round: z.int(), reading: z.string(), by: z.enum(["guide", "user"]) }),
});
/** The user meant something else than the Guide understood; the next requests are read with this in view. */
const corrected = defineEvent({
  type: "request.corrected",
  version: 1,
  schema: z.object({
    round: z.int(),
    read_as: reading.shape.kind,
    /** Absent: only the words tell. */
    meant: reading.shape.kind.optional(),
    words: z.string(),
  }),
});

/** What is known of the place a plan is about, measured and looked up before it is drafted. */
const assessed = defineEvent({
  type: "request.assessed",
  version: 1,
  schema: z.object({
    /** The version of the plan that rests on it. */
    plan_version: z.int(),
    health: z.array(healthSchema),
    failures: z.object({
      failure_patterns: z.array(z.object({ pattern: z.string(), error: z.string(), fix: z.string(), occurrences: z.int() })),
      /** Requests with much the same words that have ended. */
      success_statistics: z.object({ similar: z.int(), succeeded: z.int() }),
      warnings: z.array(z.string()),
    }),
    /** What roles answered in such requests, and what became of those. */
    advice: z
      .array(
        z.object({
          request: z.string(),
          by: z.string(),
          question: z.string(),
          answer: z.string(),
          outcome: z.enum(["success", "partial", "failure"]),
          why: z.string(),
        }),
      )
      .default([]),
  }),
});
/** Who was to answer says that it is not theirs; `chosen`: the user said who answers instead. */
const rerouted = defineEvent({
  type: "request.rerouted",
  version: 1,
  schema: z.object({ from: z.string(), reason: z.string(), to: z.string(), chosen: z.boolean() }),
});

/** A plan was written by the Architect's task; every version stays. */
const planned = defineEvent({
  type: "plan.drafted",
  version: 1,
  schema: z.object({ plan_version: z.int(), plan, task: z.string() }),
});
/** The plan cannot be carried out as it stands; the next version hears why. */
const refused = defineEvent({
  type: "plan.refused",
  version: 1,
  schema: z.object({ plan_version: z.int(), problems: z.array(z.string()) }),
});
const commented = defineEvent({ type: "plan.commented", version: 1, schema: z.object({ plan_version: z.int(), words: z.string() }) });
const approved = defineEvent({
  type: "plan.approved",
  version: 1,
  schema: z.object({
    plan_version: z.int(),
    /** Commands of the plan that the user allows with it, word for word. */
    commands: z.array(z.string()).default([]),
    /** Of a plan that is changed and that nobody was asked about: what that means for pieces and assertions. */
    changes: z.string().optional(),
  }),
});
/** The user takes something out that nobody asked for; from here on that is a limit. */
const removed = defineEvent({
  type: "plan.removed",
  version: 1,
  schema: z.object({ plan_version: z.int(), assertion: z.string(), text: z.string() }),
});
/** What the person said while it was worked on, in answer to this question. */
const said = defineEvent({
  type: "request.said",
  version: 1,
  schema: z.object({ on: z.enum(CHOICES.saidOn), question: z.string(), words: z.string() }),
});
/** What the person wants beside what was said before; the plan is changed for it, wherever the request stands. */
const added = defineEvent({ type: "request.added", version: 1, schema: z.object({ words: z.string() }) });
/** What was added comes into no plan after all: the one before stands, under this number. */
const unchanged = defineEvent({
  type: "plan.unchanged",
  version: 1,
  schema: z.object({
    plan_version: z.int(),
    why: z.string(),
    /** The user did not want it so; otherwise none could be made. */
    rejected: z.boolean().default(false),
  }),
});
/** How it is built, and why so: decided by rules, not by a model. */
const shaped = defineEvent({
  type: "request.shaped",
  version: 1,
  schema: z.object({ mode: z.enum(["solo", "team"]), why: z.string(), nodes: plan.shape.nodes }),
});

/** A task of the request itself is about to begin: the plan, the look at the whole, a repair. */
const taskOpened = defineEvent({
  type: "request.task_opened",
  version: 1,
  schema: z.object({ purpose: z.enum(["classify", "answer", "plan", "replan", "inspect"]), round: z.int(), task: z.string() }),
});

/** How one command stands before anything is built; `why`: what it said, or why it could not run. */
const today = z.object({
  command: z.string(),
  says: z.enum(["passes", "fails", "could_not_run", "not_tried"]),
  /** What it names as failing. */
  failing: z.array(z.string()),
  why: z.string(),
  /** It fails before any test is run; `instead`: what runs them in its place. */
  runs_no_test: z.boolean().optional(),
  instead: z.string().optional(),
});
/** Of checks that fail and name nothing: how each did. */
const silent = z.array(z.string()).default([]);
/** The state everything begins from, and what the checks say of it. */
const measured = defineEvent({
  type: "request.measured",
  version: 1,
  schema: z.object({
    tree: z.string(),
    base: z.string(),
    /** What the files were, whatever commit they stand in. */
    content: z.string(),
    /** Those that can run. */
    checks: z.array(namedCheck),
    failing: z.array(z.string()),
    silent,
    today: z.array(today),
  }),
});
/** Commands that the plan names, run on that state. */
const tried = defineEvent({ type: "plan.tried", version: 1, schema: z.object({ today: z.array(today) }) });

/** Asked which command runs the tests, the person named this one; empty: it goes on with what there is. */
const checkNamed = defineEvent({ type: "request.check_named", version: 1, schema: z.object({ command: z.string() }) });

/** Where the pieces of work meet. */
const integrated = defineEvent({
  type: "request.integration_opened",
  version: 1,
  schema: z.object({
    tree: z.string(),
    base: z.string(),
    checks: z.array(namedCheck),
    /** What failed before anything was built: names of tests, and of checks that name none. */
    failing: z.array(z.string()),
    silent,
  }),
});

/** A piece of work has its own run from here on. */
const spawned = defineEvent({ type: "pipeline.spawned", version: 1, schema: z.object({ node: z.string(), pipeline: z.string() }) });
/** Told by a pipeline that has come to rest; its own stream says how. */
const rested = defineEvent({ type: "pipeline.rested", version: 1, schema: z.object({ node: z.string(), pipeline: z.string() }) });
/** A user lets a piece of work go; `goes_on`: what needs it is built all the same. */
const skipped = defineEvent({
  type: "pipeline.skipped",
  version: 1,
  schema: z.object({ node: z.string(), why: z.string(), goes_on: z.boolean().optional() }),
});
/** What this piece needs does not get there: it waits until the user has said what becomes of that. */
const blocked = defineEvent({
  type: "pipeline.blocked",
  version: 1,
  schema: z.object({ node: z.string(), by: z.string(), why: z.string() }),
});
/** What held it up goes on, or need not be waited for any more. */
const unblocked = defineEvent({ type: "pipeline.unblocked", version: 1, schema: z.object({ node: z.string() }) });
/** The Architect planned pieces anew: these take the place of those; none where the plan was changed and needs none more. */
const replanned = defineEvent({
  type: "plan.replanned",
  version: 1,
  schema: z.object({ replaces: z.array(z.string()), nodes: z.array(PLAN.node), task: z.string() }),
});

/** The whole, looked at and tested on the merged tree. */
const judged = defineEvent({
  type: "request.judged",
  version: 1,
  schema: z.object({
    round: z.int(),
    passed: z.boolean(),
    /** What the checks said of the merged tree, and of which commit. */
    commit: z.string(),
    checks: z.array(checkLine),
    findings: z.array(finding.extend({ blocks: z.boolean() })),
    /** By assertion: what shows it. */
    evidence: z.record(z.string(), z.string()),
    /** Nobody read it anew: it is one piece, and the review of that commit stands. */
    review_stands: z.object({ commit: z.string(), piece: z.string() }).optional(),
  }),
});
/** What the look at the whole found becomes work. */
const repairing = defineEvent({
  type: "request.repairing",
  version: 2,
  schema: z.object({ round: z.int(), nodes: plan.shape.nodes, message: correctionsMessage }),
  upcast: (old) => ({ ...old, message: correctionsOfBefore("") }),
});

const ended = defineEvent({
  type: "request.ended",
  version: 1,
  schema: z.object({
    how: z.enum(CHOICES.requestEnd),
    summary: z.string(),
    deferred: z.array(z.string()),
    /** Files that came into the user's folder. */
    files: z.array(z.string()),
    evidence: z.record(z.string(), z.string()),
  }),
});
/** It needs the user: under this question. */
const waits = defineEvent({
  type: "request.waits",
  version: 1,
  schema: z.object({
    why: z.enum(["reading", "plan", "task_asks", "merge", "conflict", "whole", "model", "budget", "commands", "memory", "check"]),
    question: z.string(),
    text: z.string(),
  }),
});
/** The user lets it cost more: this much in all from here on. */
const budgetRaised = defineEvent({ type: "request.budget_raised", version: 1, schema: z.object({ usd: z.number().positive() }) });
const pauseAsked = defineEvent({ type: "request.pause_asked", version: 1, schema: z.object({ reason: z.string() }) });
const resumed = defineEvent({ type: "request.resumed", version: 1, schema: z.object({}) });
/** The user stopped what ran; it stays where it stands until they say that it goes on. */
const stopped = defineEvent({ type: "request.stopped", version: 1, schema: z.object({}) });

/** The user took all of it back; what was done stays written here. */
const rolledBack = defineEvent({ type: "request.rolled_back", version: 1, schema: PLAN.receipt });

export const requestEvents = {
  created,
  classified,
  corrected,
  assessed,
  rerouted,
  planned,
  refused,
  commented,
  approved,
  removed,
  said,
  added,
  unchanged,
  shaped,
  taskOpened,
  measured,
  tried,
  checkNamed,
  integrated,
  spawned,
  rested,
  skipped,
  blocked,
  unblocked,
  replanned,
  judged,
  repairing,
  waits,
  budgetRaised,
  pauseAsked,
  resumed,
  stopped,
  ended,
  rolledBack,
};

export function requestStream(id: string): string {
  return `request/${id}`;
}
