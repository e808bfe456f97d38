import type { Language } from "./language.ts";

export const cpp: Language = {
  id: "cpp",
  extensions: [".cpp", ".cc", ".cxx", ".hpp", ".hxx"],
  tools: {
    linter: { id: "clang-tidy" },
    formatter: { id: "clang-format" },
    type_checker: { id: "clang" },
    lsp: { id: "clangd" },
    test_framework: { id: "ctest" },
  },
};
