export { openKnowledge, type IndexOptions, type Knowledge, type KnowledgeOptions } from "./open-knowledge.ts";
export { DOMAINS, type KnowledgeStatus, type SearchDomain, type SearchHit, type SearchRequest } from "./types.ts";
export { parseHistoryLines } from "./history-import.ts";
export { documentStored, historyImported, nodesLinked, summaryStored, type StoredSummary } from "./knowledge-events.ts";
export {
  CODE_EDGES,
  DOCUMENT_TYPES,
  SUMMARY_TYPES,
  type DocumentType,
  type EdgeName,
  type LinkType,
} from "./graph/node-types.ts";
export { readDocumentFile } from "./ingest/read-document.ts";
export type { Graph, KnowledgeNode } from "./graph/open-graph.ts";
export type { Conflict } from "./truth/find-conflicts.ts";
export type { Packed } from "./truth/pack-context.ts";
export type { IndexProgress, IndexReport } from "./ingest/index-project.ts";
export type { ProjectMap } from "./read/project-map.ts";
export type { Why } from "./read/explain-place.ts";
export type { NewTurn } from "./store/turn-writer.ts";
export type { DocumentReport, StoredEntry } from "./store/entry-writer.ts";
