/** The models that knowledge may use, each behind the one gate: for vectors, for reranking, for answers. */
import { readFileSync } from "node:fs";
import { z } from "zod";
import { SylkError, systemPaths } from "../kernel/index.ts";
import type { CallFacts, ModelGate, ModelRequest } from "../model/index.ts";
import type { KnowledgeModels } from "./models.ts";
import { DEFAULT_SESSION } from "../protocol/events/index.ts";

export interface KnowledgeModelParts {
  gate: () => Promise<ModelGate>;
  /** `builtin/lexical` or provider/model. */
  embeddingModel: () => string;
  /** For reranking and for answers; undefined when none is set up. */
  rerankModel: () => string | undefined;
  answerModel: () => string | undefined;
}

const BUILTIN = /^builtin\//u;
const LIMITS = { rerankTokens: 400, answerTokens: 1_500, timeoutMs: 60_000 };

function facts(purpose: string, urgent: boolean): CallFacts {
  return {
    role: "librarian",
    session: DEFAULT_SESSION,
    task: "knowledge",
    step: 0,
    phase: "knowledge",
    purpose,
    // Someone waits for an answer; reading ahead must not hold up work.
    priority: urgent ? 100 : 20,
    lane: urgent ? "user" : "pipeline",
  };
}

const order = z.object({ order: z.array(z.int()).describe("numbers of the candidates, best first") });

const evaluation = z.object({
  sufficient: z.boolean(),
  confidence: z.number().min(0).max(1),
  refined_query: z.string().default(""),
  selected: z.array(z.int()).describe("numbers of the candidates that bear on the question"),
});

/** A gate that does not open is one more way in which there is no model. */
async function attempt<T>(work: () => Promise<T>): Promise<T | { kind: "failed"; reason: string }> {
  try {
    return await work();
  } catch (error) {
    if (SylkError.is(error)) return { kind: "failed", reason: error.message };
    throw error;
  }
}

export function createGateModels(parts: KnowledgeModelParts): KnowledgeModels {
  const prompt = (name: string): string => readFileSync(systemPaths.shipped("prompts", `${name}.md`), "utf8");
  const request = (purpose: string, model: string, system: string, user: string, maxOutputTokens: number): ModelRequest => ({
    ...facts(purpose, true),
    model,
    system,
    user,
    tools: [],
    maxOutputTokens,
    timeoutMs: LIMITS.timeoutMs,
  });
  return {
    embedder() {
      const model = parts.embeddingModel();
      if (BUILTIN.test(model)) return undefined;
      return {
        model,
        embed: (texts, signal) =>
          attempt(async () => {
            const result = await (await parts.gate()).embed({ ...facts("embed", texts.length === 1), model, texts }, signal);
            if (result.kind === "ok") return { kind: "ok" as const, vectors: result.vectors };
            return { kind: "failed" as const, reason: result.kind === "aborted" ? result.reason : result.error.message };
          }),
      };
    },
    reranker() {
      const model = parts.rerankModel();
      if (model === undefined) return undefined;
      return {
        model,
        rerank: (question, items, signal) =>
          attempt(async () => {
            const candidates = items.map(({ n, text }) => `<candidate number="${n}">\n${text}\n</candidate>`).join("\n");
            const user = `${candidates}\n\n<question>\n${question}\n</question>`;
            const call = request("rerank", model, prompt("knowledge.rerank"), user, LIMITS.rerankTokens);
            const result = await (await parts.gate()).object(call, order, signal);
            if (result.kind === "ok") return { kind: "ok" as const, order: result.value.order };
            return { kind: "failed" as const, reason: result.kind === "aborted" ? result.reason : result.error.message };
          }),
      };
    },
    evaluator() {
      const model = parts.rerankModel();
      if (model === undefined) return undefined;
      return {
        model,
        evaluate: ({ question, known, candidates }, signal) =>
          attempt(async () => {
            const user = [
              known.length === 0 ? "" : `Kept so far:\n${known.join("\n")}`,
              candidates.map(({ n, text }) => `<candidate number="${n}">\n${text}\n</candidate>`).join("\n"),
              `<question>\n${question}\n</question>`,
            ]
              .filter((part) => part !== "")
              .join("\n\n");
            const call = request("evaluate", model, prompt("knowledge.evaluate"), user, LIMITS.rerankTokens);
            const result = await (await parts.gate()).object(call, evaluation, signal);
            if (result.kind !== "ok")
              return { kind: "failed" as const, reason: result.kind === "aborted" ? result.reason : result.error.message };
            const { sufficient, confidence, refined_query, selected } = result.value;
            return { kind: "ok" as const, sufficient, confidence, refinedQuery: refined_query, selected };
          }),
      };
    },
    answerer() {
      const model = parts.answerModel();
      if (model === undefined) return undefined;
      return {
        model,
        answer: ({ question, sources, conflicts, task }, signal) =>
          attempt(async () => {
            const user = [
              conflicts === "" ? "" : `Contradictions found:\n${conflicts}`,
              sources,
              `<question>\n${question}\n</question>`,
              task ?? "",
              "Cite the sources by their numbers.",
            ]
              .filter((part) => part !== "")
              .join("\n\n");
            const call = request("answer", model, prompt("knowledge.answer"), user, LIMITS.answerTokens);
            const result = await (await parts.gate()).stream(call, signal).result();
            const tokens = result.usage.inputTokens + result.usage.outputTokens;
            if (result.kind === "ok" && result.text.trim() !== "") return { kind: "ok" as const, text: result.text.trim(), tokens };
            const reason = result.kind === "ok" ? "it said nothing" : result.kind === "aborted" ? result.reason : result.error.message;
            return { kind: "failed" as const, reason };
          }),
      };
    },
  };
}
