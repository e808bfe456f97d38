/** What a step's context needs from the stores and the files, and the context itself. */
import type { BlobRef } from "../journal/index.ts";
import { definitionsIn, type Definition } from "../code/index.ts";
import { toolSpecOf } from "./actions/registry.ts";
import { buildContext, type BuiltContext } from "./context/build-context.ts";
import { SMALL_CHARS } from "./context/state-fragments.ts";
import { subjectFragments } from "./context/subject-fragments.ts";
import { findSubject } from "./find-subject.ts";
import { profileOf, type StepRun } from "./step-run.ts";
import { taskDiff } from "./task-diff.ts";
import type { TaskState } from "./task-state.ts";
import { systemPrompt } from "./task-type.ts";
import { toldOfVerdict } from "./verdict/told.ts";

/** Texts the context needs, by reference. */
async function loadTexts(run: StepRun, state: TaskState): Promise<Map<string, string>> {
  const refs = [
    ...state.memory.items.map((item) => item.content),
    ...(state.verification?.checks ?? []).flatMap((check) => check.output ?? []),
  ];
  const texts = new Map<string, string>();
  for (const ref of new Set(refs)) texts.set(ref, Buffer.from(await run.texts.get(ref as BlobRef)).toString("utf8"));
  return texts;
}

export async function diffOf(run: StepRun, state: TaskState): Promise<string> {
  return (await taskDiff({ workspace: run.workspace, blobs: run.texts }, state, "now")).text;
}

/** Where the definitions stand in the pages of code that are in view; known pages are not parsed again. */
async function findDefinitions(
  run: StepRun,
  state: TaskState,
  texts: ReadonlyMap<string, string>,
): Promise<Map<string, readonly Definition[]>> {
  const found = new Map<string, readonly Definition[]>();
  for (const { content, source } of state.memory.items) {
    const text = texts.get(content) ?? "";
    if (source === undefined || text.length <= SMALL_CHARS) continue;
    const code = text.replaceAll(/^\s*\d+│/gm, "");
    found.set(content, run.definitions.get(content) ?? (await definitionsIn(source.path, code)) ?? []);
  }
  run.definitions = found;
  return found;
}

/** All checks pass on what stands there now: the next step compares it with the goal. */
function mayBeDone(state: TaskState): boolean {
  return state.changes > 0 && state.verification?.ready === true && state.verification.changes === state.changes;
}

export async function contextFor(run: StepRun, state: TaskState): Promise<BuiltContext> {
  const system = systemPrompt(run.type, state.phase, run.role);
  const allowed = run.engine.registry.allowed({ type: run.type, phase: state.phase, role: run.role, task: state.created });
  const tools = allowed.map(toolSpecOf);
  const texts = await loadTexts(run, state);
  return buildContext({
    state,
    step: state.step + 1,
    profile: profileOf(state),
    system,
    tools,
    texts,
    definitions: await findDefinitions(run, state, texts),
    subject: mayBeDone(state) ? [] : subjectFragments(run.type.shows, state, await findSubject(run, state)),
    diff: mayBeDone(state) ? await diffOf(run, state) : "",
    notices: [...state.notices, ...toldOfVerdict(run.type, state)],
  });
}
