/**
 * Runs the monitor on a task and lets it act (GOA-001, GOA-007). Called when a standstill shows or
 * the task comes to rest; its own records never start it again.
 */
import path from "node:path";
import { writeFileAtomic, type Log, type Turns } from "../../kernel/index.ts";
import type { Journal } from "../../journal/index.ts";
import type { TaskState } from "../task-state.ts";
import { assess, monitorInput, type Judge } from "./assess.ts";
import { renderAssessment, type Assessment } from "./assessment.ts";
import { goalAssessed, goalResolved, goalView } from "./goal-events.ts";

/** What the monitor may ask of whoever runs the work: the task's own loop, or an orchestrator. */
export interface GoalActions {
  /** Put this before the agent's next step, or insert a piece of research before it. */
  remediate(assessment: Assessment): Promise<void>;
  escalate(assessment: Assessment): Promise<void>;
  halt(assessment: Assessment): Promise<void>;
}

export interface GoalWatch {
  journal: Journal;
  /** `.sylk/memory/goal` */
  dir: string;
  log: Log;
  judge?: Judge | undefined;
  turns: Turns;
}

const RESOLVED_WITHIN = 3;

/** Settles whether the last remedy worked, once that can be said. */
async function settle(watch: GoalWatch, state: TaskState): Promise<string[]> {
  const stream = `goal/${state.created.id}`;
  const row = await watch.journal.get(goalView, stream);
  if (row?.open === null || row?.open === undefined) return row?.tried ?? [];
  const since = state.history.filter((record) => record.step > (row.open?.step ?? 0));
  const worked = since.slice(0, RESOLVED_WITHIN).some((record) => record.progress);
  if (!worked && since.length < RESOLVED_WITHIN && state.status === "running") return row.tried;
  await watch.journal.append(stream, "any", [
    goalResolved.create(
      { task: state.created.id, step: state.step, type: row.open.type as "AMBIGUITY", worked },
      { actor: "goal-monitor" },
    ),
  ]);
  return worked ? [] : [...row.tried, row.open.type];
}

export async function watchGoal(watch: GoalWatch, state: TaskState, actions: GoalActions): Promise<Assessment> {
  const tried = await watch.turns.with(() => settle(watch, state));
  // A model may be asked here, and takes its time.
  const assessment = await assess(monitorInput(state), { judge: watch.judge, tried });
  return watch.turns.with(() => carryOut(watch, state, assessment, actions));
}

async function carryOut(watch: GoalWatch, state: TaskState, assessment: Assessment, actions: GoalActions): Promise<Assessment> {
  const from = Math.max(1, state.history[0]?.step ?? 1);
  // Acting comes first and is harmless to repeat; once the record stands, nothing is done again.
  if (assessment.action === "remediate") await actions.remediate(assessment);
  else if (assessment.action === "escalate") await actions.escalate(assessment);
  else if (assessment.action === "halt") await actions.halt(assessment);
  await watch.journal.append(`goal/${state.created.id}`, "any", [
    goalAssessed.create(
      { task: state.created.id, from_step: from, to_step: state.step, assessment, skip_goal_monitor: true },
      { actor: "goal-monitor" },
    ),
  ]);
  const file = path.join(watch.dir, `${state.created.id}-${from}-to-${state.step}.md`);
  writeFileAtomic(file, `${renderAssessment(assessment)}\n`, { sync: false });
  if (assessment.action !== "continue")
    watch.log.info("goal monitor", { task: state.created.id, type: assessment.type, action: assessment.action });
  return assessment;
}
