/** Where the monitor meets a task's own loop: when it looks, and what its verdict does there. */
import type { EventId } from "../../kernel/index.ts";
import type { StepRun } from "../step-run.ts";
import type { TaskState } from "../task-state.ts";
import { putQuestion } from "../wait-for-answer.ts";
import { goalView } from "./goal-events.ts";
import { createModelJudge } from "./model-judge.ts";
import { watchGoal, type GoalActions } from "./watch-goal.ts";
import { SYSTEM, taskEvents, type Assessment, type NewEvent } from "../../protocol/events/index.ts";

function worthALook(state: TaskState): boolean {
  return state.step > 0 && state.pending === undefined && (state.status !== "running" || state.standstill);
}

/** Assesses the task after a step that calls for it, once, and carries the verdict out. */
export async function lookAtGoal(run: StepRun, state: TaskState): Promise<TaskState> {
  if (!worthALook(state)) return state;
  const { journal } = run.engine.store;
  const { id, session } = state.created;
  const seen = await journal.get(goalView, `goal/${id}`);
  if (seen !== undefined && seen.lastStep >= state.step) return state;
  const append = async (event: NewEvent): Promise<void> => {
    // The same verdict on the same step is the same event, however often it is written.
    const eventId = `evt_goal_${id}_${state.step}` as EventId;
    await run.durable.append({ ...event, id: eventId });
  };
  const stop = async (assessment: Assessment, reason: string): Promise<void> => {
    if (state.status !== "running") return;
    const question = assessment.remediation ?? "How should this go on?";
    await append(
      taskEvents.decided.create(
        {
          step: state.step,
          decision: "escalate",
          why: "monitor_stops",
          phase: state.phase,
          reason,
          progress: false,
          limit: state.limit,
          question,
          question_id: await putQuestion(run.engine, state, `monitor/${state.step}`, question),
          report: assessment.evidence.join("\n"),
          code: assessment.type ?? undefined,
        },
        { actor: SYSTEM.monitor },
      ),
    );
  };
  const actions: GoalActions = {
    remediate: (assessment) =>
      state.status === "running"
        ? append(
            taskEvents.advised.create(
              { text: `The goal monitor sees ${assessment.type}: ${assessment.remediation}.` },
              { actor: SYSTEM.monitor },
            ),
          )
        : Promise.resolve(),
    escalate: (assessment) => stop(assessment, `stuck: ${assessment.type}`),
    halt: (assessment) => stop(assessment, `halted: ${assessment.type}`),
  };
  const { judgeModel, gate, goalDir, log } = run.engine;
  const judge = judgeModel === undefined ? undefined : createModelJudge(gate, judgeModel, { id, session }, run.signal);
  await watchGoal({ journal, dir: goalDir, log, judge, turns: run.engine.turns, gate: run.engine.confidence }, state, actions);
  return run.durable.state;
}
