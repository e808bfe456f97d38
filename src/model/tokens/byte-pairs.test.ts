import { readdirSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";
import fc from "fast-check";
import { countTokens as counted } from "gpt-tokenizer/encoding/o200k_base";
import { expect, test } from "vitest";
import { createTokenCounter } from "./byte-pairs.ts";

const count = createTokenCounter(readFileSync(createRequire(import.meta.url).resolve("gpt-tokenizer/data/o200k_base.tiktoken")));
const expected = (text: string): number => counted(text, { disallowedSpecial: new Set() });

test("counts as the tokenizer package does: sources, numbers, scripts, marks, emoji, white space, special words", () => {
  const texts = [
    "",
    " ",
    "\n\n\t \r\n  x",
    "don't WE'LL o'clock McDonald XMLHttpRequest",
    "0 12 345 6789 1_000.5e-3 ١٢٣",
    "Straße naïve Ελλάδα Москва שלום مرحبا नमस्ते 日本語のテキスト 한국어",
    "👩‍👩‍👧‍👦🏳️‍🌈 a\u0301e\u0301 \u200b",
    "<|endoftext|> <|im_start|>",
    "/* ---- */ //////// ======== \\\\ \"quoted\" 'x' `y`",
    ...readdirSync(path.join(import.meta.dirname, "..")).flatMap((name) =>
      name.endsWith(".ts") ? [readFileSync(path.join(import.meta.dirname, "..", name), "utf8")] : [],
    ),
  ];
  for (const text of texts) expect([text.slice(0, 40), count(text)]).toEqual([text.slice(0, 40), expected(text)]);
});

test("counts as the tokenizer package does, whatever the text", () => {
  const word = fc.oneof(
    fc.string({ unit: "grapheme" }),
    fc.string({ unit: "binary" }),
    fc.string(),
    fc.constantFrom(" ", "\n", "  ", "Ab", "aB'll", "12345"),
  );
  fc.assert(
    fc.property(fc.array(word, { maxLength: 12 }), (words) => {
      // The package loses the token of the byte-order mark when it turns bytes into text.
      const text = words.join("").replaceAll("\ufeff", "");
      expect(count(text)).toBe(expected(text));
    }),
    { numRuns: 400 },
  );
});

test("the byte-order mark is one token, as the vocabulary has it", () => {
  expect(count("\ufeff")).toBe(1);
});
