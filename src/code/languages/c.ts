import type { Language } from "./language.ts";

export const c: Language = {
  id: "c",
  extensions: [".c", ".h"],
  tools: {
    linter: { id: "clang-tidy" },
    formatter: { id: "clang-format" },
    type_checker: { id: "clang" },
    lsp: { id: "clangd" },
    test_framework: { id: "ctest" },
  },
};
