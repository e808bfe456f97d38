import type { Language } from "./language.ts";
import { npm } from "./install.ts";

export const bash: Language = {
  id: "bash",
  extensions: [".sh", ".bash"],
  tools: {
    linter: { id: "shellcheck" },
    formatter: { id: "shfmt", install: ["go", "install", "mvdan.cc/sh/v3/cmd/shfmt@latest"] },
    lsp: { id: "bash-language-server", install: npm("bash-language-server") },
    test_framework: { id: "bats" },
  },
};
