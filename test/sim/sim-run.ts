/** The run that simulations drive: a list of parts, each a thing durable runs do. */
import { z } from "zod";
import { type Json, SylkError } from "../../src/kernel/index.ts";
import type { Questions, Run, RunHandler, View } from "../../src/journal/index.ts";
import { EVENTS, STREAMS, USER } from "../../src/protocol/events/index.ts";
import { defineEvent } from "../../src/protocol/events/define-event.ts";
import type { Flavour, Part } from "./scenario.ts";

const by = { actor: USER };

export const simEvents = {
  partDone: defineEvent({ type: "sim.part_done", version: 1, schema: z.object({ part: z.int(), answer: z.string().nullable() }) }),
  rests: defineEvent({ type: "sim.rests", version: 1, schema: z.object({ until: z.number() }) }),
  cancelled: defineEvent({ type: "sim.cancelled", version: 1, schema: z.object({}) }),
};

interface SimState {
  parts: Part[];
  done: number;
  until: number | null;
  cancelled: boolean;
  finished: boolean;
}

const NONE: SimState = { parts: [], done: 0, until: null, cancelled: false, finished: false };

export const simView: View<SimState> = {
  name: "sim",
  version: 1,
  key: ({ stream }) => (stream.startsWith("sim/") ? stream : undefined),
  reduce(state = NONE, event) {
    if (EVENTS.run.opened.is(event)) return { ...NONE, parts: (event.payload.input as unknown as { parts: Part[] }).parts };
    if (simEvents.partDone.is(event)) return { ...state, done: event.payload.part + 1, until: null };
    if (simEvents.rests.is(event)) return { ...state, until: event.payload.until };
    if (simEvents.cancelled.is(event)) return { ...state, cancelled: true };
    return EVENTS.run.finished.is(event) ? { ...state, finished: true } : state;
  },
};

/** What a life's run changes the world with. */
export interface Hands {
  act(run: Run<SimState>, key: string, flavour: Flavour): Promise<Json>;
  settle(run: Run<SimState>, key: string, flavour: Flavour): Promise<{ value: Json } | "act" | "unknown">;
}

export type PerformEffect = (run: Run<SimState>, key: string, flavour: Flavour, hands: Hands) => Promise<void>;

export const performEffect: PerformEffect = async (run, key, flavour, hands) => {
  await run.effect(key, {
    plan: () => Promise.resolve(flavour),
    act: () => hands.act(run, key, flavour),
    settle: () => hands.settle(run, key, flavour),
  });
};

export interface SimParts {
  hands: Hands;
  questions: Questions;
  now: () => number;
  isFinished: (id: string) => Promise<boolean>;
  perform: PerformEffect;
}

type Progress = "again" | "done" | { wait: { at: number } | { run: string } | { stream: string; after: number } };

export function simHandler(parts: SimParts): RunHandler<SimState> {
  const done = async (run: Run<SimState>, answer: string | null = null): Promise<Progress> => {
    await run.append(simEvents.partDone.create({ part: run.state.done, answer }, by));
    return "again";
  };

  const ask = async (run: Run<SimState>, deadlineMs: number | null): Promise<Progress> => {
    const question = await parts.questions.put({
      asker: { kind: "task", id: run.id },
      session: "default",
      key: `part ${run.state.done}`,
      message: `part ${run.state.done}?`,
      ask: { kind: "text" },
      by: USER,
      deadlineMs: deadlineMs ?? undefined,
      fallback: deadlineMs === null ? undefined : { kind: "said", text: "nobody" },
    });
    if (question.status === "open")
      return question.deadline_at === null
        ? { wait: { stream: STREAMS.question(run.id, question.id), after: 1 } }
        : { wait: { at: question.deadline_at } };
    if (question.status === "expired") return done(run);
    return done(run, question.answer?.kind === "said" ? question.answer.text : null);
  };

  const advancePart = async (run: Run<SimState>, part: Part): Promise<Progress> => {
    switch (part.do) {
      case "note":
        return done(run);
      case "effect": {
        try {
          await parts.perform(run, `${part.flavour}${run.state.done}`, part.flavour, parts.hands);
        } catch (error) {
          if (!SylkError.is(error, "RUN_EFFECT_UNKNOWN")) throw error;
        }
        return done(run);
      }
      case "ask":
        return ask(run, part.deadlineMs);
      case "rest": {
        if (run.state.until === null) await run.append(simEvents.rests.create({ until: parts.now() + part.ms }, by));
        const until = run.state.until ?? 0;
        return parts.now() < until ? { wait: { at: until } } : done(run);
      }
      case "spawn": {
        const child = await run.spawn("sim", { parts: part.parts, of: run.state.done });
        return (await parts.isFinished(child)) ? done(run, child) : { wait: { run: child } };
      }
    }
  };

  return {
    kind: "sim",
    view: simView,
    mayGoOn: ({ cancelled }) => !cancelled,
    async advance(run) {
      if (run.state.finished) return "done";
      const part = run.state.parts[run.state.done];
      if (part !== undefined) return advancePart(run, part);
      await run.finish(null);
      return "done";
    },
  };
}
