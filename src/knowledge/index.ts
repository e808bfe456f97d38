export { openKnowledge, type IndexOptions, type Knowledge, type KnowledgeOptions } from "./open-knowledge.ts";
export { DOMAINS, type KnowledgeStatus, type SearchDomain, type SearchHit, type SearchRequest } from "./types.ts";
export { historyImported, parseHistoryLines } from "./history-import.ts";
export type { IndexProgress, IndexReport } from "./ingest/index-project.ts";
export type { ProjectMap } from "./read/project-map.ts";
export type { Why } from "./read/explain-place.ts";
export type { NewTurn } from "./store/turn-writer.ts";
