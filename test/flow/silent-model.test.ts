/** A model that says nothing, or never comes to an end: one deadline for the whole step, and a word meanwhile. */
import { expect, test } from "vitest";
import { modelConfigSchema } from "../../src/model/config.ts";
import { asked } from "./silent-model.ts";

test("23: a model may take ten minutes to its first word, and a step waits once, longer than that", () => {
  const { stream, stepTimeoutMs, maxDurationMs } = modelConfigSchema.parse({});
  expect(stream.firstPartTimeoutMs).toBe(600_000);
  expect(Math.min(stepTimeoutMs, maxDurationMs)).toBeGreaterThan(stream.firstPartTimeoutMs);
});

test("V18: an answer that drips for ever ends with the step's deadline", async () => {
  const { code } = await asked({ text: ".".repeat(20_000), pieceChars: 1, dripMs: 20 }, { step_timeout: "30s" });
  expect(code).toBe("MODEL_TIMEOUT");
});
