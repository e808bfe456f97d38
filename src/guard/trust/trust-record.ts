/**
 * What a user said about a folder, in the user's own space: which things it brings may be used and which
 * may not, each by the hash of what was shown. A record that others could have written counts for nothing.
 */
import { closeSync, constants, fstatSync, openSync, readFileSync } from "node:fs";
import path from "node:path";
import { z } from "zod";
import { messageOf, systemCode, writeFileAtomic, type ProjectDirs, wording } from "../../kernel/index.ts";

const BROUGHT_KINDS = [
  "setting",
  "skill",
  "role",
  "prompt",
  "task_type",
  "flow",
  "hook",
  "command",
  "mcp_server",
  "tool",
  "skill_template",
  "memory",
  "check",
] as const;

const broughtSchema = z.strictObject({
  kind: z.enum(BROUGHT_KINDS),
  /** A path below the project, the name of a setting or of a check. */
  name: z.string(),
  hash: z.string(),
});
export type Brought = z.output<typeof broughtSchema>;

const recordSchema = z.strictObject({
  version: z.literal(1),
  trusted: z.array(broughtSchema),
  refused: z.array(broughtSchema),
});
export type TrustRecord = z.output<typeof recordSchema>;

export interface ReadRecord {
  record: TrustRecord;
  /** Why what is there does not count. */
  problem?: string | undefined;
}

const NOTHING: TrustRecord = { version: 1, trusted: [], refused: [] };
const OTHERS = 0o077;

export function trustFile(project: ProjectDirs): string {
  return path.join(project.private, "trust.json");
}

export function readTrustRecord(file: string): ReadRecord {
  const useless = (why: string): ReadRecord => ({ record: NOTHING, problem: `${file} ${why}, so this folder is not trusted` });
  let fd: number | undefined;
  try {
    fd = openSync(file, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    const found = fstatSync(fd);
    const me = process.getuid?.();
    if (!found.isFile()) return useless("is not a regular file");
    if (me !== undefined && found.uid !== me) return useless("belongs to somebody else");
    if (me !== undefined && (found.mode & OTHERS) !== 0) return useless("can be read or written by others");
    return { record: recordSchema.parse(JSON.parse(readFileSync(fd, "utf8"))) };
  } catch (error) {
    if (systemCode(error) === "ENOENT") return { record: NOTHING };
    if (systemCode(error) === "ELOOP") return useless("is a link");
    return useless(`cannot be used (${error instanceof z.ZodError ? wording.issues(error) : messageOf(error).split("\n")[0]})`);
  } finally {
    if (fd !== undefined) closeSync(fd);
  }
}

export function writeTrustRecord(file: string, record: TrustRecord): void {
  writeFileAtomic(file, `${JSON.stringify(record, undefined, 2)}\n`, { mode: 0o600 });
}
