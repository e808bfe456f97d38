/**
 * Everything Sylk knows of a project, in one place: kept fresh by a thread of its own, answering from
 * this one. Opening is cheap; the database comes into being with the first question.
 */
import type { DatabaseSync } from "node:sqlite";
import { redactLines } from "../guard/index.ts";
import { projectFile } from "../kernel/index.ts";
import { buildContext, type Context } from "./answer/build-context.ts";
import { gatherEvidence } from "./answer/gather-evidence.ts";
import { resolveQuestion, type Answer } from "./answer/resolve-question.ts";
import { embedPending } from "./embed/embed-pending.ts";
import type { Near } from "./embed/find-near.ts";
import { isUsable } from "./embed/vector-state.ts";
import { createIntentCache, type CacheChange, type CacheCounts } from "./cache/intent-cache.ts";
import { openCrossDomain } from "./graph/cross-domain.ts";
import { openGraph } from "./graph/open-graph.ts";
import { createIndexClient } from "./ingest/index-client.ts";
import type { IndexReport, IndexRequest } from "./ingest/index-project.ts";
import { watchProject } from "./ingest/watch-project.ts";
import type { Knowledge, KnowledgeOptions } from "./knowledge.ts";
import { createMap } from "./read/project-map.ts";
import { findDamage, readStatus } from "./read/knowledge-status.ts";
import { createWhy } from "./read/explain-place.ts";
import { findSimilar } from "./search/find-similar.ts";
import { createFinder, DEFAULT_K } from "./search/create-finder.ts";
import { createSearchClient, type SearchClient } from "./search/search-client.ts";
import { createHitTexts } from "./search/show-hits.ts";
import { createSearchIndex, type SearchIndex } from "./search/search-index.ts";
import { openKnowledgeReader, removeKnowledgeDatabase, type KnowledgeDatabase } from "./store/open-database.ts";
import { readMeta } from "./store/meta.ts";
import { openConflicts } from "./truth/find-conflicts.ts";
import { createConflictKeeper } from "./truth/keep-conflicts.ts";
import type { Found, SearchHit, SearchRequest } from "./types.ts";

/** More than this at once is a switch of branches rather than work (MEM-056). */
const MANY_CHANGES = 100;

interface Reader {
  database: KnowledgeDatabase;
  search: SearchIndex;
}

export function openKnowledge(options: KnowledgeOptions): Knowledge {
  let reader: Reader | undefined;
  const cache = createIntentCache<Context>(options.clock);
  const answers = createIntentCache<Answer>(options.clock);
  const forget = (change: CacheChange): void => {
    cache.noteChange(change);
    answers.noteChange(change);
  };
  const noteChange = (report: IndexReport): IndexReport => {
    const changes = report.added + report.changed + report.removed;
    if (changes + report.commits > 0)
      forget({ folders: new Set(report.folders), history: report.commits > 0, many: changes > MANY_CHANGES });
    return report;
  };
  /** Readings that go on now: what is answered meanwhile may rest on half of the project, and is not kept. */
  let readings = 0;
  const noteHistory = (changed: number): number => {
    if (changed > 0) forget({ folders: new Set(), history: true, many: false });
    return changed;
  };
  /** Of this process's last run; the database holds only what its own model ran into. */
  let embedTrouble: string | undefined;
  let writer: ReturnType<typeof createIndexClient> | undefined;
  let searcher: SearchClient | undefined;
  const read = (): Reader => {
    if (reader !== undefined) return reader;
    const database = openKnowledgeReader(options.file);
    reader = { database, search: createSearchIndex(database.db) };
    return reader;
  };
  const db = (): DatabaseSync => read().database.db;
  const write = (): ReturnType<typeof createIndexClient> => (writer ??= createIndexClient(options.file));
  const keeper = createConflictKeeper(options.clock, (found) => write().writeEntry({ kind: "conflicts", found, at: options.clock.now() }));
  /** What was answered from before may be answered otherwise now. */
  const added = async <T>(writing: Promise<T>): Promise<T> => {
    const result = await writing;
    forget({ folders: new Set(), history: true, documents: true, many: true });
    return result;
  };
  const close = async (): Promise<void> => {
    await keeper.settled();
    await writer?.[Symbol.asyncDispose]();
    writer = undefined;
    await searcher?.[Symbol.asyncDispose]();
    searcher = undefined;
    reader?.database[Symbol.dispose]();
    reader = undefined;
  };

  /** Lines of a hit as they are on disk now, without secrets; sections of external documents from the database. */
  const textOf = async (hit: SearchHit): Promise<string> => {
    if (hit.lines === undefined) return hit.title;
    const kept = db()
      .prepare("SELECT c.text FROM chunks c JOIN files f ON f.key = c.file WHERE f.path = ? AND c.line_start = ?")
      .get(hit.path, hit.lines.from) as { text: string | null } | undefined;
    if (typeof kept?.text === "string") return kept.text;
    const whole = projectFile.text(options.root, hit.path) ?? "";
    return redactLines(whole.split("\n"), hit.lines, options.redact).join("\n");
  };

  const hashOf = (file: string): string | undefined =>
    (db().prepare("SELECT hash FROM files WHERE path = ?").get(file) as { hash: string } | undefined)?.hash;
  const filesOf = (hits: readonly SearchHit[]): Map<string, string> =>
    new Map(hits.flatMap((hit) => (hit.path === "" ? [] : [[hit.path, hashOf(hit.path) ?? ""] as const])));

  const search = (request: SearchRequest, near?: Near): SearchHit[] => read().search(request, options.clock.now(), near);
  /** Away from the thread that serves, unless the process asks only this. */
  const searchApart = (request: SearchRequest, near?: Near): Promise<SearchHit[]> => {
    if (request.once === true) return Promise.resolve(search(request, near));
    // The file must be there and of this version before another thread opens it.
    read();
    const { text, domain, k, pathGlob } = request;
    return (searcher ??= createSearchClient(options.file)).search({ text, domain, k, pathGlob }, options.clock.now(), near);
  };

  const indexRequest = (paths: readonly string[] | undefined): IndexRequest => ({
    root: options.root,
    threads: options.threads ?? parsingThreads(),
    paths,
    secrets: options.secrets?.() ?? [],
    closed: options.closed ?? [],
  });
  const readIn = async (...request: Parameters<ReturnType<typeof createIndexClient>["index"]>): Promise<IndexReport> => {
    readings += 1;
    try {
      return noteChange(await write().index(...request));
    } finally {
      readings -= 1;
    }
  };
  const finder = createFinder({
    db,
    models: options.models,
    search: searchApart,
    textOf,
    show: (question, hits) => createHitTexts({ db: db(), root: options.root, redact: options.redact })(question, hits),
  });
  const find = (request: SearchRequest): Promise<Found> => finder.find(request);

  return {
    index: ({ onProgress, signal, paths } = {}) => readIn(indexRequest(paths), { onProgress, signal }),
    async *watch(signal) {
      for await (const paths of watchProject(options.root, options.clock, signal)) {
        const report = await readIn(indexRequest(paths), { signal });
        if (report.added + report.changed + report.removed + report.commits > 0) yield report;
      }
    },
    search: (request) => search(request),
    find,
    async embed(embedOptions) {
      const embedder = options.models?.embedder();
      if (embedder === undefined) return undefined;
      const writing = write();
      const report = await embedPending(
        {
          db: db(),
          root: options.root,
          redact: options.redact,
          clock: options.clock,
          sink: (act) => writing.writeVectors(act),
        },
        embedder,
        embedOptions,
      );
      embedTrouble = report.trouble;
      return report;
    },
    async addHistory(source, entries, journalPosition) {
      return noteHistory(await write().writeHistory(source, entries, { journalPosition }));
    },
    replaceHistory: async (source, entries) => noteHistory(await write().writeHistory(source, entries, { whole: true })),
    hasFiles: () => db().prepare("SELECT 1 FROM files LIMIT 1").get() !== undefined,
    journalPosition: () => Number(readMeta(db(), "journal_position") ?? 0),
    map: (mapOptions) => createMap(db(), mapOptions),
    why: (place, signal) => createWhy({ db: db(), root: options.root, clock: options.clock }, place, signal),
    graph: () => openGraph(db()),
    cross: () => openCrossDomain(db()),
    similar: (id, wanted) => findSimilar(db(), id, { ...wanted, meaning: isUsable(finder.vectors(), options.models?.embedder()?.model) }),
    entries: () => ({
      summary: (entry, at) => added(write().writeEntry({ kind: "summary", entry, at })),
      document: (document, at) => added(write().writeEntry({ kind: "document", document, at })),
      link: (...links) => added(write().writeEntry({ kind: "links", links })),
    }),
    async context(request) {
      const { domain = "all", k = DEFAULT_K, maxTokens, pathGlob, rerank = false } = request;
      const { models } = options;
      const scope = JSON.stringify([domain, k, maxTokens, pathGlob, models?.embedder()?.model, rerank && models?.reranker()?.model]);
      const known = cache.get(request.text, scope, hashOf);
      if (known !== undefined) return known;
      const whole = readings === 0;
      const { context, hits } = await buildContext({ db: db(), find, textOf, nowMs: options.clock.now(), keep: keeper.keep }, request);
      // An empty answer, or one with open questions, is worth asking again.
      if (whole && context.sources.length > 0 && !context.conflicts.some((one) => one.severity === "warning"))
        cache.put(request.text, scope, context, filesOf(hits));
      return context;
    },
    resolve: (question, countTokens) =>
      resolveQuestion(
        {
          db: db(),
          models: options.models,
          cache: readings === 0 ? answers : createIntentCache<Answer>(options.clock),
          nowMs: options.clock.now(),
          hashOf,
          async context(asked) {
            const { text, domain, k, maxTokens, looks, signal } = asked;
            const request = { text, domain, k, maxTokens, signal, countTokens };
            const gather =
              looks === undefined
                ? find
                : (wanted: SearchRequest) =>
                    gatherEvidence({ find, textOf, countTokens, evaluator: options.models?.evaluator(), limits: looks }, wanted, signal);
            const { context, hits } = await buildContext(
              { db: db(), find: gather, textOf, nowMs: options.clock.now(), keep: keeper.keep },
              request,
            );
            return { context, files: filesOf(hits) };
          },
        },
        question,
      ),
    async conflicts() {
      await keeper.settled();
      return openConflicts(db());
    },
    settle: (conflict, at) => added(write().writeEntry({ kind: "settle", conflict, at })),
    status: () =>
      readStatus({
        db: db(),
        file: options.file,
        wanted: options.models?.embedder()?.model,
        stored: finder.vectors(),
        trouble: embedTrouble,
        cache: sumOf(cache.counts(), answers.counts()),
      }),
    verify: () => findDamage(db()),
    async reset() {
      await close();
      forget({ folders: new Set(), history: true, documents: true, many: true });
      removeKnowledgeDatabase(options.file);
    },
    [Symbol.asyncDispose]: close,
  };
}

function sumOf(a: CacheCounts, b: CacheCounts): CacheCounts {
  return { hits: a.hits + b.hits, misses: a.misses + b.misses, invalidations: a.invalidations + b.invalidations };
}

/** One thread writes; the rest of the machine parses, at least one and at most three. */
function parsingThreads(): number {
  return Math.max(1, Math.min(3, navigator.hardwareConcurrency - 1));
}
