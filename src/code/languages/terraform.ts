import type { Language } from "./language.ts";

export const terraform: Language = {
  id: "terraform",
  extensions: [".tf", ".tfvars"],
  tools: {
    linter: { id: "tflint" },
    formatter: { id: "terraform-fmt" },
    type_checker: { id: "terraform-validate" },
    lsp: { id: "terraform-ls" },
  },
};
