export { openModelGate, type GateStore, type ModelGate, type ModelGateOptions, type QueueStatus } from "./open-model-gate.ts";
export { modelConfigSchema, subscriptionSchema } from "./config.ts";
export { requestPriority } from "./queue/request-priority.ts";
export { countTokens } from "./tokens/count-tokens.ts";
export { machineModelViews, projectModelViews } from "./views.ts";
export {
  queryUsage,
  taskUsage,
  USAGE_DIMENSIONS,
  type UsageDimension,
  type UsageQuery,
  type UsageReport,
  type UsageReportRow,
} from "./usage/query-usage.ts";
export type { EmbedRequest } from "./embed/embed-texts.ts";
export type { ModelListing } from "./routing/list-models.ts";
export type {
  CachePrefix,
  CallFacts,
  Lane,
  ModelMessage,
  ModelRequest,
  ModelResult,
  PartialAnswer,
  Priority,
  StopReason,
  StreamPart,
  ToolCall,
  ToolSpec,
  Usage,
} from "./types.ts";
