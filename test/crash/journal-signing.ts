/** Signed often, so that many of the kills come between a statement and its marks outside. */
import path from "node:path";
import type { StoreOptions } from "../../src/journal/index.ts";

export function signingBeside(file: string): NonNullable<StoreOptions["signing"]> {
  const dir = path.dirname(file);
  return {
    keyFile: path.join(dir, "key.pem"),
    anchorFile: path.join(dir, "anchor.json"),
    interval: 5,
    ledger: { file: path.join(dir, "journals.db"), journal: "killed" },
  };
}
