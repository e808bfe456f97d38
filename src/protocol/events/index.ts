/** Every fact a journal may hold, by stream kind. What an event says is `Payload<"its.type">`. */
export { EVENTS, STREAMS, type EventIn, type Payload } from "./all-events.ts";
export { actorText, agentActor, SYSTEM, USER, type Actor } from "./actor.ts";
export { decode, payloads, typesOf, type EventType, type JournalEvent, type NewEvent } from "./define-event.ts";
export { readTaskEvent } from "./task.ts";
export { readFlowEvent } from "./read-flow-event.ts";
export { DEFAULT_SESSION } from "./ids.ts";
