/**
 * The commits below HEAD with the paths each changed, read without opening a single file version, so
 * that shallow clones and clones without blobs answer too. What is missing ends the list; it never fails the index.
 * Secrets in messages and names leave here, before anything is stored.
 */
import { createGitReader } from "../../workspace/index.ts";
import type { Clock } from "../../kernel/index.ts";
import type { HistoryPlace, KnownHistory, LoggedCommit } from "../store/commit-writer.ts";

const LOG_LIMITS = { commits: 15_000, page: 2_000, filesPerCommit: 400, messageChars: 4_000, readChars: 64_000, timeoutMs: 60_000 };

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

export interface GitLog {
  head: string;
  place: HistoryPlace;
  /** How many were read, and how many there are as far as that is known. */
  read(): number;
  total(): number;
  /** The next ones, newest first; undefined after the last. */
  next(): Promise<LoggedCommit[] | undefined>;
  /** Not everything could be read. */
  partial(): boolean;
}

export interface GitLogParts {
  root: string;
  clock: Clock;
  /** What was read before: only what came after it is read, when it is below HEAD. */
  known: KnownHistory;
  redact: Redact;
  signal?: AbortSignal | undefined;
}

export async function openGitLog({ root, clock, known, redact, signal }: GitLogParts): Promise<GitLog | undefined> {
  const git = createGitReader(root, clock);
  const found = await git.run(["rev-parse", "--verify", "--quiet", "HEAD^{commit}"], { accept: [1, 128, 129], signal });
  if (found.code !== 0) return undefined;
  const newest = found.stdout.toString().trim();
  const isBelow = async (hash: string | undefined): Promise<boolean> =>
    hash !== undefined && (await git.run(["merge-base", "--is-ancestor", hash, newest], { accept: [1, 128], signal })).code === 0;
  // A reading that was stopped comes to its end first; what was committed since comes on top of it.
  const begun = known.head === undefined && (await isBelow(known.begun?.head)) ? known.begun : undefined;
  const head = begun?.head ?? newest;
  if (head === known.head)
    return { head, place: "on_top", read: () => 0, total: () => 0, next: () => Promise.resolve(undefined), partial: () => false };
  const say = async (...args: string[]): Promise<string> => (await git.run(args, { accept: [128], signal })).stdout.toString().trim();
  const prefix = await say("rev-parse", "--show-prefix");
  const shallow = (await say("rev-parse", "--is-shallow-repository")) === "true";
  const below = await isBelow(known.head);
  const where = [below ? `${known.head}..${head}` : head, "--", ...(prefix === "" ? [] : ["."])];
  // The edge of a shallow clone is the last of all: it is read in one go to know it.
  const page = shallow ? LOG_LIMITS.commits : LOG_LIMITS.page;
  let read = begun?.read ?? 0;
  let total = 0;
  let partial = shallow;
  let ended = false;
  const count = async (): Promise<number> =>
    prefix === "" ? Math.min(LOG_LIMITS.commits, Number(await say("rev-list", "--count", "--no-merges", ...where))) : 0;

  return {
    head,
    place: below ? "on_top" : begun === undefined ? "anew" : "further",
    read: () => read,
    total: () => total,
    partial: () => partial,
    async next() {
      const most = Math.min(page, LOG_LIMITS.commits - read);
      if (ended || most <= 0) return undefined;
      const args = ["--no-merges", "--raw", "--no-renames", "--no-abbrev", "-z", `--skip=${read}`, `--max-count=${most}`];
      const result = await git.run(["log", ...args, `--format=${FORMAT}`, ...where], {
        accept: [1, 128],
        timeoutMs: LOG_LIMITS.timeoutMs,
        signal,
      });
      const records = result.stdout.toString("utf8").split("\u0001").slice(1);
      const commits = records.flatMap((record) => parseCommit(record, prefix, redact) ?? []);
      read += records.length;
      partial ||= result.code !== 0;
      ended = records.length < most || result.code !== 0;
      if (total === 0) total = ended ? read : await count();
      const last = commits.at(-1);
      // It looks as if it had made every file.
      if (shallow && last !== undefined && !below) last.files = [];
      return commits;
    },
  };
}
