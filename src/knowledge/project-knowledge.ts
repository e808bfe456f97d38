/** Knowledge as surfaces see it: fresh before it answers, and fed with what the journal holds. */
import path from "node:path";
import { existsSync } from "node:fs";
import { SylkError, type Clock, type ProjectDirs } from "../kernel/index.ts";
import { type Store, readOnlyUrl } from "../journal/index.ts";
import { conflictLine } from "./truth/find-conflicts.ts";
import { createFeed } from "./feed.ts";
import { createFreshener, type Freshness, type RefreshOptions } from "./keep-fresh.ts";
import { openKnowledge } from "./open-knowledge.ts";
import { parseHistoryLines, redactHistoryLines } from "./history-import.ts";
import { readDocumentFile } from "./ingest/read-document.ts";
import { createHealthMeter } from "./health/measure-health.ts";
import type { HealthLimits } from "./health/health-levels.ts";
import { doubtsOf, sourceOutcomes, type Health, type SourceOutcome } from "./told/index.ts";
import type { Answer, ModelUse, Question } from "./answer/resolve-question.ts";
import type { Conflict } from "./store/conflict-writer.ts";
import type { Context } from "./answer/build-context.ts";
import type { CrossDomain } from "./graph/cross-domain.ts";
import type { DocumentReport, StoredEntry } from "./ingest/entry-writer.ts";
import type { Found, IndexProgress, KnowledgeStatus, SearchRequest } from "./types.ts";
import type { Graph } from "./graph/open-graph.ts";
import type { IndexReport } from "./ingest/index-project.ts";
import type { Knowledge } from "./knowledge.ts";
import type { KnowledgeModels } from "./models.ts";
import type { RetrievalLimits } from "./answer/gather-evidence.ts";
import type { ProjectMap } from "./read/project-map.ts";
import type { Similar } from "./search/find-similar.ts";
import type { Why } from "./read/explain-place.ts";
import { countTokens } from "../model/index.ts";
import { EVENTS, USER, type JournalEvent, type NewEvent, type Actor, type Payload } from "../protocol/events/index.ts";

export interface ProjectKnowledge {
  index(options: { onProgress?: (progress: IndexProgress) => void; signal: AbortSignal }): Promise<IndexReport>;
  watch(signal: AbortSignal): AsyncIterable<IndexReport>;
  /** Answers from the index as it is. */
  search(request: SearchRequest): Promise<Found>;
  /** Brings the index up to date, or says how far it is; call it once before searching. */
  refresh(options: RefreshOptions): Promise<Freshness>;
  map(options: { budgetTokens: number; folder?: string | undefined }): ProjectMap;
  why(place: { path: string; line?: number | undefined }, signal: AbortSignal): Promise<Why>;
  importHistory(name: string, text: string): Promise<{ entries: number; added: number }>;
  /** KNO-030: keeps what was done or decided, after a look at whether the code bears it out. */
  /** Under an event id that was stored before, nothing is stored again. */
  storeSummary(summary: Payload<"knowledge.summary_stored">, actor: Actor, eventId?: string): Promise<StoredEntry>;
  addDocument(document: {
    file: string;
    slug?: string | undefined;
    type: Payload<"knowledge.document_stored">["type"];
    title?: string | undefined;
  }): Promise<DocumentReport & { slug: string; title: string }>;
  link(link: { source: string; target: string; type: Payload<"knowledge.linked">["type"] }, actor: Actor): Promise<void>;
  /** What a model should see, fenced, within a budget. */
  context(request: SearchRequest & { maxTokens?: number | undefined }): Promise<Context>;
  /** A question through cache, graph and model; how the model is used is configured unless said. */
  ask(question: Omit<Question, "model" | "looks"> & { model?: ModelUse | undefined; lookFurther?: boolean | undefined }): Promise<Answer>;
  graph(): Graph;
  cross(): CrossDomain;
  similar(id: string, options: { k: number; sameType?: boolean | undefined }): Similar[];
  conflicts(): Promise<Conflict[]>;
  /** False when there is no such open contradiction. */
  resolveConflict(id: number, resolution: string): Promise<boolean>;
  /** How sound a folder is as it stands now; `root`: a work tree instead of the project. */
  health(area: string, signal: AbortSignal, root?: string): Promise<Health>;
  status(): KnowledgeStatus;
  /** Sources of work that failed or was taken back, the most often first. */
  doubted(): Promise<SourceOutcome[]>;
  verify(): string | undefined;
  rebuild(options: { onProgress?: (progress: IndexProgress) => void; signal: AbortSignal }): Promise<IndexReport>;
}

export interface KnowledgeHolder {
  api: ProjectKnowledge;
  /** What is known about a question, fenced, with open contradictions first; empty when nothing is. */
  find(query: string, maxTokens: number, signal: AbortSignal): Promise<string>;
  close(): Promise<void>;
}

export interface KnowledgeParts {
  project: ProjectDirs;
  memoryDir: () => string;
  clock: Clock;
  redact: (text: string) => string;
  /** Values the redactor knows. */
  secrets: () => readonly string[];
  /** Places of keys and sign-ins of the user: what lies there is not read. */
  closed: readonly string[];
  store: () => Promise<Store>;
  models: KnowledgeModels;
  answerWithModel: () => ModelUse;
  retrieval: () => RetrievalLimits;
  healthLimits: () => HealthLimits;
}

/** A search waits for no more new vectors than this; `index` makes the rest. */
const REFRESH_TEXTS = 192;
/** After a failure, only `index` asks the model for vectors again at once. */
const RETRY_AFTER_MS = 300_000;

export function createProjectKnowledge(parts: KnowledgeParts): KnowledgeHolder {
  const { project, clock } = parts;
  const file = path.join(project.private, "knowledge.db");
  let opened: Knowledge | undefined;
  const knowledge = (): Knowledge => {
    if (opened === undefined) {
      if (readOnlyUrl(file) === undefined) project.claim();
      opened = openKnowledge({
        root: project.project,
        file,
        clock,
        redact: parts.redact,
        secrets: parts.secrets,
        closed: parts.closed,
        models: parts.models,
      });
    }
    return opened;
  };

  const meter = createHealthMeter({ clock, limits: parts.healthLimits });
  const feed = createFeed({ knowledge, memoryDir: parts.memoryDir, redact: parts.redact });

  /** Kept first, then ingested. */
  const record = async <T>(event: NewEvent): Promise<T> => {
    const store = await parts.store();
    const [written] = await store.journal.append("knowledge", "any", [event]);
    return (await feed.ingest(written as JournalEvent, store)) as T;
  };

  const readAll: ProjectKnowledge["index"] = async ({ onProgress, signal }) => {
    const report = await knowledge().index({ onProgress, signal });
    // A project without a journal has nothing to read, and gets none for this.
    if (existsSync(project.database)) await feed.followJournal(await parts.store(), signal);
    await feed.followMemory();
    return report;
  };

  const index: ProjectKnowledge["index"] = async (options) => {
    const report = await readAll(options);
    await knowledge().embed(options);
    return report;
  };

  let failedAt = -Infinity;
  /** Up to date for a question: a few new vectors now, many with the next `index`. */
  const freshener = createFreshener({
    clock,
    hasFiles: () => knowledge().hasFiles(),
    async read(options) {
      await readAll(options);
      if (clock.now() - failedAt < RETRY_AFTER_MS) return;
      const report = await knowledge().embed({ ...options, limit: REFRESH_TEXTS });
      if (report?.trouble !== undefined) failedAt = clock.now();
    },
  });
  /** A project without a journal has none, and gets no journal for this. */
  const outcomes = async (): Promise<SourceOutcome[]> =>
    existsSync(project.database) ? sourceOutcomes((await parts.store()).journal) : [];
  const doubts = async (sources: readonly { path: string | undefined }[]): Promise<string[]> =>
    doubtsOf(
      await outcomes(),
      sources.flatMap((one) => one.path ?? []),
    );
  const refresh: ProjectKnowledge["refresh"] = async (options) => {
    // Where nothing can be kept the answer comes from what was read before.
    if (readOnlyUrl(file) !== undefined) return { indexing: null };
    return freshener.refresh(options);
  };

  return {
    async find(query, maxTokens, signal) {
      const { indexing } = await refresh({ signal });
      const packed = await knowledge().context({ text: query, domain: "all", k: 12, maxTokens, countTokens });
      const conflicts = packed.conflicts.filter((one) => one.severity === "warning").map((one) => `Contradiction: ${conflictLine(one)}`);
      const doubted = await doubts(packed.items.map(({ node }) => node));
      return [...conflicts, packed.text, ...doubted, indexing?.note ?? ""].filter((part) => part !== "").join("\n\n");
    },
    async close() {
      await freshener.stop();
      await opened?.[Symbol.asyncDispose]();
    },
    api: {
      index,
      refresh,
      async *watch(signal) {
        for await (const report of knowledge().watch(signal)) {
          await knowledge().embed({ signal });
          yield report;
        }
      },
      search: (request) => knowledge().find(request),
      map: (options) => knowledge().map({ ...options, countTokens }),
      why: (place, signal) => knowledge().why(place, signal),
      async importHistory(name, lines) {
        const entries = parseHistoryLines(lines, name);
        if (entries.length === 0)
          throw new SylkError({
            code: "HISTORY_EMPTY",
            tier: "user_fixable",
            message: `${name} holds no entries`,
            fix: "give a file with one JSON object a line",
          });
        const content = await (await parts.store()).blobs.put(redactHistoryLines(lines, name, parts.redact));
        const added = await record<number>(
          EVENTS.knowledge.historyImported.create({ name, turns: entries.length, content }, { actor: USER }),
        );
        return { entries: entries.length, added };
      },
      storeSummary: (summary, actor, eventId) =>
        record(
          EVENTS.knowledge.summaryStored.create(summary, { actor, ...(eventId === undefined ? {} : { id: eventId as NewEvent["id"] }) }),
        ),
      async addDocument({ file, slug, type, title }) {
        const body = parts.redact(await readDocumentFile(file));
        const content = await (await parts.store()).blobs.put(body);
        const name =
          slug ??
          path
            .basename(file, path.extname(file))
            .toLowerCase()
            .replaceAll(/[^\p{L}\p{N}]+/gu, "-");
        const heading = title ?? /^#\s+(.+)$/mu.exec(body)?.[1] ?? name;
        const report = await record<DocumentReport>(
          EVENTS.knowledge.documentStored.create({ slug: name, title: heading, type, url: null, content }, { actor: USER }),
        );
        return { slug: name, title: heading, ...report };
      },
      link: async (link, actor) => record(EVENTS.knowledge.linked.create({ ...link, weight: null }, { actor })),
      context: (request) => knowledge().context({ ...request, countTokens }),
      async ask({ lookFurther = false, ...question }) {
        const looks = lookFurther ? parts.retrieval() : undefined;
        const answer = await knowledge().resolve({ ...question, model: question.model ?? parts.answerWithModel(), looks }, countTokens);
        // Beside the answer and never kept with it: what came of a source changes.
        return { ...answer, warnings: [...answer.warnings, ...(await doubts(answer.sources))] };
      },
      graph: () => knowledge().graph(),
      cross: () => knowledge().cross(),
      similar: (id, options) => knowledge().similar(id, options),
      conflicts: () => knowledge().conflicts(),
      async resolveConflict(id, resolution) {
        const open = (await knowledge().conflicts()).find((one) => one.id === id);
        if (open === undefined) return false;
        const { type, subject, nodeA, nodeB, description } = open;
        await record(
          EVENTS.knowledge.conflictSettled.create(
            { type, subject, node_a: nodeA, node_b: nodeB, description, resolution },
            { actor: USER },
          ),
        );
        return true;
      },
      health: (area, signal, root = project.project) => meter.measure(root, area, signal),
      status: () => knowledge().status(),
      doubted: async () => (await outcomes()).filter(({ failed }) => failed > 0),
      verify: () => knowledge().verify(),
      async rebuild(options) {
        await freshener.stop();
        await knowledge().reset();
        feed.forget();
        return index(options);
      },
    },
  };
}
