export { openModelGate, type ModelGate, type ModelGateOptions } from "./open-model-gate.ts";
export { modelConfigSchema, subscriptionSchema } from "./config.ts";
export { requestPriority } from "./queue/request-priority.ts";
export { countTokens } from "./tokens/count-tokens.ts";
export { machineModelViews, projectModelViews } from "./views.ts";
export { queryUsage, taskUsage, type UsageDimension, type UsageReport } from "./usage/query-usage.ts";
export type { ModelListing } from "./routing/list-models.ts";
export type { CallFacts, ModelMessage, ModelRequest, ModelResult, StreamPart, ToolCall, ToolSpec } from "./types.ts";
export { MODEL_KEYS } from "./routing/provider-access.ts";
