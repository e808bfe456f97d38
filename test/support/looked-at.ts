/** A folder whose every file may be given to language servers. */
import { readFileSync } from "node:fs";
import path from "node:path";
import type { LookedAt } from "../../src/tooling/index.ts";

export const lookedAt = (folder: string): LookedAt => ({
  folder,
  text: (file) => {
    try {
      return Promise.resolve(readFileSync(path.resolve(folder, file), "utf8"));
    } catch {
      return Promise.resolve(undefined);
    }
  },
});
