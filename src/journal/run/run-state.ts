/** What every run has in common, folded from its stream: what it was given, its effects, how it ended. */
import { unreachable, type Json } from "../../kernel/index.ts";
import { EVENTS, decode, typesOf } from "../../protocol/events/index.ts";
import type { View } from "../types.ts";

export type EffectState = { kind: "intended"; plan: Json } | { kind: "done"; result: Json } | { kind: "unknown" };

export interface RunState {
  input: Json;
  effects: Record<string, EffectState>;
  finished: { result: Json } | undefined;
}

const NONE: RunState = { input: null, effects: {}, finished: undefined };

/** One row per run, by its stream. */
export const runView: View<RunState> = {
  name: "run",
  version: 1,
  types: typesOf(EVENTS.run),
  key: (event) => event.stream,
  reduce(state, happened) {
    const before = state ?? NONE;
    const event = decode(EVENTS.run, happened);
    const effect = (key: string, now: EffectState): RunState => ({ ...before, effects: { ...before.effects, [key]: now } });
    switch (event?.type) {
      case "run.opened":
        return { ...NONE, input: event.payload.input };
      case "run.effect_intended":
        return effect(event.payload.key, { kind: "intended", plan: event.payload.plan });
      case "run.effect_done":
        return effect(event.payload.key, { kind: "done", result: event.payload.result });
      case "run.effect_unknown":
        return effect(event.payload.key, { kind: "unknown" });
      case "run.finished":
        return { ...before, finished: { result: event.payload.result } };
      case undefined:
        return before;
      default:
        return unreachable(event);
    }
  },
};
