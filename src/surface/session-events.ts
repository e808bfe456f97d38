/** Everything that happened to a request: to itself, its pieces, their tasks and what these asked. */
import type { Api } from "../protocol/api/index.ts";
import { readFlowEvent, STREAMS } from "../protocol/events/index.ts";
import type { WireEvent } from "../protocol/index.ts";

const streamOf = (name: string): string => name.split("/").slice(0, 2).join("/");

/** In order, until a position, or on and on. Whoever belongs to it was named by an event before its own first one. */
export async function* sessionEvents(api: Api, id: string, until: number | undefined, signal: AbortSignal): AsyncGenerator<WireEvent> {
  const own = new Set([STREAMS.request(id)]);
  const adopt = (...ids: [kind: "pipeline" | "task", id: string]): void => {
    own.add(`${ids[0]}/${ids[1]}`);
    own.add(`question/${ids[1]}`);
  };
  own.add(`question/${id}`);
  own.add(STREAMS.message(id));
  own.add(STREAMS.check(id));
  for await (const event of api.events({ without_audit: true, until }, 0, signal)) {
    if (!own.has(streamOf(event.stream))) continue;
    const fact = readFlowEvent(event.type, event.payload);
    if (fact?.type === "pipeline.spawned") adopt("pipeline", fact.payload.pipeline);
    if (fact?.type === "request.task_opened" || fact?.type === "pipeline.phase_began") adopt("task", fact.payload.task);
    yield event;
  }
}
