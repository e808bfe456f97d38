/** What becomes of one piece of a plan, on the stream `pipeline/<id>`: its tree, its phases, its merge. */
import { z } from "zod";
import { CHOICES } from "../choices.ts";
import { PLAN } from "../plan/index.ts";
import { alignment } from "../correction.ts";
import { correctionsMessage } from "../message.ts";
import { correctionsOfBefore } from "./corrections-of-before.ts";
import { checkLine } from "./check-result.ts";
import { defineEvent } from "./define-event.ts";

const { assertion, finding, node: planNode, retryBriefing } = PLAN;

const opened = defineEvent({
  type: "pipeline.opened",
  version: 1,
  schema: z.object({
    id: z.string(),
    /** Its intent is read there, as it stands when a phase begins. */
    request: z.string(),
    node: planNode,
    assertions: z.array(assertion),
    model: z.string().optional(),
    profile: z.string(),
    budget_usd: z.number().positive().optional(),
    checks: z.array(z.string()),
    /** Commands of the plan that the user allowed with it. */
    allowed: z.array(z.string()).default([]),
    /** The tree in which pieces of work meet. */
    integration: z.string(),
    /** What failed before anything was built. */
    failing_before: z.array(z.string()),
  }),
});

/** Its own tree, never used by anything else; `synced`: the state of the common tree it contains. */
const treeMade = defineEvent({ type: "pipeline.tree_made", version: 1, schema: z.object({ tree: z.string(), synced: z.string() }) });

/** A phase begins: its task has this id, made or not. */
const phaseBegan = defineEvent({
  type: "pipeline.phase_began",
  version: 1,
  schema: z.object({
    phase: z.enum(CHOICES.pipelinePhase),
    attempt: z.int(),
    task: z.string(),
    /** What is looked at. */
    commit: z.string().optional(),
    /** Which of several ways to build it. */
    way: z.int().optional(),
  }),
});

const heldOut = z.object({ path: z.string(), content: z.string() });

/** The tests stand and fail as they should; those held out are kept here and nowhere in the tree. */
const redShown = defineEvent({
  type: "pipeline.red_shown",
  version: 1,
  schema: z.object({
    commit: z.string(),
    /** Files of tests that the builder sees and may not change, with their content. */
    visible: z.array(heldOut),
    held_out: z.array(heldOut),
    failing: z.array(z.string()),
    /** By assertion, tests that fail until it is true, and the check that ran them. */
    shows: z.array(z.object({ assertion: z.string(), test: z.string(), file: z.string().optional(), check: z.string() })).default([]),
    /** Tests that ran in all; may not fall. */
    tests: z.int().nullable(),
    /** They pass before anything is built: what they test is there. */
    already_satisfied: z.boolean().optional(),
    checks: z.array(z.object({ name: z.string(), command: z.string(), from: z.enum(["person", "project", "agent"]).optional() })),
  }),
});

/** A builder says that a test written for it asks for something else than was wanted. */
const testContested = defineEvent({
  type: "pipeline.test_contested",
  version: 1,
  schema: z.object({ test: z.string(), why: z.string() }),
});
/** Its writer looked again: what it says is for the user, and never for the builder. */
const testWeighed = defineEvent({
  type: "pipeline.test_weighed",
  version: 1,
  schema: z.object({
    how: z.enum(["corrected", "upheld"]),
    why: z.string(),
    /** Of `corrected`: after which attempt the user is asked. */
    tries: z.int().optional(),
  }),
});

/** One of several ways to build it, in a tree of its own, came to its end. */
const wayTried = defineEvent({
  type: "pipeline.way_tried",
  version: 1,
  schema: z.object({
    way: z.int(),
    /** What it built; absent: it came to nothing, and `report` says why. */
    commit: z.string().optional(),
    /** Tests that fail, held-out ones included, and how long the change is. */
    failing: z.array(z.string()),
    lines: z.int(),
    tests_set_back: z.array(z.string()),
    verified: z.boolean(),
    report: z.string(),
  }),
});

/** A phase handed over: everything it did is in this commit. */
const handedOver = defineEvent({
  type: "pipeline.handed_over",
  version: 1,
  schema: z.object({
    phase: z.enum(CHOICES.pipelinePhase),
    commit: z.string(),
    verified: z.boolean(),
    report: z.string(),
    /** Tests written for it that its builder made say something else; they stand as they were. */
    tests_set_back: z.array(z.string()).default([]),
    /** Of several ways, the one that was kept; the others are gone. */
    kept_way: z.int().optional(),
  }),
});

/** What others merged is about to come into the tree, which stands at `from`. */
const rebasing = defineEvent({ type: "pipeline.rebasing", version: 1, schema: z.object({ onto: z.string(), from: z.string() }) });
const rebased = defineEvent({
  type: "pipeline.rebased",
  version: 1,
  schema: z.object({
    onto: z.string(),
    commit: z.string(),
    files: z.array(z.object({ path: z.string(), how: z.string() })),
    /** Files that no merge could combine: the Reconciler did, or has to. */
    disputed: z.array(z.string()),
    /** What was half built could not be combined and was set aside: it is built anew from here. */
    anew: z.boolean().optional(),
  }),
});

const reviewStands = z.object({ commit: z.string(), why: z.enum(["same_contents", "same_change"]) });

const judged = defineEvent({
  type: "pipeline.judged",
  version: 1,
  schema: z.object({
    commit: z.string(),
    /** Both judges say yes; one that the user set aside is not asked. */
    passed: z.boolean(),
    /** What each of them says by itself; absent in what earlier versions wrote. */
    tester_passed: z.boolean().optional(),
    inspector_passed: z.boolean().optional(),
    checks: z.array(checkLine),
    /** `alignment`: what its correction means for what the person said. */
    findings: z.array(finding.extend({ blocks: z.boolean(), alignment: alignment.optional() })),
    /** Of the change that was reviewed: the very same change is not reviewed again. */
    reviewed: z.string().optional(),
    /** Of its own lines alone: after what others merged came in, and nothing else, the same lines are not reviewed again. */
    change: z.string().optional(),
    /**
     * Files that its reviewer had whole, by mode and blob: the change from one to the other, or, without `was`, all of
     * it. Absent in what earlier versions wrote: nothing counts as read then.
     */
    read: z.array(z.object({ path: z.string(), was: z.string().optional(), is: z.string() })).optional(),
    /** Nobody read it anew: the review of that commit stands, and why. */
    review_stands: reviewStands.optional(),
  }),
});

/** What one of an earlier version was told, as far as it says. */
const briefingOfBefore = (attempt: unknown) => ({
  original_request: "",
  attempt_number: typeof attempt === "number" ? attempt : 1,
  prior_attempts: [],
  failure_analysis: "",
  suggested_approach: "",
  avoid_patterns: [],
});

/** Back to whoever works on it, with corrections that passed the gate and what follows from them; nothing else can be written down here. */
const returned = defineEvent({
  type: "pipeline.returned",
  version: 3,
  schema: z.object({ attempt: z.int(), message: correctionsMessage, briefing: retryBriefing }),
  upcast: ({ briefing, ...old }, from) =>
    from === 1
      ? { ...old, message: correctionsOfBefore(typeof briefing === "string" ? briefing : "") }
      : { ...old, briefing: briefingOfBefore(old["attempt"]) },
});

/** The common tree, which stands at `before`, is about to take this work in. */
const merging = defineEvent({ type: "pipeline.merging", version: 1, schema: z.object({ before: z.string() }) });
const merged = defineEvent({
  type: "pipeline.merged",
  version: 1,
  schema: z.object({
    commit: z.string(),
    /** Keeps the work whatever becomes of its tree. */ pinned: z.string(),
    files: z.array(z.string()),
  }),
});

/** An earlier piece changes the same definitions: it rests until that one is through. */
const held = defineEvent({
  type: "pipeline.held",
  version: 1,
  schema: z.object({ by: z.string(), pipeline: z.string(), symbols: z.array(z.string()) }),
});
/** It goes on; what was merged is taken in first. */
const released = defineEvent({ type: "pipeline.released", version: 1, schema: z.object({ merged: z.boolean() }) });

/** It needs the user: under this question. */
const waits = defineEvent({
  type: "pipeline.waits",
  version: 1,
  schema: z.object({
    why: z.enum(CHOICES.pipelineWait),
    question: z.string(),
    text: z.string(),
    /** Of `budget`: what was spent in vain; once there is more, nobody has to answer any more. */
    budget_usd: z.number().optional(),
  }),
});
/** What the user chose for it, with which words. */
const answered = defineEvent({
  type: "pipeline.answered",
  version: 1,
  schema: z.object({
    choice: z.enum(CHOICES.pieceChoice),
    words: z.string(),
    /** Of `retry`: after which attempt the user is asked again. */
    tries: z.int().optional(),
  }),
});

/** It was at work longer than it may be: whoever still is stops. */
const late = defineEvent({ type: "pipeline.late", version: 1, schema: z.object({ why: z.string() }) });

/** The user told this piece, and no other, what to do. */
const signalled = defineEvent({
  type: "pipeline.signalled",
  version: 1,
  schema: z.object({ signal: z.enum(CHOICES.pieceSignal), reason: z.string() }),
});
/** It was heard: how the piece stands from here on, after which of its events, and what was still running and comes to its end. */
const acknowledged = defineEvent({
  type: "pipeline.acknowledged",
  version: 1,
  schema: z.object({
    signal: z.enum(CHOICES.pieceSignal),
    stands: z.enum(["paused", "at_work", "ended"]),
    after: z.int(),
    running: z.array(z.string()),
  }),
});
/** Words of the user for whoever works on it, now or later. */
const told = defineEvent({ type: "pipeline.told", version: 1, schema: z.object({ words: z.string() }) });

const ended = defineEvent({
  type: "pipeline.ended",
  version: 1,
  schema: z.object({ how: z.enum(CHOICES.pipelineEnd), why: z.string() }),
});

export const pipelineEvents = {
  opened,
  treeMade,
  phaseBegan,
  redShown,
  testContested,
  testWeighed,
  wayTried,
  handedOver,
  rebasing,
  rebased,
  judged,
  returned,
  merging,
  merged,
  held,
  released,
  waits,
  answered,
  late,
  signalled,
  acknowledged,
  told,
  ended,
};

export function pipelineStream(id: string): string {
  return `pipeline/${id}`;
}
