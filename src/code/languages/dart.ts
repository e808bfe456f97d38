import type { Language } from "./language.ts";

export const dart: Language = {
  id: "dart",
  extensions: [".dart"],
  tools: {
    linter: { id: "dart-analyze" },
    formatter: { id: "dart-format" },
    type_checker: { id: "dart-analyze" },
    lsp: { id: "dart" },
    test_framework: { id: "dart-test" },
  },
};
