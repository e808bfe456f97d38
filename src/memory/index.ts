export { applyEffect, canPin, emptyMemory, expire, MEMORY_LIMITS, type Fact, type Note, type WorkingMemory } from "./working-memory.ts";
export { openRing, openRings, reopenRing, ringView, type DurableRing } from "./durable-ring.ts";
export { evidenceLine, findEvidence, staleBecause, type Witness } from "./sidecar/evidence.ts";
export { budgetStatus, tokensOf, type BudgetStatus } from "./sidecar/budget.ts";
export { loadSidecar, staleReferences, type LoadedMemory } from "./sidecar/load-sidecar.ts";
export { matrixWarnings, readDeclarations } from "./sidecar/check-matrix.ts";
export { readMemoryConfig, sessionBudget, tierOf } from "./sidecar/memory-config.ts";
export { readRemembered } from "./sidecar/read-remembered.ts";
export { recallText } from "./sidecar/recall.ts";
export { ownTokens, saveSession, type SaveReport } from "./sidecar/save-session.ts";
export { agentsWithMemory, findChange, memoryHistory, readSidecar, restoreSidecar, type MemoryChange } from "./sidecar/sidecar-store.ts";
export { ENTRY_STATES, ENTRY_TYPES, renderDecision, type Decision } from "./sidecar/decision-log.ts";
export { refreshAll, refreshTruth, type AgentRefresh, type ProjectFiles } from "./truth/refresh-truth.ts";
export { checkHygiene, type HygieneReport } from "./upkeep/hygiene.ts";
export { archiveEntry } from "./upkeep/apply-finding.ts";
export {
  foldPreferences,
  isPreferenceKey,
  preferenceStream,
  preferenceView,
  PREFERENCE_CATEGORIES,
  readPreferences,
  resolvePreference,
  type Preferences,
} from "./learning/preferences.ts";
export {
  checkMistakes,
  listMistakes,
  mistakeStream,
  mistakeView,
  reportMistake,
  retireMistake,
  sameMistake,
  type Mistake,
  type MistakeCheck,
  type MistakeReport,
} from "./learning/mistakes.ts";
