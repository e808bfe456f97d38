import type { Language } from "./language.ts";

export const ruby: Language = {
  id: "ruby",
  extensions: [".rb", ".rake"],
  tools: {
    linter: { id: "rubocop", install: ["gem", "install", "rubocop"] },
    formatter: { id: "rubocop", install: ["gem", "install", "rubocop"] },
    type_checker: { id: "sorbet", install: ["gem", "install", "sorbet"] },
    lsp: { id: "ruby-lsp", install: ["gem", "install", "ruby-lsp"] },
    test_framework: { id: "rspec", install: ["gem", "install", "rspec"] },
  },
};
