/** Knowledge as surfaces see it: fresh before it answers, and fed with what the journal holds. */
import path from "node:path";
import { existsSync } from "node:fs";
import { SylkError, type Clock, type ProjectDirs } from "../kernel/index.ts";
import type { BlobRef, Store } from "../journal/index.ts";
import {
  openKnowledge,
  historyImported,
  parseHistoryLines,
  type IndexProgress,
  type IndexReport,
  type Knowledge,
  type KnowledgeStatus,
  type ProjectMap,
  type SearchHit,
  type SearchRequest,
  type Why,
} from "../knowledge/index.ts";
import { countTokens } from "../model/index.ts";
import { journalTurns } from "./journal-turns.ts";
import { ignoreOwnFiles } from "./project-store.ts";

export interface KnowledgeApi {
  index(options: { onProgress?: (progress: IndexProgress) => void; signal: AbortSignal }): Promise<IndexReport>;
  watch(signal: AbortSignal): AsyncIterable<IndexReport>;
  /** Answers from the index as it is. */
  search(request: SearchRequest): SearchHit[];
  /** Brings the index up to date; call it once before searching. */
  refresh(options: { onProgress?: (progress: IndexProgress) => void; signal: AbortSignal }): Promise<void>;
  map(options: { budgetTokens: number; folder?: string | undefined }): ProjectMap;
  why(place: { path: string; line?: number | undefined }, signal: AbortSignal): Promise<Why>;
  importHistory(name: string, text: string): Promise<{ turns: number; added: number }>;
  status(): KnowledgeStatus;
  verify(): string | undefined;
  rebuild(options: { onProgress?: (progress: IndexProgress) => void; signal: AbortSignal }): Promise<IndexReport>;
}

export interface KnowledgeParts {
  project: ProjectDirs;
  clock: Clock;
  store: () => Promise<Store>;
}

const PAGE = 500;

export function createKnowledgeApi(parts: KnowledgeParts): { api: KnowledgeApi; knowledge: () => Knowledge; close: () => Promise<void> } {
  const { project, clock } = parts;
  let opened: Knowledge | undefined;
  const knowledge = (): Knowledge => {
    if (opened === undefined) {
      ignoreOwnFiles(project);
      opened = openKnowledge({ root: project.project, file: path.join(project.root, "knowledge.db"), clock });
    }
    return opened;
  };

  /** Whatever the journal holds that is worth finding again. A project without a journal has none, and gets none for this. */
  const followJournal = async (signal: AbortSignal): Promise<void> => {
    if (!existsSync(project.database)) return;
    const store = await parts.store();
    let after = knowledge().journalPosition();
    for (;;) {
      signal.throwIfAborted();
      const events = await store.journal.readAll({ after, limit: PAGE });
      for (const event of events) {
        if (!historyImported.is(event)) continue;
        const text = Buffer.from(await store.blobs.get(event.payload.content as BlobRef)).toString("utf8");
        await knowledge().addTurns(`import:${event.payload.name}`, parseHistoryLines(text, event.payload.name));
      }
      const last = events.at(-1);
      if (last !== undefined) await knowledge().addTurns("journal", journalTurns(events), last.position);
      if (last === undefined || events.length < PAGE) return;
      after = last.position;
    }
  };

  const index: KnowledgeApi["index"] = async ({ onProgress, signal }) => {
    const report = await knowledge().index({ onProgress, signal });
    await followJournal(signal);
    return report;
  };

  return {
    knowledge,
    close: async () => opened?.[Symbol.asyncDispose](),
    api: {
      index,
      refresh: async (options) => void (await index(options)),
      watch: (signal) => knowledge().watch(signal),
      search: (request) => knowledge().search(request),
      map: (options) => knowledge().map({ ...options, countTokens }),
      why: (place, signal) => knowledge().why(place, signal),
      async importHistory(name, text) {
        const turns = parseHistoryLines(text, name);
        if (turns.length === 0)
          throw new SylkError({
            code: "HISTORY_EMPTY",
            tier: "user_fixable",
            message: `${name} holds no entries`,
            fix: "give a file with one JSON object a line",
          });
        const store = await parts.store();
        const content = await store.blobs.put(text);
        await store.journal.append("knowledge", "any", [historyImported.create({ name, turns: turns.length, content }, { actor: "user" })]);
        const added = await knowledge().addTurns(`import:${name}`, turns);
        return { turns: turns.length, added };
      },
      status: () => knowledge().status(),
      verify: () => knowledge().verify(),
      async rebuild(options) {
        await knowledge().reset();
        return index(options);
      },
    },
  };
}
