export type { Api } from "./api.ts";
export {
  callTypes,
  findCall,
  type Command,
  type CommandInput,
  type CommandType,
  type Query,
  type QueryInput,
  type QueryType,
  type Reply,
  type Result,
} from "./calls.ts";
export { COLLISION_CHOICES, SEARCH_DOMAINS, USAGE_DIMENSIONS, USAGE_PERIODS } from "./choices.ts";
export { eventFilter, liveFilter, type EventFilter, type LiveFilter } from "./filters.ts";
export type { SearchHit } from "./knowledge.ts";
export type { GivenAnswer } from "./question.ts";
export { livePart, type LivePart, type LiveSink } from "./live.ts";
