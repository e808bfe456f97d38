/** What each piece of work needs, and what is held up when one does not get there. */
import type { Plan } from "../protocol/plan/index.ts";
import type { PipelineState } from "./pipeline-state.ts";
import type { RequestState } from "./request-state.ts";

type PlanNode = Plan["nodes"][number];
type Known = ReadonlyMap<string, PipelineState>;

/** By id; what was planned anew is needed instead of what it replaces. */
export function needsOf({ replaced }: Pick<RequestState, "replaced">, { after }: Pick<PlanNode, "after">): string[] {
  return after.flatMap((id) => {
    const now = replaced[id];
    return now === undefined ? [id] : needsOf({ replaced }, { after: now });
  });
}

/** Whether nothing more is waited for: merged, or the user lets others go on without it. */
export const isMet = ({ goesOn }: Pick<RequestState, "goesOn">, known: Known, id: string): boolean =>
  known.get(id)?.ended?.how === "merged" || goesOn.includes(id);

/** Everything that needs it, directly or by others, in the order of the plan. */
export function dependentsOf(state: Pick<RequestState, "nodes" | "replaced">, id: string): string[] {
  const found = new Set([id]);
  for (let grew = true; grew;) {
    const more = state.nodes.filter((node) => !found.has(node.id) && needsOf(state, node).some((one) => found.has(one)));
    for (const node of more) found.add(node.id);
    grew = more.length > 0;
  }
  found.delete(id);
  return state.nodes.map((node) => node.id).filter((one) => found.has(one));
}

/** One that only asks something, has no money left or no model to ask, may yet get there by itself. */
const PASSING: readonly string[] = ["task_asks", "budget", "model"];

/** A piece that the user must decide about. */
function isStuck(piece: PipelineState | undefined): boolean {
  return piece?.ended === undefined && piece?.waits !== undefined && !PASSING.includes(piece.waits.why);
}

/** What holds a piece up where no other one does. */
const MEMORY = "memory";
const NO_ROOM = "the machine's memory is nearly used up: it begins by itself when there is room (team.memory_mark)";

/** Pieces that were told to wait for memory. */
export const waitingForMemory = ({ blocked }: RequestState): string[] => Object.keys(blocked).filter((id) => blocked[id] === MEMORY);

/** By piece that has not begun, the one that holds it up, or that there is no room for it. */
export function blockedBy(
  state: RequestState,
  known: Known,
  noRoomFor: readonly string[] = waitingForMemory(state),
): Map<string, { by: string; why: string }> {
  const blocked = new Map<string, { by: string; why: string }>();
  for (const id of noRoomFor) if (!known.has(id) && !(id in state.skipped)) blocked.set(id, { by: MEMORY, why: NO_ROOM });
  for (const node of state.nodes) {
    if (!isStuck(known.get(node.id))) continue;
    for (const id of dependentsOf(state, node.id))
      if (!known.has(id) && !(id in state.skipped) && !blocked.has(id))
        blocked.set(id, { by: node.id, why: `it needs ${node.id}, which does not get there: say what becomes of that` });
  }
  return blocked;
}
