/** What is known about the project: reading it in, searching, asking, and keeping it sound. */
import type { LiveHub } from "../../step/index.ts";
import type { CommandHandlers, QueryHandlers } from "../create-api.ts";
import type { ProjectKnowledge } from "../../knowledge/index.ts";
import { wire } from "./wire.ts";

export function knowledgeHandlers({ knowledge, live }: { knowledge: () => Promise<ProjectKnowledge>; live: LiveHub["sink"] }) {
  const options = (signal: AbortSignal): Parameters<ProjectKnowledge["index"]>[0] => ({
    signal,
    onProgress: ({ phase, done, total }) => live({ type: "progress", about: "index", what: phase, done, total }),
  });
  return {
    commands: {
      "knowledge.index": async (_, signal) => (await knowledge()).index(options(signal)),
      "knowledge.refresh": async ({ whole }, signal) => (await knowledge()).refresh({ ...options(signal), whole }),
      "knowledge.watch": async (_, signal) => {
        for await (const report of (await knowledge()).watch(signal)) live({ type: "indexed", report });
        return null;
      },
      "knowledge.rebuild": async (_, signal) => (await knowledge()).rebuild(options(signal)),
      "knowledge.import_history": async ({ name, text }) => (await knowledge()).importHistory(name, text),
      "knowledge.add_document": async ({ document }) => (await knowledge()).addDocument(document),
      "knowledge.resolve_conflict": async ({ id, resolution }) => (await knowledge()).resolveConflict(id, resolution),
    } satisfies Partial<CommandHandlers>,
    queries: {
      "knowledge.search": async ({ path_glob: pathGlob, ...request }, signal) =>
        wire(await (await knowledge()).search({ ...request, pathGlob, signal })),
      "knowledge.ask": async ({ with_model: withModel, ...question }, signal) =>
        wire(await (await knowledge()).ask({ ...question, ...(withModel === true ? { model: "always" as const } : {}), signal })),
      "knowledge.map": async ({ budget_tokens: budgetTokens, folder }) => (await knowledge()).map({ budgetTokens, folder }),
      "knowledge.why": async (place, signal) => wire(await (await knowledge()).why(place, signal)),
      "knowledge.node": async ({ id }) => wire((await knowledge()).graph().resolve(id)) ?? null,
      "knowledge.conflicts": async () => wire(await (await knowledge()).conflicts()),
      "knowledge.health": async ({ folder }, signal) => (await knowledge()).health(folder ?? ".", signal),
      "knowledge.status": async () => {
        const known = await knowledge();
        return { ...wire(known.status()), doubted: await known.doubted() };
      },
      "knowledge.verify": async () => ({ problem: (await knowledge()).verify() ?? null }),
    } satisfies Partial<QueryHandlers>,
  };
}
