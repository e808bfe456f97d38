/** One piece of work as its stream tells it. Where it stands follows from what happened; nothing else is kept. */
import { unreachable } from "../kernel/index.ts";
import type { View } from "../journal/index.ts";
import { EVENTS, decode, typesOf, type Payload } from "../protocol/events/index.ts";
import { briefingOf } from "./gate.ts";

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
  /** The last commit of its work. */
  commit: string | undefined;
  /** It was built in this attempt and waits to be judged. */
  built: boolean;
  attempt: number;
  briefing: string | undefined;
  rebasing: Payload<"pipeline.rebasing"> | undefined;
  disputed: string[];
  judged: Payload<"pipeline.judged"> | undefined;
  merging: Payload<"pipeline.merging"> | undefined;
  merged: Payload<"pipeline.merged"> | undefined;
  waits: Payload<"pipeline.waits"> | undefined;
  /** Since when it is at work; what it rested for the user does not count. */
  since: number;
  /** Why it was stopped, while nobody was asked about that; how often that happened. */
  late: string | undefined;
  lates: number;
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
    commit: undefined,
    built: false,
    attempt: 1,
    briefing: undefined,
    rebasing: undefined,
    disputed: [],
    judged: undefined,
    merging: undefined,
    merged: undefined,
    waits: undefined,
    since: at,
    late: undefined,
    lates: 0,
    ended: undefined,
  };
}

export const pipelineView: View<PipelineState> = {
  name: "pipeline",
  version: 3,
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
        return { ...now, phase: event.payload, tasks: [...now.tasks, event.payload.task] };
      case "pipeline.red_shown":
        // What was said of earlier tests is not for whoever builds.
        return { ...now, red: event.payload, commit: event.payload.commit, briefing: undefined };
      case "pipeline.handed_over":
        return { ...now, commit: event.payload.commit, built: true, disputed: event.payload.phase === "reconcile" ? [] : now.disputed };
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
        };
      case "pipeline.judged":
        return { ...now, judged: event.payload };
      case "pipeline.returned":
        return {
          ...now,
          attempt: event.payload.attempt,
          briefing: briefingOf(event.payload.message.body.corrections),
          built: false,
          judged: undefined,
          waits: undefined,
        };
      case "pipeline.merging":
        return { ...now, merging: event.payload };
      case "pipeline.merged":
        return { ...now, merging: undefined, merged: event.payload };
      case "pipeline.waits":
        return { ...now, waits: event.payload, late: undefined, merging: undefined };
      case "pipeline.answered":
        return { ...now, waits: undefined, since: event.at };
      case "pipeline.late":
        return { ...now, late: event.payload.why, lates: now.lates + 1 };
      case "pipeline.ended":
        return { ...now, ended: event.payload, waits: undefined };
      default:
        return unreachable(event);
    }
  },
};
