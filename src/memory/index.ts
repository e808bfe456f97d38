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
