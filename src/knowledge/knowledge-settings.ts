/** What a user may set about searching, answering and judging a codebase. */
import { z } from "zod";
import { units } from "../kernel/config/index.ts";
import type { ModelUse } from "./answer/resolve-question.ts";

export const knowledgeSettingsSchema = z
  .strictObject({
    answer_with_model: z
      .enum(["never", "when_unsure", "always"] satisfies ModelUse[])
      .default("never")
      .describe("when `sylk ask` lets a model answer: never, when_unsure (the sources alone do not answer), always"),
    suggest_existing: z
      .boolean()
      .default(true)
      .describe("when an agent writes a new exported function or class, those of the project that do nearly the same are named"),
    retrieval: z
      .strictObject({
        initial_k: z.int().min(1).max(50).default(8).describe("results of each look"),
        max_depth: z.int().min(1).max(10).default(3).describe("looks at most"),
        confidence_threshold: units.ratio(0.8).describe("sure enough to stop"),
        max_retrieval_tokens: z.int().min(200).default(8_000),
      })
      .prefault({})
      .describe("how research looks again with better words"),
    health: z
      .strictObject({
        greenfield_below: z.int().min(0).default(10).describe("fewer source files than this are no codebase yet"),
        legacy_below: units.ratio(0.5).describe("patterns that agree less than this cannot be relied on"),
        disciplined_from: units.ratio(0.8).describe("patterns that agree this far may be disciplined"),
        disciplined_coverage: z.number().min(0).max(100).default(70).describe("percent of the lines that tests run, for disciplined"),
      })
      .prefault({})
      .describe("which part of the project counts as greenfield, legacy, transitional or disciplined"),
  })
  .prefault({});
