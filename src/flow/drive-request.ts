/** A request and its pieces, several at a time, until all of it rests. */
import { drivePool, type RunHandler } from "../journal/index.ts";
import { STREAMS } from "../protocol/events/index.ts";
import { groundOf, kindOf, type FlowParts } from "./parts.ts";
import { pipelineHandler } from "./pipeline.ts";
import { pipelinesOf, tidy } from "./request-hands.ts";
import { requestHandler } from "./request.ts";
import type { RequestState } from "./request-state.ts";

export async function driveRequest(
  parts: FlowParts,
  state: RequestState,
  options: { signal?: AbortSignal | undefined; leaseMs?: number | undefined },
): Promise<void> {
  const { id } = state.created;
  const ground = groundOf(parts);
  const kind = kindOf(id);
  const request = requestHandler(parts, id);
  const pipeline = pipelineHandler(parts, id);
  if (state.ended === undefined) {
    const unfinished = [...(await pipelinesOf(parts, state)).values()].filter((piece) => piece.ended === undefined);
    await ground.work.offer([
      { key: STREAMS.request(id), kind },
      ...unfinished.map(({ opened }) => ({ key: STREAMS.pipeline(opened.id), kind })),
    ]);
    // Ended by a process that died before it had thrown its trees away.
  } else await tidy(parts, state);
  // One more than there are builders: whoever looks after them is never kept waiting by them.
  const workers = parts.limits.writers + 1;
  const pool = { workers, restMs: parts.limits.pipelineMs, ...options };
  await drivePool(ground, kind, (key): RunHandler<unknown> => (key === STREAMS.request(id) ? request : pipeline), pool);
}
