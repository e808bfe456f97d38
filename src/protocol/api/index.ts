export type { Api } from "./api.ts";
export { calls, type Command, type Input, type Query, type Result } from "./calls.ts";
export type { LivePart } from "./live.ts";
export { wire, type Wire } from "./wire.ts";
