export { agentActor, readActor, spellActor, SYSTEM, USER, type Actor } from "./actor.ts";
export {
  checkPayload,
  decodePayload,
  typesOf,
  withVersion,
  type EventType,
  type JournalEvent,
  type NewEvent,
  type PayloadOf,
} from "./define-event.ts";
export {
  decodeTask,
  readTaskEvent,
  taskEvents,
  taskStream,
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
export { decodeGoal, goalEvents, IMPASSE_TYPES, type Assessment, type ImpasseType, type MonitorSteps } from "./goal.ts";
export { decodeRing, ringEvents } from "./ring.ts";
export { decodeRun, runEvents } from "./run.ts";
export { decodeSkill, skillEvents, type PlacedFile } from "./skill.ts";
export { memoryEvents, memoryStream } from "./memory.ts";
export { decodeMistake, decodePreference, mistakeEvents, preferenceEvents, type ReportedMistake } from "./learning.ts";
export {
  decodeKnowledge,
  DOCUMENT_TYPES,
  knowledgeEvents,
  LINK_TYPES,
  SUMMARY_TYPES,
  type DocumentType,
  type LinkType,
  type SettledConflict,
  type StoredSummary,
} from "./knowledge.ts";
export {
  decodeHold,
  holdEvents,
  registerEvents,
  signalEvents,
  usageEvents,
  type BreakerRecord,
  type Pause,
  type UsageRecord,
} from "./model.ts";
export {
  AUDIT_CATEGORIES,
  AUDIT_OUTCOMES,
  AUDIT_SEVERITIES,
  AUDIT_STREAM,
  auditEvents,
  auditPayload,
  type AuditCategory,
  type AuditOutcome,
  type AuditPayload,
  type AuditSeverity,
} from "./audit.ts";
export { givenAnswer, questionEvents, questionState, questionStream, type QuestionAnswer, type QuestionAsk } from "./question.ts";
export { DEFAULT_SESSION } from "./ids.ts";
export { ACCEPTED_STREAM, journalEvents } from "./journal.ts";
