import type { Language } from "./language.ts";

export const kotlin: Language = {
  id: "kotlin",
  extensions: [".kt", ".kts"],
  testName: /(?:Test|Tests|Spec|IT)$/u,
  tools: {
    linter: { id: "ktlint" },
    formatter: { id: "ktlint" },
    type_checker: { id: "kotlinc" },
    lsp: { id: "kotlin-language-server" },
    test_framework: { id: "gradle-test" },
  },
};
