/**
 * A knowledge gap is closed, not only named (GOA-004, GOA-007): a small task of its own looks for what is missing, on the
 * monitor's model and with few steps, and what it found comes back. Killed in the middle, the same one goes on.
 */
import { wording } from "../../kernel/index.ts";
import { cancelTask } from "../cancel-task.ts";
import { createTask } from "../create-task.ts";
import type { StepEngine } from "../engine.ts";
import { runTask } from "../run-task.ts";
import { taskListView } from "../task-list-view.ts";
import type { TaskState } from "../task-state.ts";
import type { Assessment } from "../task-facts.ts";

const MAX_STEPS = 6;
const MAX_FOUND = 1_500;
const LOOKED_BACK = 20;
/** Its research must not send for research. */
const FOR = "research for";

export function isResearch({ created }: TaskState): boolean {
  return created.inputs[FOR] !== undefined;
}

/** What was found; undefined when nothing was. */
export async function research(
  engine: StepEngine,
  state: TaskState,
  gap: { assessment: Assessment; model: string; signal: AbortSignal },
): Promise<string | undefined> {
  const { created, step } = state;
  const mark = `Research for task ${created.id} at step ${step}:`;
  const id = (await begun(engine, mark)) ?? (await create(engine, state, mark, gap));
  const end = await runTask({ engine, id, signal: gap.signal });
  gap.signal.throwIfAborted();
  if (end.status !== "complete") {
    // It cannot ask anybody, and nobody waits for it.
    if (end.status !== "failed" && end.status !== "cancelled") await cancelTask(engine, id, "the research brought nothing");
    return undefined;
  }
  const facts = end.memory.facts.map(({ text }) => `- ${text}`);
  const found = [end.report ?? "", ...facts].filter((line) => line.trim() !== "").join("\n");
  return found === "" ? undefined : wording.shorten(found, MAX_FOUND);
}

/** One that an earlier process began for the same step. */
async function begun({ store }: StepEngine, mark: string): Promise<string | undefined> {
  const rows = await store.journal.list(taskListView, { prefix: "task/", reverse: true, limit: LOOKED_BACK });
  return rows.find(({ state }) => state.created.goal.startsWith(mark))?.state.created.id;
}

function create(
  engine: StepEngine,
  { created }: TaskState,
  mark: string,
  { assessment, model }: { assessment: Assessment; model: string },
): Promise<string> {
  return createTask(engine, {
    goal: `${mark} find in the code, its history and documents what is missing there. Its goal: ${wording.oneLine(created.goal, 600)}. What was tried: ${wording.oneLine(assessment.evidence.join("; "), 600)}. Report where it is, or that it is nowhere.`,
    type: "discover",
    role: "librarian",
    criteria: [],
    constraints: created.constraints,
    checks: [],
    inputs: { [FOR]: created.id },
    model,
    profile: created.profile,
    maxSteps: MAX_STEPS,
    session: created.session,
    folder: created.place.kind === "project" ? created.place.folder : ".",
  });
}
