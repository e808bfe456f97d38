import { plainQuery, script, typedQuery } from "./script.ts";
import type { Language } from "./language.ts";

export const javascript: Language = {
  ...script,
  id: "javascript",
  extensions: [".js", ".jsx", ".mjs", ".cjs"],
  grammars: [
    { name: "javascript", extensions: [".js", ".mjs", ".cjs"], query: plainQuery },
    { name: "tsx", extensions: [".jsx"], query: typedQuery },
  ],
};
