/** Line-wise three-way merge by `git merge-file`, with the disputed places cut out one by one. */
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { mkdirSync } from "node:fs";
import path from "node:path";
import { type Clock, systemPaths } from "../../kernel/index.ts";
import { SIDE_NAMES, type Hunk, type MergedLines } from "../../code/lines/index.ts";
import { createGit } from "./git.ts";

/** Long enough that no file has such a line by chance; turned back to the usual seven afterwards. */
const MARKER = 31;

/** Undefined for binary content. */
export async function plainMerge(
  base: string | Buffer,
  ours: string | Buffer,
  theirs: string | Buffer,
  clock: Clock,
): Promise<MergedLines | undefined> {
  mkdirSync(systemPaths.temp("merge"), { recursive: true });
  const dir = await mkdtemp(path.join(systemPaths.temp("merge"), "m-"));
  try {
    await Promise.all([
      writeFile(path.join(dir, "base"), base),
      writeFile(path.join(dir, "ours"), ours),
      writeFile(path.join(dir, "theirs"), theirs),
    ]);
    const args = [
      "merge-file",
      "-p",
      "--diff3",
      `--marker-size=${MARKER}`,
      "-L",
      SIDE_NAMES.theirs,
      "-L",
      SIDE_NAMES.base,
      "-L",
      SIDE_NAMES.ours,
      "theirs",
      "base",
      "ours",
    ];
    const accept = Array.from({ length: 127 }, (_, i) => i + 1);
    const result = await createGit(dir, clock).run(args, { accept: [...accept, 255] });
    if (result.code === 255) return undefined;
    return cutHunks(result.stdout.toString("utf8"));
  } finally {
    await rm(dir, { recursive: true, force: true });
  }
}

type Side = "theirs" | "base" | "ours";

function cutHunks(text: string): MergedLines {
  const hunks: Hunk[] = [];
  const starts: Record<string, Side | "end"> = {
    [`${"<".repeat(MARKER)} ${SIDE_NAMES.theirs}`]: "theirs",
    [`${"|".repeat(MARKER)} ${SIDE_NAMES.base}`]: "base",
    ["=".repeat(MARKER)]: "ours",
    [`${">".repeat(MARKER)} ${SIDE_NAMES.ours}`]: "end",
  };
  let hunk: Hunk | undefined;
  let side: Side = "theirs";
  const out: string[] = [];
  for (const [i, line] of text.split("\n").entries()) {
    const mark = starts[line.replace(/\r$/u, "")];
    if (mark === undefined) {
      if (hunk !== undefined) hunk[side] += `${line}\n`;
      out.push(line);
      continue;
    }
    if (mark === "end") {
      if (hunk !== undefined) hunks.push(hunk);
      hunk = undefined;
    } else {
      if (mark === "theirs") hunk = { line: i + 1, base: "", ours: "", theirs: "" };
      side = mark;
    }
    out.push(line.replace(/^([<>|=])\1+/u, "$1$1$1$1$1$1$1"));
  }
  return { text: out.join("\n"), hunks };
}
