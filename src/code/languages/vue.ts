import type { Language } from "./language.ts";
import { npm } from "./install.ts";

export const vue: Language = {
  id: "vue",
  extensions: [".vue"],
  packageScripts: true,
  tools: {
    linter: { id: "eslint", install: npm("eslint", "eslint-plugin-vue") },
    formatter: { id: "prettier", install: npm("prettier") },
    type_checker: { id: "vue-tsc", install: npm("vue-tsc") },
    lsp: { id: "vue-language-server", install: npm("@vue/language-server") },
    test_framework: { id: "vitest", install: npm("vitest") },
  },
};
