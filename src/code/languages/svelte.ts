import type { Language } from "./language.ts";
import { npm } from "./install.ts";

export const svelte: Language = {
  id: "svelte",
  extensions: [".svelte"],
  packageScripts: true,
  tools: {
    linter: { id: "eslint", install: npm("eslint", "eslint-plugin-svelte") },
    formatter: { id: "prettier", install: npm("prettier", "prettier-plugin-svelte") },
    type_checker: { id: "svelte-check", install: npm("svelte-check") },
    lsp: { id: "svelte-language-server", install: npm("svelte-language-server") },
    test_framework: { id: "vitest", install: npm("vitest") },
  },
};
