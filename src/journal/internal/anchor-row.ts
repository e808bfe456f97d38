/** The newest signed statement as it is kept outside the journal, and what can be found in its place. */
import { readFileSync } from "node:fs";
import { z } from "zod";
import { messageOf, systemCode } from "../../kernel/index.ts";

const anchorRowSchema = z.object({
  /** Of the statement in the journal; 0 before the first. */
  number: z.int().nonnegative(),
  statement: z.string(),
  public_key: z.string(),
  /** Base64. */
  signature: z.string(),
});

export type AnchorRow = z.output<typeof anchorRowSchema>;

export type Kept = { kind: "kept"; row: AnchorRow } | { kind: "missing" } | { kind: "unreadable"; why: string };

export function readAnchorFile(file: string): Kept {
  let text: string;
  try {
    text = readFileSync(file, "utf8");
  } catch (error) {
    const code = systemCode(error);
    return code === "ENOENT" || code === "ENOTDIR" ? { kind: "missing" } : { kind: "unreadable", why: messageOf(error) };
  }
  try {
    return { kind: "kept", row: anchorRowSchema.parse(JSON.parse(text)) };
  } catch {
    return { kind: "unreadable", why: "it holds no signed statement" };
  }
}
