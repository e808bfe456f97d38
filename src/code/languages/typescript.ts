import { script, typedQuery } from "./script.ts";
import type { Language } from "./language.ts";

export const typescript: Language = {
  ...script,
  id: "typescript",
  extensions: [".ts", ".tsx", ".mts", ".cts"],
  grammars: [
    { name: "typescript", extensions: [".ts", ".mts", ".cts"], query: typedQuery },
    { name: "tsx", extensions: [".tsx"], query: typedQuery },
  ],
};
