/** Where the monitor meets a task's own loop: when it looks, and what its verdict does there. */
import { isAbort, messageOf } from "../../kernel/index.ts";
import type { StepEngine } from "../engine.ts";
import type { StepExtension } from "../extension.ts";
import type { TaskState } from "../task-state.ts";
import { asking } from "../wait-for-answer.ts";
import type { ConfidenceGate } from "./assessment.ts";
import { goalView } from "./goal-events.ts";
import { createModelJudge } from "./model-judge.ts";
import { isResearch, research } from "./research.ts";
import { watchGoal, type GoalActions } from "./watch-goal.ts";
import { EVENTS, SYSTEM, type NewEvent } from "../../protocol/events/index.ts";
import type { Assessment } from "../task-facts.ts";

export interface GoalMonitorParts extends Pick<StepEngine, "store" | "questions" | "gate" | "turns" | "log"> {
  /** Where what was learnt about stuck tasks is kept. */
  dir: string;
  /** Model that judges when the monitor's own signals say too little; absent: none is asked. */
  judgeModel: string | undefined;
  /** Where a piece of research is worked on; it uses the same model. */
  engine: () => Promise<StepEngine>;
  /** How sure it must be before it acts. */
  confidence: ConfidenceGate;
}

function worthALook(state: TaskState): boolean {
  return state.step > 0 && state.pending === undefined && (state.status !== "running" || state.standstill);
}

/** Assesses a task after a step that calls for it, once, and carries the verdict out. */
export function createGoalMonitor(parts: GoalMonitorParts): StepExtension {
  const { journal } = parts.store;
  return {
    name: "monitor",
    async after(state, append, signal) {
      if (!worthALook(state)) return;
      const { id, session } = state.created;
      const seen = await journal.get(goalView, `goal/${id}`);
      if (seen !== undefined && seen.lastStep >= state.step) return;
      // The same verdict on the same step is the same event, however often it is written.
      const once = (event: NewEvent): Promise<void> => append({ ...event, id: `evt_goal_${id}_${state.step}` as NewEvent["id"] });
      const { judgeModel, gate, dir, log, turns, confidence } = parts;
      const judge = judgeModel === undefined ? undefined : createModelJudge(gate, judgeModel, { id, session }, signal);
      await watchGoal({ journal, dir, log, judge, turns, gate: confidence }, state, actionsOn(parts, state, once, signal));
    },
  };
}

/** A gap is looked into where the monitor has a model of its own; without one nothing is added to the run. */
async function found(parts: GoalMonitorParts, state: TaskState, assessment: Assessment, signal: AbortSignal): Promise<string> {
  const { judgeModel: model, log } = parts;
  if (assessment.type !== "KNOWLEDGE_GAP" || model === undefined || isResearch(state)) return "";
  try {
    const findings = await research(await parts.engine(), state, { assessment, model, signal });
    return findings === undefined ? " Research was done and found nothing." : ` Research was done and found:\n${findings}`;
  } catch (error) {
    if (isAbort(error) || signal.aborted) throw error;
    log.warn("research could not be done", { task: state.created.id, reason: messageOf(error) });
    return "";
  }
}

function actionsOn(
  parts: GoalMonitorParts,
  state: TaskState,
  append: (event: NewEvent) => Promise<void>,
  signal: AbortSignal,
): GoalActions {
  const stop = async (assessment: Assessment, reason: string): Promise<void> => {
    if (state.status !== "running") return;
    const question = assessment.remediation ?? "How should this go on?";
    await append(
      EVENTS.task.decided.create(
        {
          step: state.step,
          decision: "escalate",
          why: "monitor_stops",
          phase: state.phase,
          reason,
          progress: false,
          limit: state.limit,
          ...(await asking(parts, state, `monitor/${state.step}`, { why: "monitor_stops", question })),
          report: assessment.evidence.join("\n"),
          code: assessment.type ?? undefined,
        },
        { actor: SYSTEM.monitor },
      ),
    );
  };
  return {
    async remediate(assessment) {
      if (state.status !== "running") return;
      const text = `The goal monitor sees ${assessment.type}: ${assessment.remediation}.${await found(parts, state, assessment, signal)}`;
      await append(EVENTS.task.advised.create({ text }, { actor: SYSTEM.monitor }));
    },
    escalate: (assessment) => stop(assessment, `stuck: ${assessment.type}`),
    halt: (assessment) => stop(assessment, `halted: ${assessment.type}`),
  };
}
