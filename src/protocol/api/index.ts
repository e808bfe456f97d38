export type { Api } from "./api.ts";
export { commands, type Command, type CommandInput, type CommandType, type Reply } from "./commands.ts";
export { queries, type Query, type QueryInput, type QueryType, type Result } from "./queries.ts";
export { eventFilter, type EventFilter } from "./journal.ts";
export { SEARCH_DOMAINS, type SearchHit } from "./knowledge.ts";
export { USAGE_DIMENSIONS, USAGE_PERIODS } from "./model.ts";
export { COLLISION_CHOICES } from "./skill.ts";
export type { GivenAnswer } from "./question.ts";
export { liveFilter, livePart, type LiveFilter, type LivePart, type LiveSink } from "./live.ts";
