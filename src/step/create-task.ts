/** Creates a task: collects the pinned text, refuses what could never be shown whole, appends. */
import { accessSync, constants } from "node:fs";
import path from "node:path";
import { newId, SylkError } from "../kernel/index.ts";
import { countTokens, type ModelGate } from "../model/index.ts";
import { toolSpecOf } from "./actions/registry.ts";
import { toolTokens } from "./context/build-context.ts";
import { borrowed, checkFrame, checkRoom, frameRoom, mostBorrowed, renderFrame, SAID_BEFORE } from "./context/frame.ts";
import { projectOverview } from "./context/overview.ts";
import type { StepEngine } from "./engine.ts";
import type { NewTask } from "./extension.ts";
import { givenTo, screened, type WholeGiven } from "./run-extensions.ts";
import { firstLimit } from "./loop/step-budget.ts";
import { PROFILES } from "./profiles.ts";
import { pictureTokens } from "./pictures.ts";
import { placeFolder } from "./place-folder.ts";
import { reproductionCheck } from "./verdict/reproduction.ts";
import { mustHaveInputs, systemPrompt, taskTypeOf, type TaskType } from "./task-type.ts";
import { withLess } from "./yielding-inputs.ts";
import type { Place } from "../protocol/index.ts";
import { EVENTS, STREAMS, SYSTEM, USER, type Payload } from "../protocol/events/index.ts";

/** A mistyped name or file is told before there is a task; what is only not set up yet is not. */
export function checkModel(gate: ModelGate, model: string): void {
  if (model.includes("/") || !gate.list().tiers.some((tier) => tier.name === model)) gate.resolve(model);
}

/** With everything the extensions give it; what is only useful is left out, then cut, when the user's own text needs the room. */
export async function createTask(engine: StepEngine, wanted: NewTask): Promise<string> {
  const all = (texts: readonly string[]): Promise<string[]> => Promise.all(texts.map((text) => screened(engine, text)));
  const task: NewTask = {
    ...wanted,
    goal: await screened(engine, wanted.goal),
    criteria: await all(wanted.criteria),
    constraints: await all(wanted.constraints),
  };
  checkModel(engine.gate, task.model);
  const given = await givenTo(engine, task);
  const told = given.said === undefined ? task : { ...task, inputs: { [SAID_BEFORE]: given.said, ...task.inputs } };
  try {
    return await createWith(engine, told, given);
  } catch (error) {
    if (!SylkError.is(error, "TASK_TOO_LARGE")) throw error;
    return createSmaller(engine, { ...told, yields: [SAID_BEFORE, ...(task.yields ?? [])] }, { ...given, inputs: {} }, error);
  }
}

/** What is only useful is left out; what can be found elsewhere is cut until there is room. */
async function createSmaller(engine: StepEngine, task: NewTask, given: WholeGiven, first: SylkError): Promise<string> {
  let why = first;
  for (const less of [task, ...withLess(task)]) {
    try {
      return await createWith(engine, less, given);
    } catch (error) {
      if (!SylkError.is(error, "TASK_TOO_LARGE")) throw error;
      why = error;
    }
  }
  throw why;
}

function placeOf({ folder, tree: own, sharedTree }: NewTask): Place {
  const tree = own ?? sharedTree;
  return tree === undefined ? { kind: "project", folder } : { kind: "tree", tree: tree.id, folder: path.join(tree.path, folder) };
}

/** Work that can only fail is told before a model is asked. */
function mustBeWritable(type: TaskType, folder: string): void {
  if (!type.writes) return;
  try {
    accessSync(folder, constants.W_OK);
  } catch (error) {
    throw new SylkError({
      code: "TASK_FOLDER_READ_ONLY",
      tier: "user_fixable",
      message: `${folder} cannot be written to, and a task of type ${type.name} changes files`,
      fix: "give yourself write access there, work in a copy (-C), or ask for a task that only reads: --type discover or --type review",
      cause: error,
    });
  }
}

async function createWith(engine: StepEngine, task: NewTask, given: WholeGiven): Promise<string> {
  const profile = PROFILES[task.profile];
  if (profile === undefined)
    throw new SylkError({
      code: "USAGE_UNKNOWN_PROFILE",
      tier: "user_fixable",
      message: `there is no profile ${task.profile}`,
      fix: `one of ${Object.keys(PROFILES).join(", ")}`,
    });
  const judged = task.checks === "own" ? given.checks : task.checks;
  const checks = task.reproduce === undefined ? judged : [...judged, reproductionCheck(task.reproduce)];
  const type = taskTypeOf({ type: task.type, checks }, engine);
  mustHaveInputs(type, task.inputs);
  if (!engine.plansOnly) mustBeWritable(type, placeFolder(engine.projectDir, placeOf(task)));
  const id = task.id ?? newId<"task">("task", engine.clock.now());
  const payload: Payload<"task.created"> = {
    id,
    session: task.session,
    ...(task.sessionUsd === undefined ? {} : { session_usd: task.sessionUsd }),
    goal: task.goal,
    type: task.type,
    role: task.role,
    criteria: task.criteria,
    constraints: task.constraints,
    checks,
    rules: given.rules,
    inputs: { ...given.inputs, ...given.facts, ...task.inputs },
    ...(task.pictures === undefined || task.pictures.length === 0 ? {} : { pictures: task.pictures }),
    overview: "",
    model: task.model,
    profile: task.profile,
    max_steps: task.maxSteps ?? null,
    ...(task.failing === undefined ? {} : { failing: task.failing }),
    place: placeOf(task),
    phase: type.initial,
    // What cannot change anything has nothing to be planned.
    ...(engine.plansOnly && type.writes ? { plan: true } : {}),
    ...(engine.keeps === undefined || engine.keeps === "default" ? {} : { mode: engine.keeps }),
  };
  checkFrame(payload, profile);
  const fixed = largestPhase(engine, payload, type);
  const taken = { ...fixed, frame: countTokens(renderFrame(payload)) + pictureTokens(payload.pictures) };
  checkRoom(taken, profile);
  // The overview takes what room the user's own text leaves.
  payload.overview = projectOverview(
    await filesOf(engine, payload),
    Math.min(profile.overview, frameRoom(profile) - taken.frame - 20, mostBorrowed(profile) - borrowed(taken, profile) - 20),
  );
  const { tree } = task;
  const limit = firstLimit(payload.max_steps);
  await engine.store.journal.append(STREAMS.task(id), 0, [
    EVENTS.task.created.create(payload, { actor: USER }),
    ...(tree === undefined
      ? []
      : [EVENTS.task.treeCreated.create({ tree: tree.id, branch: tree.branch, base: tree.base }, { actor: SYSTEM.engine })]),
    EVENTS.task.decided.create(
      { step: 0, decision: "continue", why: "goes_on", phase: type.initial, reason: "created", progress: false, limit },
      { actor: SYSTEM.engine },
    ),
  ]);
  return id;
}

/** What no step can go below: its prompt and its actions, in the phase where they are largest. */
function largestPhase(engine: StepEngine, task: Payload<"task.created">, type: TaskType): { system: number; actions: number } {
  const { registry } = engine;
  const role = engine.roleOf(task.role);
  const phases = Object.keys(type.phases).map((phase) => ({
    system: countTokens(systemPrompt(type, phase, role)),
    actions: toolTokens(registry.allowed({ type, phase, role, task }).map(toolSpecOf)),
  }));
  return phases.reduce((a, b) => (b.system + b.actions > a.system + a.actions ? b : a));
}

const MAX_OVERVIEW_FILES = 20_000;

async function filesOf(engine: StepEngine, task: Payload<"task.created">): Promise<string[]> {
  const found = await engine.workspaceFor(task).search.list({ maxFiles: MAX_OVERVIEW_FILES });
  return found.kind === "files" ? found.files : [];
}
