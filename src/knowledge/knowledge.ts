/** What the floors above may ask of knowledge, and what it needs to be opened. */
import type { Clock } from "../kernel/index.ts";
import type { Context, ContextRequest } from "./answer/build-context.ts";
import type { KnowledgeModels } from "./models.ts";
import type { Answer, Question } from "./answer/resolve-question.ts";
import type { EmbedOptions, EmbedReport } from "./embed/embed-pending.ts";
import type { CrossDomain } from "./graph/cross-domain.ts";
import type { Graph } from "./graph/open-graph.ts";
import type { IndexReport } from "./ingest/index-project.ts";
import type { IndexProgress } from "./types.ts";
import type { MapOptions, ProjectMap } from "./read/project-map.ts";
import type { Why } from "./read/explain-place.ts";
import type { Similar } from "./search/find-similar.ts";
import type { DocumentReport, NewDocument, NewLink, StoredEntry } from "./ingest/entry-writer.ts";
import type { HistoryEntry } from "./store/history-writer.ts";
import type { Conflict } from "./store/conflict-writer.ts";
import type { Found, KnowledgeStatus, SearchHit, SearchRequest } from "./types.ts";
import type { Payload } from "../protocol/events/index.ts";

export interface KnowledgeOptions {
  /** The project's folder. */
  root: string;
  /** The database file. */
  file: string;
  clock: Clock;
  /** Takes secrets out of what is quoted from files. */
  redact: (text: string) => string;
  /** Values that must never be stored, whatever they look like. */
  secrets?: (() => readonly string[]) | undefined;
  /** Places of the user's keys and sign-ins: what lies there is not read. */
  closed?: readonly string[] | undefined;
  /** The models that are configured now; without them everything but their part works. */
  models?: KnowledgeModels | undefined;
  /** Parsing threads; the machine decides when absent. */
  threads?: number | undefined;
}

export interface IndexOptions {
  onProgress?: ((progress: IndexProgress) => void) | undefined;
  signal?: AbortSignal | undefined;
  paths?: readonly string[] | undefined;
}

/** What people and agents add; the writing thread takes it. */
export interface Entries {
  summary(entry: Payload<"knowledge.summary_stored">, at: number): Promise<StoredEntry>;
  document(document: NewDocument, at: number): Promise<DocumentReport>;
  /** All of them or, when one cannot be, none. */
  link(...links: NewLink[]): Promise<void>;
}

export interface Knowledge extends AsyncDisposable {
  /** Brings the index up to what is on disk. */
  index(options?: IndexOptions): Promise<IndexReport>;
  /** Stays and follows changes; each report is one update. */
  watch(signal: AbortSignal): AsyncIterable<IndexReport>;
  /** Gives what has no vector of the configured model one; undefined when none is configured. */
  embed(options: EmbedOptions): Promise<EmbedReport | undefined>;
  /** With the built-in vectors, at once. */
  search(request: SearchRequest): SearchHit[];
  /** With the vectors of the configured model where they are there, else as `search`, saying so. */
  find(request: SearchRequest): Promise<Found>;
  /** Entries of a conversation, notes, journal entries; the same id replaces. Returns how many were new. */
  addHistory(source: string, entries: HistoryEntry[], journalPosition?: number): Promise<number>;
  /** The same, and what the source no longer holds goes. Returns how many came, changed or went. */
  replaceHistory(source: string, entries: HistoryEntry[]): Promise<number>;
  /** Whether any file was read. */
  hasFiles(): boolean;
  /** Up to where the journal has been read. */
  journalPosition(): number;
  map(options: MapOptions): ProjectMap;
  why(place: { path: string; line?: number | undefined }, signal?: AbortSignal): Promise<Why>;
  readonly graph: () => Graph;
  readonly cross: () => CrossDomain;
  /** Neighbours of a known symbol or file by its vector. */
  similar(id: string, options: { k: number; sameType?: boolean | undefined }): Similar[];
  readonly entries: () => Entries;
  /** What a model should see of a question's answer, within a budget, fenced as data; with conflicts among it. */
  context(request: ContextRequest): Promise<Context>;
  /** A question through cache, graph and, where it may be asked, a model. */
  resolve(question: Question, countTokens: (text: string) => number): Promise<Answer>;
  conflicts(): Promise<Conflict[]>;
  /** Marks a contradiction as settled, also one that is yet to be found again. */
  settle(conflict: Payload<"knowledge.conflict_settled">, at: number): Promise<void>;
  status(): KnowledgeStatus;
  /** Undefined when sound, else what the database says is wrong. */
  verify(): string | undefined;
  /** Throws everything away; the next index starts anew. */
  reset(): Promise<void>;
}
