/** Every fact a journal may hold, by stream kind, and the shapes in them. */
export { EVENTS, STREAMS } from "./all-events.ts";
export { agentActor, readActor, spellActor, SYSTEM, USER, type Actor } from "./actor.ts";
export {
  checkPayload,
  decode,
  decodePayload,
  typesOf,
  withVersion,
  type EventType,
  type JournalEvent,
  type NewEvent,
  type PayloadOf,
} from "./define-event.ts";
export {
  readTaskEvent,
  type CheckResult,
  type Cut,
  type Decision,
  type Problem,
  type RecordedChange,
  type TaskCreated,
  type TaskEvent,
} from "./task.ts";
export { decidedWhy, type DecidedWhy } from "./decided-why.ts";
export { type MemoryEffect, type MemoryItem } from "./memory-effect.ts";
export { IMPASSE_TYPES, type Assessment, type ImpasseType, type MonitorSteps } from "./goal.ts";
export { type PlacedFile } from "./skill.ts";
export { type ReportedMistake } from "./learning.ts";
export {
  DOCUMENT_TYPES,
  LINK_TYPES,
  SUMMARY_TYPES,
  type DocumentType,
  type LinkType,
  type SettledConflict,
  type StoredSummary,
} from "./knowledge.ts";
export { type BreakerRecord, type Pause, type UsageRecord } from "./model.ts";
export { AUDIT_WORDS, auditPayload, type AuditPayload } from "./audit.ts";
export { givenAnswer, questionState, type QuestionAnswer, type QuestionAsk } from "./question.ts";
export { DEFAULT_SESSION } from "./ids.ts";
