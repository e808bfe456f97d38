/**
 * Runs the monitor on a task and lets it act (GOA-001, GOA-007). Called when a standstill shows or
 * the task comes to rest; its own records never start it again.
 */
import path from "node:path";
import { writeFileAtomic, type Log } from "../../kernel/index.ts";
import type { Journal } from "../../journal/index.ts";
import type { TaskState } from "../task-state.ts";
import { assess, criteriaProgress, learntFrom, monitorInput, type Judge } from "./assess.ts";
import { renderAssessment, type ConfidenceGate } from "./assessment.ts";
import { goalStatsView, goalView } from "./goal-events.ts";
import { signalsOf, type MonitorInput } from "./signals.ts";
import { EVENTS, SYSTEM } from "../../protocol/events/index.ts";
import type { FairScheduler } from "../fair-scheduler.ts";
import type { Assessment, MonitorSteps } from "../task-facts.ts";

/** What the monitor may ask of whoever runs the work: the task's own loop, or an orchestrator. */
export interface GoalActions {
  /** Put this before the agent's next step, or insert a piece of research before it. */
  remediate(assessment: Assessment): Promise<void>;
  escalate(assessment: Assessment): Promise<void>;
  halt(assessment: Assessment): Promise<void>;
}

export interface GoalWatch {
  journal: Journal;
  /** Where what was learnt about stuck tasks is kept. */
  dir: string;
  log: Log;
  judge?: Judge | undefined;
  turns: FairScheduler;
  gate?: ConfidenceGate | undefined;
}

const RESOLVED_WITHIN = 3;
const MAX_SAID = 300;

/** Settles whether the last remedy worked, once that can be said. */
async function settle(watch: GoalWatch, state: TaskState): Promise<string[]> {
  const stream = `goal/${state.created.id}`;
  const row = await watch.journal.get(goalView, stream);
  if (row?.open === null || row?.open === undefined) return row?.tried ?? [];
  const since = state.history.filter((record) => record.step > (row.open?.step ?? 0));
  const worked = since.slice(0, RESOLVED_WITHIN).some((record) => record.progress);
  if (!worked && since.length < RESOLVED_WITHIN && state.status === "running") return row.tried;
  await watch.journal.append(stream, "any", [
    EVENTS.goal.resolved.create({ task: state.created.id, step: state.step, type: row.open.type, worked }, { actor: SYSTEM.monitor }),
  ]);
  return worked ? [] : [...row.tried, row.open.type];
}

export async function watchGoal(watch: GoalWatch, state: TaskState, actions: GoalActions): Promise<Assessment> {
  const { tried, outcomes } = await watch.turns.with(async () => ({
    tried: await settle(watch, state),
    outcomes: (await watch.journal.list(goalStatsView)).map((row) => row.state),
  }));
  const input = monitorInput(state);
  // A model may be asked here, and takes its time.
  const assessment = await assess(input, { judge: watch.judge, tried, outcomes, gate: watch.gate });
  // A piece of research may take longer still, and takes turns of its own.
  return carryOut(watch, state, { input, assessment, learnt: learntFrom(outcomes), tried }, actions);
}

interface Looked {
  input: MonitorInput;
  assessment: Assessment;
  learnt: string[];
  tried: readonly string[];
}

async function carryOut(watch: GoalWatch, state: TaskState, looked: Looked, actions: GoalActions): Promise<Assessment> {
  const { assessment } = looked;
  const from = Math.max(1, state.history[0]?.step ?? 1);
  const file = path.join(watch.dir, `${state.created.id}-${from}-to-${state.step}.md`);
  // Acting comes first and is harmless to repeat; once the record stands, nothing is done again.
  if (assessment.action === "remediate") await actions.remediate(assessment);
  else if (assessment.action === "escalate") await actions.escalate(assessment);
  else if (assessment.action === "halt") await actions.halt(assessment);
  await watch.journal.append(`goal/${state.created.id}`, "any", [
    EVENTS.goal.assessed.create(
      {
        task: state.created.id,
        from_step: from,
        to_step: state.step,
        assessment,
        steps: stepsOf(state, looked, path.basename(file)),
        skip_goal_monitor: true,
      },
      { actor: SYSTEM.monitor },
    ),
  ]);
  writeFileAtomic(file, `${renderAssessment(assessment)}\n`, { sync: false });
  if (assessment.action !== "continue")
    watch.log.info("goal monitor", { task: state.created.id, type: assessment.type, action: assessment.action });
  return assessment;
}

function stepsOf(state: TaskState, { input, assessment, learnt, tried }: Looked, file: string): MonitorSteps {
  return {
    learnt,
    loaded: { said: (input.words.at(-1) ?? "").slice(0, MAX_SAID), previous: tried.at(-1) ?? null },
    goal: { request: input.goal.slice(0, MAX_SAID), criteria: input.criteria.length, constraints: input.constraints.length },
    progress: criteriaProgress(input, state.verified),
    impasse: signalsOf(input).map(({ type, confidence, evidence }) => ({ type, confidence, evidence: evidence.slice(0, 4) })),
    remedy: assessment.remediation,
    file,
  };
}
