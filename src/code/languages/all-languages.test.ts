import { readdirSync } from "node:fs";
import { expect, test } from "vitest";
import { captureCode } from "../syntax/parse-code.ts";
import { LANGUAGES } from "./all-languages.ts";
import { grammarFor, languageById, languageOf } from "./find-language.ts";

test("every ending belongs to one language, and every language is found by its name and its endings", () => {
  const endings = LANGUAGES.flatMap((language) => language.extensions);
  expect(new Set(endings).size).toBe(endings.length);
  for (const language of LANGUAGES) {
    expect(languageById(language.id)).toBe(language);
    for (const ending of language.extensions) expect(languageOf(ending)).toBe(language);
  }
});

test("every language has a file of its own name", () => {
  const files = readdirSync(import.meta.dirname);
  expect(LANGUAGES.filter((language) => !files.includes(`${language.id}.ts`))).toEqual([]);
});

test.each(LANGUAGES.filter((language) => language.grammars !== undefined).map((language) => [language.id, language] as const))(
  "%s: each ending has a grammar, its query fits it, and what the index and the merge need is there",
  async (_, language) => {
    for (const ending of language.extensions) {
      const { name, query } = grammarFor(ending) ?? { name: "no grammar", query: "" };
      expect(await captureCode(name, "", query)).toEqual({ matches: [], broken: false });
    }
    expect(language.merge).toBeDefined();
    expect(language.filesOf).toBeDefined();
    expect(language.defines).not.toEqual([]);
  },
);
