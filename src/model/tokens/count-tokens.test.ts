import { encode } from "gpt-tokenizer/encoding/o200k_base";
import fc from "fast-check";
import { expect, test } from "vitest";
import { Calibration, roughTokens } from "./calibration.ts";
import { countRequestTokens, countTokens } from "./count-tokens.ts";

const exact = (text: string): number => encode(text, { disallowedSpecial: new Set() }).length;

test("LLM-024: counts are the tokenizer's own for ordinary text, special words included", () => {
  for (const text of [
    "",
    "hello world",
    "export function runStep(x: number): string { return `${x}`; }",
    "naïve café 東京 🙂",
    "<|endoftext|>",
  ])
    expect(countTokens(text)).toBe(exact(text));
});

test("long text is counted in pieces with an error below one per cent", () => {
  const code = Array.from({ length: 3000 }, (_, i) => `const value${i} = compute(${i}, "item-${i}");`).join("\n");
  expect(Math.abs(countTokens(code) / exact(code) - 1)).toBeLessThan(0.01);
});

test("LLM-024: a text's passages are counted apart without changing its count", () => {
  const line = fc.oneof(
    fc.constantFrom("", "  ", "\t", "}", "// note", "/path/to", "\r", "  return a;", " ", "\u00a0x", "end;"),
    fc.string({ unit: "grapheme", maxLength: 60 }),
  );
  fc.assert(
    fc.property(fc.array(line, { minLength: 10, maxLength: 60 }), (lines) => {
      const text = lines.join("\n");
      fc.pre(text.length < 4096);
      expect(countTokens(text)).toBe(exact(text));
    }),
    { numRuns: 300 },
  );
});

test("text without any white space and lone surrogates are counted too", () => {
  expect(countTokens("a".repeat(50_000))).toBeGreaterThan(5000);
  expect(countTokens(`\ud83d${"x".repeat(5000)}\ude00`)).toBeGreaterThan(500);
  fc.assert(
    fc.property(fc.string({ unit: "binary", maxLength: 9000, minLength: 3000 }), (text) => countTokens(text) >= 1),
    { numRuns: 10 },
  );
});

test("CTX-001 ~LLM-112: a request's count includes the system message, every message and the tools' schemas", () => {
  const bare = countRequestTokens({ system: "", user: "hi", tools: [] });
  const withSystem = countRequestTokens({ system: "You are careful.", user: "hi", tools: [] });
  const tool = {
    name: "search",
    description: "Searches the code.",
    inputSchema: { type: "object", properties: { query: { type: "string" } } },
  };
  expect(withSystem - bare).toBe(4 + countTokens("You are careful."));
  expect(countRequestTokens({ system: "", user: "hi", tools: [tool] }) - bare).toBeGreaterThan(
    countTokens(JSON.stringify(tool.inputSchema)),
  );
  expect(countRequestTokens({ system: "", user: "", messages: [{ role: "user", content: "hi" }], tools: [] })).toBe(bare);
});

test("the count is calibrated from reported usage for other vocabularies and exact for OpenAI's", () => {
  const calibration = new Calibration(undefined, (provider) => provider);
  const claude = { provider: "anthropic", model: "c" };
  expect(calibration.ratio({ provider: "openai", model: "g" })).toBe(1);
  expect(calibration.ratio(claude)).toBeCloseTo(1.15);
  for (let i = 0; i < 100; i += 1) calibration.observe(claude, 1000, 1300);
  expect(calibration.ratio(claude)).toBeCloseTo(1.297, 2);
  calibration.observe({ provider: "openai", model: "g" }, 1000, 1300);
  expect(calibration.ratio({ provider: "openai", model: "g" })).toBe(1);
});

test("the rough count is above the real one for ordinary text", () => {
  const text = "The quick brown fox jumps over the lazy dog; const answer = 42;\n".repeat(50);
  expect(roughTokens([text])).toBeGreaterThan(exact(text));
});
