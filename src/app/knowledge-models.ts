/** The models that knowledge may use, each behind the one gate: vectors when configured. */
import { isSylkError } from "../kernel/index.ts";
import type { CallFacts, ModelGate } from "../model/index.ts";
import type { Embedder } from "../knowledge/index.ts";

export interface KnowledgeModelParts {
  gate: () => Promise<ModelGate>;
  /** `builtin/lexical` or provider/model. */
  embeddingModel: () => string;
}

const BUILTIN = /^builtin\//u;

function facts(purpose: string): CallFacts {
  return {
    role: "librarian",
    session: "knowledge",
    task: "knowledge",
    step: 0,
    phase: "knowledge",
    purpose,
    // Reading ahead must not hold up work.
    priority: 20,
    lane: "pipeline",
  };
}

export interface KnowledgeModels {
  embedder(): Embedder | undefined;
}

export function createKnowledgeModels(parts: KnowledgeModelParts): KnowledgeModels {
  return {
    embedder() {
      const model = parts.embeddingModel();
      if (BUILTIN.test(model)) return undefined;
      return {
        model,
        async embed(texts, signal) {
          try {
            const result = await (await parts.gate()).embed({ ...facts("embed"), model, texts }, signal);
            if (result.kind === "ok") return { kind: "ok", vectors: result.vectors };
            return { kind: "failed", reason: result.kind === "aborted" ? result.reason : result.error.message };
          } catch (error) {
            // A gate that does not open is one more way in which there is no model.
            if (isSylkError(error)) return { kind: "failed", reason: error.message };
            throw error;
          }
        },
      };
    },
  };
}
