import type { Language } from "./language.ts";

export const csharp: Language = {
  id: "csharp",
  extensions: [".cs"],
  testName: /(?:Test|Tests|Spec|IT)$/u,
  tools: {
    linter: { id: "dotnet-format" },
    formatter: { id: "dotnet-format" },
    type_checker: { id: "dotnet-build" },
    lsp: { id: "omnisharp" },
    test_framework: { id: "dotnet-test" },
  },
};
