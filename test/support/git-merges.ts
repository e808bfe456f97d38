/** Git's merge of many texts at once. */
import { execFileSync } from "node:child_process";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import type { MergedLines } from "../../src/code/lines/index.ts";

interface Texts {
  base: string;
  ours: string;
  theirs: string;
}

export function gitMerges(cases: readonly Texts[]): MergedLines[] {
  const dir = mkdtempSync(path.join(existsSync("/dev/shm") ? "/dev/shm" : tmpdir(), "sylk-merges-"));
  try {
    return mergeIn(cases, dir);
  } finally {
    rmSync(dir, { recursive: true });
  }
}

/** One git merges all of them: a process each is what costs. */
function mergeIn(cases: readonly Texts[], dir: string): MergedLines[] {
  const git = (input: string, ...args: string[]): string =>
    execFileSync("git", args, { cwd: dir, input, maxBuffer: 1 << 28, stdio: ["pipe", "pipe", "ignore"] }).toString("utf8");
  git("", "init", "-q", ".");
  const sides = ["base", "theirs", "ours"] as const;
  const data = (text: string): string => `data ${Buffer.byteLength(text)}\n${text}\n`;
  const commits = cases.flatMap((texts, i) =>
    sides.map(
      (side) =>
        `commit refs/heads/${side}${i}\ncommitter t <t@t> 0 +0000\n${data("")}${side === "base" ? "" : `from refs/heads/base${i}\n`}M 100644 inline f\n${data(texts[side])}\n`,
    ),
  );
  git(commits.join(""), "fast-import", "--quiet");
  const merges = cases.map((_, i) => `theirs${i} ours${i}\n`).join("");
  const fields = git(merges, "merge-tree", "--stdin", "--name-only", "--no-messages", "-z").split("\0");
  const trees: { clean: boolean; tree: string }[] = [];
  for (let at = 0; trees.length < cases.length;) {
    const [status, tree] = [fields[at] as string, fields[at + 1] as string];
    trees.push({ clean: status === "1", tree });
    at += 2;
    while (fields[at] !== "" && fields[at] !== undefined) at += 1;
    at += 1;
  }
  const out = git(trees.map(({ tree }) => `${tree}:f\n`).join(""), "cat-file", "--batch");
  let at = 0;
  return trees.map(({ clean }) => {
    const end = out.indexOf("\n", at);
    const size = Number(out.slice(at, end).split(" ")[2]);
    const text = out.slice(end + 1, end + 1 + size);
    at = end + 2 + size;
    return { text, hunks: clean ? [] : [{ line: 1, base: "", ours: "", theirs: "" }] };
  });
}
