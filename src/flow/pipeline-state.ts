/** One piece of work as its stream tells it. Where it stands follows from what happened; nothing else is kept. */
import { unreachable } from "../kernel/index.ts";
import type { View } from "../journal/index.ts";
import { EVENTS, decode, typesOf, type Payload } from "../protocol/events/index.ts";
import { briefingOf } from "./gate.ts";

type RetryBriefing = Payload<"pipeline.returned">["briefing"];
type Judge = "inspector" | "tester";

export interface PipelineState {
  opened: Payload<"pipeline.opened">;
  openedAt: number;
  updatedAt: number;
  tree: string | undefined;
  /** The state of the common tree that its own contains. */
  synced: string;
  phase: Payload<"pipeline.phase_began"> | undefined;
  /** Every task of it, oldest first. */
  tasks: string[];
  red: Payload<"pipeline.red_shown"> | undefined;
  /** A test of it that its builder contests, and why its writer upholds it; every one that was weighed. */
  contested: (Payload<"pipeline.test_contested"> & { upheld?: string }) | undefined;
  weighed: { test: string; how: Payload<"pipeline.test_weighed">["how"]; why: string }[];
  /** The last commit of its work. */
  commit: string | undefined;
  /** It was built in this attempt and waits to be judged. */
  built: boolean;
  attempt: number;
  /** After which attempt the user is asked; undefined: as the setting says. */
  tries: number | undefined;
  briefing: RetryBriefing | undefined;
  /** Every try that came to nothing, oldest first; tasks and the last report of the one under way. */
  tried: RetryBriefing["prior_attempts"];
  triedBy: string[];
  report: string | undefined;
  /** Ways in which this try was built so far, where it is built in several. */
  ways: Payload<"pipeline.way_tried">[];
  /** Tests written for it that the builder of this try changed. */
  setBack: string[];
  /** Judges whose word no longer counts, by the user's word, and what they said last. */
  setAside: { who: Judge; said: string[] }[];
  /** How often the user answered. */
  answers: number;
  rebasing: Payload<"pipeline.rebasing"> | undefined;
  disputed: string[];
  judged: Payload<"pipeline.judged"> | undefined;
  /** The last review that found nothing to hold it up. */
  reviewed: Payload<"pipeline.judged"> | undefined;
  merging: Payload<"pipeline.merging"> | undefined;
  merged: Payload<"pipeline.merged"> | undefined;
  /** An earlier piece that changes the same; whether something was merged since that comes before the building goes on. */
  held: Payload<"pipeline.held"> | undefined;
  behind: boolean;
  /** Merged by that one meanwhile. */
  takenIn: Payload<"pipeline.held"> | undefined;
  waits: Payload<"pipeline.waits"> | undefined;
  /** Since when it is at work; what it rested for the user does not count. */
  since: number;
  /** Why it was stopped, while nobody was asked about that; how often that happened. */
  late: string | undefined;
  lates: number;
  /** What the user told it and it has not yet acknowledged, in order; whether it is paused, and how often it was cancelled. */
  signals: Payload<"pipeline.signalled">["signal"][];
  paused: boolean;
  cancels: number;
  /** What the user said to whoever works on it. */
  told: string[];
  ended: Payload<"pipeline.ended"> | undefined;
}

function start(opened: Payload<"pipeline.opened">, at: number): PipelineState {
  return {
    opened,
    openedAt: at,
    updatedAt: at,
    tree: undefined,
    synced: "",
    phase: undefined,
    tasks: [],
    red: undefined,
    contested: undefined,
    weighed: [],
    commit: undefined,
    built: false,
    attempt: 1,
    tries: undefined,
    briefing: undefined,
    tried: [],
    triedBy: [],
    report: undefined,
    ways: [],
    setBack: [],
    setAside: [],
    answers: 0,
    rebasing: undefined,
    disputed: [],
    judged: undefined,
    reviewed: undefined,
    merging: undefined,
    merged: undefined,
    held: undefined,
    behind: false,
    takenIn: undefined,
    waits: undefined,
    since: at,
    late: undefined,
    lates: 0,
    signals: [],
    paused: false,
    cancels: 0,
    told: [],
    ended: undefined,
  };
}

/** Once somebody worked on it, the same lines in other places are another change. */
function worked(reviewed: PipelineState["reviewed"]): PipelineState["reviewed"] {
  return reviewed === undefined ? undefined : { ...reviewed, change: undefined };
}

function weighed(now: PipelineState, { how, why, tries }: Payload<"pipeline.test_weighed">): PipelineState {
  const { contested } = now;
  if (contested === undefined) return now;
  return {
    ...now,
    weighed: [...now.weighed, { test: contested.test, how, why }],
    contested: how === "upheld" ? { ...contested, upheld: why } : undefined,
    tries: tries ?? now.tries,
  };
}

const IGNORES: Readonly<Partial<Record<Payload<"pipeline.answered">["choice"], Judge>>> = {
  ignore_inspector: "inspector",
  ignore_tester: "tester",
};

function answered(now: PipelineState, { choice, tries }: Payload<"pipeline.answered">, at: number): PipelineState {
  const who = IGNORES[choice];
  const { checks = [], findings = [] } = now.judged ?? {};
  const said =
    who === "inspector"
      ? findings.filter((one) => one.blocks).map(({ text }) => text)
      : checks.filter((check) => !check.passed).map(({ name, summary }) => `${name}: ${summary}`);
  return {
    ...now,
    waits: undefined,
    since: at,
    answers: now.answers + 1,
    tries: tries ?? now.tries,
    setAside: who === undefined ? now.setAside : [...now.setAside, { who, said }],
  };
}

function acknowledged(now: PipelineState, { signal, stands }: Payload<"pipeline.acknowledged">, at: number): PipelineState {
  const first = now.signals.indexOf(signal);
  return {
    ...now,
    signals: now.signals.filter((_signal, index) => index !== first),
    paused: stands === "paused",
    // What it rested does not count.
    since: signal === "resume" ? at : now.since,
  };
}

/** Neither through nor at rest. */
export const isAtWork = ({ ended, waits, paused, held }: PipelineState): boolean =>
  ended === undefined && waits === undefined && !paused && held === undefined;

/** One of several ways to build it is under way. */
export const isTryingWays = ({ phase, attempt }: PipelineState): boolean => phase?.way !== undefined && phase.attempt === attempt;

export const pipelineView: View<PipelineState> = {
  name: "pipeline",
  version: 10,
  types: typesOf(EVENTS.pipeline),
  key: (event) => event.stream,
  reduce(state, happened) {
    const event = decode(EVENTS.pipeline, happened);
    if (event === undefined) return state;
    if (event.type === "pipeline.opened") return start(event.payload, event.at);
    if (state === undefined) return undefined;
    const now = { ...state, updatedAt: event.at };
    switch (event.type) {
      case "pipeline.tree_made":
        return { ...now, tree: event.payload.tree, synced: event.payload.synced };
      case "pipeline.phase_began":
        return {
          ...now,
          phase: event.payload,
          tasks: [...now.tasks, event.payload.task],
          triedBy: [...now.triedBy, event.payload.task],
        };
      case "pipeline.red_shown":
        // What was said of earlier tests is not for whoever builds.
        return {
          ...now,
          red: event.payload,
          commit: event.payload.commit,
          briefing: undefined,
          // Then there is nothing to build, and what is there is judged.
          built: event.payload.already_satisfied === true,
        };
      case "pipeline.test_contested":
        return { ...now, contested: event.payload };
      case "pipeline.test_weighed":
        return weighed(now, event.payload);
      case "pipeline.way_tried":
        return { ...now, ways: [...now.ways, event.payload] };
      case "pipeline.handed_over":
        return {
          ...now,
          ways: [],
          commit: event.payload.commit,
          built: true,
          report: event.payload.report,
          setBack: event.payload.tests_set_back,
          reviewed: worked(now.reviewed),
          disputed: event.payload.phase === "reconcile" ? [] : now.disputed,
        };
      case "pipeline.rebasing":
        return { ...now, rebasing: event.payload };
      case "pipeline.rebased":
        return {
          ...now,
          rebasing: undefined,
          merging: undefined,
          synced: event.payload.onto,
          commit: event.payload.commit,
          disputed: event.payload.disputed,
          judged: undefined,
          behind: false,
          phase: event.payload.anew === true ? undefined : now.phase,
        };
      case "pipeline.judged":
        return { ...now, judged: event.payload, reviewed: event.payload.inspector_passed === true ? event.payload : undefined };
      case "pipeline.returned":
        return {
          ...now,
          attempt: event.payload.attempt,
          // Earlier versions kept only the corrections.
          briefing: {
            ...event.payload.briefing,
            failure_analysis: event.payload.briefing.failure_analysis || briefingOf(event.payload.message.body.corrections),
          },
          tried: event.payload.briefing.prior_attempts,
          triedBy: [],
          report: undefined,
          ways: [],
          setBack: [],
          contested: undefined,
          built: false,
          judged: undefined,
          reviewed: worked(now.reviewed),
          waits: undefined,
        };
      case "pipeline.merging":
        return { ...now, merging: event.payload };
      case "pipeline.merged":
        return { ...now, merging: undefined, merged: event.payload };
      case "pipeline.held":
        return { ...now, held: event.payload };
      case "pipeline.released":
        // What it rested does not count.
        return {
          ...now,
          held: undefined,
          behind: event.payload.merged,
          takenIn: event.payload.merged ? now.held : now.takenIn,
          since: event.at,
        };
      case "pipeline.waits":
        return { ...now, waits: event.payload, late: undefined, merging: undefined };
      case "pipeline.answered":
        return answered(now, event.payload, event.at);
      case "pipeline.late":
        return { ...now, late: event.payload.why, lates: now.lates + 1 };
      case "pipeline.signalled": {
        const { signal } = event.payload;
        return { ...now, signals: [...now.signals, signal], cancels: now.cancels + (signal === "cancel" ? 1 : 0) };
      }
      case "pipeline.acknowledged":
        return acknowledged(now, event.payload, event.at);
      case "pipeline.told":
        return { ...now, told: [...now.told, event.payload.words] };
      case "pipeline.ended":
        return { ...now, ended: event.payload, waits: undefined };
      default:
        return unreachable(event);
    }
  },
};
