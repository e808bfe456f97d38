/** What the floors above are told, by name; using it loads nothing of what measures. */
import type { Result } from "../../protocol/api/index.ts";

/** How sound a folder is. */
export type Health = Result<"knowledge.health">;

/** The name under which a task is told how sound the place is that it works in. */
export const HEALTH_INPUT = "health of the place";

export { doubtsOf, sourceOutcomes, sourcesView, type SourceOutcome } from "./source-outcomes.ts";
