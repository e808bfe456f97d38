/** What every phase of a piece of work does: begin under an id that is written down, say what its task is given, end. */
import type { Run, RunHandler } from "../journal/index.ts";
import { EVENTS, SYSTEM, type Payload } from "../protocol/events/index.ts";
import type { WorkTree } from "../workspace/index.ts";
import { INPUT, withInputs, type Brief, type Part } from "./brief.ts";
import { newTaskId } from "./bring-together.ts";
import type { FlowParts } from "./parts.ts";
import type { PipelineState } from "./pipeline-state.ts";
import type { RequestState } from "./request-state.ts";
import type { PhaseTask } from "./run-phase.ts";

export type Next = Awaited<ReturnType<RunHandler<PipelineState>["advance"]>>;
type Phase = Payload<"pipeline.phase_began">["phase"];

const BY = { actor: SYSTEM.engine };

export interface Piece {
  parts: FlowParts;
  /** As it stands now: what the person said since the piece began counts. */
  request: RequestState;
  run: Run<PipelineState>;
  tree: WorkTree;
  common: WorkTree;
}

/** The id under which the phase's task is found again: written down before the task is made. */
export async function beginPhase({ parts, run }: Piece, phase: Phase, of: { commit?: string; way?: number } = {}): Promise<string> {
  const { phase: now, attempt } = run.state;
  if (now?.phase === phase && now.attempt === attempt && now.commit === of.commit && now.way === of.way) return now.task;
  const task = newTaskId(parts);
  await run.append(EVENTS.pipeline.phaseBegan.create({ phase, attempt, task, ...of }, BY));
  return task;
}

/** Its part of the work, or all of it. */
export function partOf({ request, run }: Pick<Piece, "request" | "run">): Part {
  return { ...run.state.opened.node, isAll: request.nodes.length === 1 };
}

export function taskFor(
  { run, tree }: Pick<Piece, "run" | "tree">,
  how: { id: string; type: string; role: string; brief: Brief; checks: PhaseTask["checks"] },
): PhaseTask {
  const { opened, told } = run.state;
  return {
    id: how.id,
    type: how.type,
    role: how.role,
    ...withInputs(how.brief, { [INPUT.told]: told.join("\n") }),
    checks: how.checks,
    model: opened.model,
    profile: opened.profile,
    maxSteps: undefined,
    session: opened.request,
    folder: ".",
    sharedTree: tree,
  };
}

/** What it is held to: where something was found or named that tells, that beside the checks; what failed before in these. */
export function heldTo({ request, run }: Pick<Piece, "request" | "run">): {
  checks: PhaseTask["checks"];
  before: string[];
  silent: string[];
} {
  const { integration, baseline, named: said } = request;
  const { opened } = run.state;
  const isBeside = said.length > 0 || baseline?.today.some(({ instead }) => instead !== undefined) === true;
  return {
    checks: isBeside && integration !== undefined ? integration.checks : named(opened.checks),
    before: integration?.failing ?? opened.failing_before,
    silent: integration?.silent ?? [],
  };
}

const named = (commands: readonly string[]): PhaseTask["checks"] =>
  commands.length === 0
    ? "own"
    : commands.map((command, index) => ({ name: commands.length === 1 ? "check" : `check ${index + 1}`, command, from: "person" }));

export async function end(run: Run<PipelineState>, how: Payload<"pipeline.ended">["how"], why: string): Promise<Next> {
  await run.append(EVENTS.pipeline.ended.create({ how, why }, BY));
  return "again";
}
