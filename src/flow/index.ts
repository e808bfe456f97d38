export { createFlowExtension } from "./actions.ts";
export { requestMessage } from "./gate.ts";
export { createFlowApi, type FlowApi } from "./flow-api.ts";
export { pipelineView } from "./pipeline-state.ts";
export { requestView } from "./request-state.ts";
export type { FlowLimits, FlowParts } from "./parts.ts";
