export { applyEffect, canPin, emptyMemory, expire, MEMORY_LIMITS, type Fact, type Note, type WorkingMemory } from "./working-memory.ts";
export { openRing, openRings, reopenRing, ringView, type DurableRing } from "./durable-ring.ts";
export { evidenceLine, findEvidence, type EvidenceSources } from "./sidecar/evidence.ts";
export { tokensOf, type BudgetStatus } from "./sidecar/budget.ts";
export { loadSidecar, staleReferences, type LoadedMemory } from "./sidecar/load-sidecar.ts";
export { matrixWarnings, readDeclarations } from "./sidecar/check-matrix.ts";
export { readMemoryConfig } from "./sidecar/memory-config.ts";
export { readRemembered } from "./sidecar/read-remembered.ts";
export { recallText } from "./sidecar/recall.ts";
export { saveSession, type SaveReport } from "./sidecar/save-session.ts";
export { agentsWithMemory, memoryHistory, type MemoryChange } from "./sidecar/sidecar-store.ts";
export type { Decision } from "./sidecar/decision-log.ts";
export type { AgentRefresh, ProjectFiles } from "./truth/refresh-truth.ts";
export type { HygieneReport } from "./upkeep/hygiene.ts";
export { isPreferenceKey, preferenceStream, preferenceView, readPreferences, type Preferences } from "./learning/preferences.ts";
export {
  checkMistakes,
  mistakeStream,
  mistakeView,
  reportMistake,
  sameMistake,
  type Mistake,
  type MistakeCheck,
  type MistakeReport,
} from "./learning/mistakes.ts";
export { type MemoryApi, createMemoryApi } from "./project-memory.ts";
export { memoryPlace } from "./memory-place.ts";
