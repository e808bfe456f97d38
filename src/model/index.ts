export { openModelGate, type ModelGate, type ModelGateOptions } from "./open-model-gate.ts";
export { modelConfigSchema, type ModelConfig, type ModelConfigInput } from "./config.ts";
export { countRequestTokens, countTokens, loadTokenizer } from "./tokens/count-tokens.ts";
export type {
  CachePrefix,
  Lane,
  ModelMessage,
  ModelRequest,
  ModelResult,
  ModelStream,
  ObjectResult,
  PartialAnswer,
  Priority,
  StopReason,
  StreamPart,
  ToolCall,
  ToolSpec,
  Usage,
} from "./types.ts";
