export {
  applyEffect,
  canPin,
  emptyMemory,
  expire,
  memoryEffect,
  MEMORY_LIMITS,
  type Fact,
  type MemoryEffect,
  type MemoryItem,
  type WorkingMemory,
} from "./working-memory.ts";
export { openRing, openRings, reopenRing, ringView, type DurableRing } from "./durable-ring.ts";
export { evidenceLine, findEvidence, type Witness } from "./sidecar/evidence.ts";
export { loadSidecar, staleReferences, type LoadedMemory } from "./sidecar/load-sidecar.ts";
export { readMemoryConfig, type MemoryConfig } from "./sidecar/memory-config.ts";
export { recallText } from "./sidecar/recall.ts";
export { saveSession, type SaveReport } from "./sidecar/save-session.ts";
export { memoryLoaded, memoryStream } from "./sidecar/sidecar-events.ts";
export { memoryHistory, restoreSidecar, type MemoryChange } from "./sidecar/sidecar-store.ts";
export { ENTRY_STATES, ENTRY_TYPES, type Decision, type LoggedDecision } from "./sidecar/decision-log.ts";
