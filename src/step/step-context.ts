/** What a step's context needs from the stores and the files, and the context itself. */
import type { BlobRef } from "../journal/index.ts";
import { definitionsIn, type Definition } from "../code/index.ts";
import { EVENTS, SYSTEM } from "../protocol/events/index.ts";
import { toolSpecOf, withLimits } from "./actions/registry.ts";
import { buildContext, type BuiltContext, type ContextInput } from "./context/build-context.ts";
import { isAsked } from "./context/windows.ts";
import { subjectFragments } from "./context/subject-fragments.ts";
import { findSubject } from "./find-subject.ts";
import { profileOf, type StepRun } from "./step-run.ts";
import { PROFILES } from "./profiles.ts";
import { changedHunks, filesDiff } from "./task-diff.ts";
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
  for (const ref of new Set(refs)) texts.set(ref, await run.texts.text(ref as BlobRef));
  return texts;
}

export async function diffOf(run: StepRun, state: TaskState): Promise<string> {
  return (await filesDiff({ workspace: run.workspace, blobs: run.texts }, state.changedFiles, "now")).text;
}

/** Where the definitions stand in the pages of code that were asked for; known pages are not parsed again. */
async function findDefinitions(
  run: StepRun,
  state: TaskState,
  texts: ReadonlyMap<string, string>,
): Promise<Map<string, readonly Definition[]>> {
  const found = new Map<string, readonly Definition[]>();
  for (const item of state.memory.items) {
    const { content, source } = item;
    const text = texts.get(content) ?? "";
    // Only what was just asked for is ever cut inside.
    if (source === undefined || !isAsked(item, state)) continue;
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

/**
 * The step's two messages. When something that was asked for does not fit, the task goes on with a larger profile,
 * if its own may grow; that is written down before the model is asked.
 */
export async function contextFor(run: StepRun, state: TaskState): Promise<BuiltContext> {
  const { type, role, engine } = run;
  const begun = PROFILES[state.created.profile] ?? profileOf(state);
  const system = systemPrompt(type, state.phase, role);
  const allowed = engine.registry.allowed({ type, phase: state.phase, role, task: state.created });
  const texts = await loadTexts(run, state);
  const input: Omit<ContextInput, "profile" | "definitions"> = {
    state,
    step: state.step + 1,
    maxReads: begun.items,
    system,
    tools: allowed.map((action) => withLimits(toolSpecOf(action), begun)),
    texts,
    subject: mayBeDone(state) ? [] : subjectFragments(type.shows, state, await findSubject(run, state)),
    diff: await changedHunks({ workspace: run.workspace, blobs: run.texts }, state),
    exploring: state.phase === type.initial,
    notices: [...state.notices, ...toldOfVerdict(type, state)],
  };
  const now = profileOf(state);
  const uncut = new Map<string, readonly Definition[]>();
  const built = buildContext({ ...input, profile: now, definitions: uncut });
  if (built.cutAsked.length === 0) return built;
  const larger = now.growsTo === undefined ? undefined : PROFILES[now.growsTo];
  // Code is parsed only where something must be cut at its definitions.
  if (larger === undefined) return buildContext({ ...input, profile: now, definitions: await findDefinitions(run, state, texts) });
  const grew = { step: state.step + 1, from: now.name, to: larger.name, items: built.cutAsked };
  await run.durable.append(EVENTS.task.grew.create(grew, { actor: SYSTEM.engine }));
  const again = buildContext({ ...input, profile: larger, definitions: uncut });
  return again.cutAsked.length === 0
    ? again
    : buildContext({ ...input, profile: larger, definitions: await findDefinitions(run, state, texts) });
}
