/**
 * The commits below HEAD with the paths each changed, read without opening a single file version, so
 * that shallow clones and clones without blobs answer too. What is missing ends the list; it never fails the index.
 * Secrets in messages and names leave here, before anything is stored.
 */
import { createGitReader } from "../../workspace/index.ts";
import type { Clock } from "../../kernel/index.ts";
import type { LoggedCommit, GitHistory } from "../store/commit-writer.ts";

const LOG_LIMITS = { commits: 15_000, filesPerCommit: 400, messageChars: 4_000, readChars: 64_000, timeoutMs: 60_000 };

const FORMAT = "%x01%H%x02%ct%x02%aN%x02%B%x03";
const CHANGES: Readonly<Record<string, "added" | "modified" | "deleted">> = { A: "added", D: "deleted" };

/** Content that left one path and came to another in the same commit is a rename. */
function markRenames(files: { path: string; change: string; from: string; to: string; renamedFrom?: string }[]): void {
  const gone = files.filter((file) => file.change === "deleted");
  if (gone.length === 0 || gone.length > 200) return;
  for (const file of files) {
    if (file.change !== "added") continue;
    const name = file.path.slice(file.path.lastIndexOf("/") + 1);
    const source = gone.find((old) => old.from === file.to) ?? gone.find((old) => old.path.endsWith(`/${name}`) || old.path === name);
    if (source !== undefined) file.renamedFrom = source.path;
  }
}

type Redact = (text: string) => string;

function parseCommit(record: string, prefix: string, redact: Redact): LoggedCommit | undefined {
  const end = record.indexOf("\u0003");
  const [hash, time, author, message] = record.slice(0, end).split("\u0002");
  if (end === -1 || hash === undefined || time === undefined) return undefined;
  const files: { path: string; change: "added" | "modified" | "deleted"; from: string; to: string; renamedFrom?: string }[] = [];
  const parts = record.slice(end + 1).split("\0");
  for (let i = 0; i + 1 < parts.length; i += 1) {
    const raw = /:\d+ \d+ ([\da-f]+) ([\da-f]+) ([A-Z])/u.exec(parts[i] as string);
    if (raw === null) continue;
    const file = parts[(i += 1)] as string;
    if (!file.startsWith(prefix)) continue;
    files.push({
      path: file.slice(prefix.length),
      change: CHANGES[raw[3] as string] ?? "modified",
      from: raw[1] as string,
      to: raw[2] as string,
    });
  }
  markRenames(files);
  return {
    hash,
    at: Number(time) * 1_000,
    author: redact(author ?? ""),
    // Before it is cut: half a secret is not recognised.
    message: redact((message ?? "").slice(0, LOG_LIMITS.readChars))
      .trim()
      .slice(0, LOG_LIMITS.messageChars),
    files: files.slice(0, LOG_LIMITS.filesPerCommit).map(({ path, change, renamedFrom }) => ({ path, change, renamedFrom })),
  };
}

/** `since` is a commit already known: only what came after it is read, when it is below HEAD. */
export async function readGitLog(
  root: string,
  clock: Clock,
  since: string | undefined,
  redact: Redact,
  signal?: AbortSignal,
): Promise<GitHistory | undefined> {
  const git = createGitReader(root, clock);
  const head = await git.run(["rev-parse", "--verify", "--quiet", "HEAD^{commit}"], { accept: [1, 128, 129], signal });
  if (head.code !== 0) return undefined;
  const hash = head.stdout.toString().trim();
  if (hash === since) return { head: hash, commits: [], continues: true, partial: false };
  const prefix = (await git.run(["rev-parse", "--show-prefix"], { accept: [128], signal })).stdout.toString().trim();
  const known =
    since === undefined ? 1 : (await git.run(["merge-base", "--is-ancestor", since, "HEAD"], { accept: [1, 128], signal })).code;
  const args = [
    "log",
    "--no-merges",
    "--raw",
    "--no-renames",
    "--no-abbrev",
    "-z",
    `--max-count=${LOG_LIMITS.commits}`,
    `--format=${FORMAT}`,
  ];
  const range = since !== undefined && known === 0 ? `${since}..HEAD` : "HEAD";
  const result = await git.run([...args, range, "--", ...(prefix === "" ? [] : ["."])], {
    accept: [1, 128],
    timeoutMs: LOG_LIMITS.timeoutMs,
    signal,
  });
  const shallow = (await git.run(["rev-parse", "--is-shallow-repository"], { accept: [128], signal })).stdout.toString().trim() === "true";
  const commits = result.stdout
    .toString("utf8")
    .split("\u0001")
    .slice(1)
    .flatMap((record) => parseCommit(record, prefix, redact) ?? []);
  const last = commits.at(-1);
  // The edge of a shallow clone looks as if it had made every file.
  if (shallow && last !== undefined && range === "HEAD") last.files = [];
  return { head: hash, commits, continues: range !== "HEAD", partial: result.code !== 0 || shallow };
}
