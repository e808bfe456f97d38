import type { Language } from "./language.ts";

export const elixir: Language = {
  id: "elixir",
  extensions: [".ex", ".exs"],
  tools: {
    linter: { id: "credo", install: ["mix", "deps.get"] },
    formatter: { id: "mix-format" },
    type_checker: { id: "dialyzer" },
    lsp: { id: "elixir-ls" },
    test_framework: { id: "mix-test" },
  },
};
