/** What happens to a request or one of its pieces, or is said about it, as surfaces get it. */
import type { Json } from "../../kernel/index.ts";
import { payloads, typesOf, type EventOf } from "./define-event.ts";
import { messageEvents } from "./message.ts";
import { pipelineEvents } from "./pipeline.ts";
import { requestEvents } from "./request.ts";

type Fact<E> = E extends { type: infer T; payload: infer P } ? { type: T; payload: P } : never;
type FlowFact = Fact<EventOf<typeof requestEvents>> | Fact<EventOf<typeof pipelineEvents>> | Fact<EventOf<typeof messageEvents>>;

const TYPES = new Set([...typesOf(requestEvents), ...typesOf(pipelineEvents), ...typesOf(messageEvents)]);

/** In the newest version; undefined for one of another kind, or one that cannot be understood. */
export function readFlowEvent(type: string, payload: Json): FlowFact | undefined {
  const decoded = payloads.decode(type, payload);
  if (decoded.kind !== "known" || !TYPES.has(type)) return undefined;
  return { type, payload: decoded.value } as FlowFact;
}
