/**
 * What differs, file by file: names as git stores them, and each file's own part of the diff. Contents are compared as
 * text whatever attributes or bytes say, and nothing counts as moved: what is new at a place is shown there.
 */
import { SylkError, must } from "../../kernel/index.ts";

export interface TreeChange {
  path: string;
  status: "added" | "modified" | "deleted";
  oldMode: string;
  newMode: string;
  /** Object ids; all zero where there is no file. */
  oldBlob: string;
  newBlob: string;
}

export interface FileDiff extends TreeChange {
  /** Undefined where there is too much of it. */
  text: string | undefined;
  /** Of the larger side, as far as git has it. */
  bytes: number;
}

/** Of git only what is needed here. */
interface Runs {
  run(args: readonly string[], options: { input?: string | undefined; signal?: AbortSignal | undefined }): Promise<{ stdout: Buffer }>;
}

/** Sides longer than this are not compared; of the others as many as this holds, the small ones first. */
const MAX_FILE_BYTES = 4 * 1024 * 1024;
const MAX_ALL_BYTES = 64 * 1024 * 1024;
const RAW = ["--raw", "-z", "--no-renames", "--no-abbrev"];
const PATCH = ["--patch", "--text", "--no-renames", "--no-color", "--src-prefix=a/", "--dst-prefix=b/"];
/** What git says of a file whose merge is not settled. */
const UNMERGED = "U";

export function parseRawDiff(output: Buffer, prefix: string): TreeChange[] {
  const parts = output.toString("utf8").split("\0");
  const changes: TreeChange[] = [];
  for (let i = 0; i + 1 < parts.length; i += 2) {
    const [oldMode = "", newMode = "", oldBlob = "", newBlob = "", status = ""] = must(parts[i]).replace(/^:/u, "").split(" ");
    const file = must(parts[i + 1]);
    if (!file.startsWith(prefix) || status === UNMERGED) continue;
    changes.push({
      path: file.slice(prefix.length),
      status: status === "A" ? "added" : status === "D" ? "deleted" : "modified",
      oldMode,
      newMode,
      oldBlob,
      newBlob,
    });
  }
  return changes;
}

async function sizesOf(git: Runs, changes: readonly TreeChange[], signal: AbortSignal | undefined): Promise<number[]> {
  if (changes.length === 0) return [];
  const input = changes.map(({ oldBlob, newBlob }) => `${oldBlob}\n${newBlob}\n`).join("");
  const { stdout } = await git.run(["cat-file", "--batch-check=%(objectsize)"], { input, signal });
  const sizes = stdout.toString("utf8").split("\n").map(Number);
  return changes.map((_, index) => Math.max(sizes[2 * index] || 0, sizes[2 * index + 1] || 0));
}

/** Which of them are compared. */
function withinBounds(sizes: readonly number[]): Set<number> {
  let left = MAX_ALL_BYTES;
  const kept = new Set<number>();
  for (const [index, bytes] of [...sizes.entries()].toSorted(([, a], [, b]) => a - b)) {
    if (bytes > Math.min(left, MAX_FILE_BYTES)) break;
    left -= bytes;
    kept.add(index);
  }
  return kept;
}

/** A file that becomes a link, or the other way, is told in two parts. */
const partsOf = ({ status, oldMode, newMode }: TreeChange): number =>
  status === "modified" && oldMode.slice(0, 2) !== newMode.slice(0, 2) ? 2 : 1;

/** Only a line feed ends a line of git's, and no line of contents begins without a mark. */
function patches(output: Buffer): string[] {
  const parts = output.toString("latin1").split(/(?<=^|\n)(?=diff --git )/u);
  return parts.filter((part) => part.startsWith("diff --git ")).map((part) => Buffer.from(part, "latin1").toString("utf8"));
}

/** `range`: two trees or commits, or one and the folder as it stands; `prefix`: only what is below, and named from there. */
export async function fileDiffs(
  git: Runs,
  range: readonly string[],
  { prefix = "", signal }: { prefix?: string; signal?: AbortSignal | undefined } = {},
): Promise<FileDiff[]> {
  const changes = parseRawDiff((await git.run(["diff", ...RAW, ...range], { signal })).stdout, prefix);
  const sizes = await sizesOf(git, changes, signal);
  const kept = withinBounds(sizes);
  const without = changes.flatMap(({ path }, index) => (kept.has(index) ? [] : [`:(top,literal,exclude)${prefix}${path}`]));
  const relative = prefix === "" ? [] : [`--relative=${prefix}`];
  const only = without.length === 0 ? [] : ["--", ":(top)", ...without];
  const texts = kept.size === 0 ? [] : patches((await git.run(["diff", ...PATCH, ...relative, ...range, ...only], { signal })).stdout);
  let at = 0;
  const found = changes.map((change, index) => {
    const parts = kept.has(index) ? partsOf(change) : 0;
    at += parts;
    return { ...change, bytes: sizes[index] ?? 0, text: parts === 0 ? undefined : texts.slice(at - parts, at).join("") };
  });
  if (at !== texts.length)
    throw new SylkError({ code: "GIT_FAILED", tier: "transient", message: "files changed while they were compared" });
  return found;
}
