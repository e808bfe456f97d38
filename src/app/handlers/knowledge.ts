/** What is known about the project: reading it in, searching, asking, and keeping it sound. */
import type { LiveSink } from "../../protocol/api/index.ts";
import type { CommandHandlers, QueryHandlers } from "../create-api.ts";
import type { ProjectKnowledge } from "../../knowledge/index.ts";
import { wire } from "./wire.ts";

export function knowledgeHandlers({ knowledge, live }: { knowledge: ProjectKnowledge; live: LiveSink }) {
  const options = (signal: AbortSignal): Parameters<ProjectKnowledge["index"]>[0] => ({
    signal,
    onProgress: ({ phase, done, total }) => live({ type: "progress", about: "index", what: phase, done, total }),
  });
  return {
    commands: {
      "knowledge.index": (_, signal) => knowledge.index(options(signal)),
      "knowledge.refresh": async (_, signal) => {
        await knowledge.refresh(options(signal));
        return null;
      },
      "knowledge.watch": async (_, signal) => {
        for await (const report of knowledge.watch(signal)) live({ type: "indexed", report });
        return null;
      },
      "knowledge.rebuild": (_, signal) => knowledge.rebuild(options(signal)),
      "knowledge.import_history": ({ name, text }) => knowledge.importHistory(name, text),
      "knowledge.add_document": ({ document }) => knowledge.addDocument(document),
      "knowledge.resolve_conflict": ({ id, resolution }) => knowledge.resolveConflict(id, resolution),
    } satisfies Partial<CommandHandlers>,
    queries: {
      "knowledge.search": async ({ path_glob: pathGlob, ...request }, signal) =>
        wire(await knowledge.search({ ...request, pathGlob, signal })),
      "knowledge.ask": async ({ with_model: withModel, ...question }, signal) =>
        wire(await knowledge.ask({ ...question, ...(withModel === true ? { model: "always" as const } : {}), signal })),
      "knowledge.map": async ({ budget_tokens: budgetTokens, folder }) => knowledge.map({ budgetTokens, folder }),
      "knowledge.why": async (place, signal) => wire(await knowledge.why(place, signal)),
      "knowledge.node": async ({ id }) => wire(knowledge.graph().resolve(id)) ?? null,
      "knowledge.conflicts": async () => wire(await knowledge.conflicts()),
      "knowledge.status": async () => wire(knowledge.status()),
      "knowledge.verify": async () => ({ problem: knowledge.verify() ?? null }),
    } satisfies Partial<QueryHandlers>,
  };
}
