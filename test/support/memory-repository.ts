/** Work trees and commits as a plain object: what is on disk when every process dies. Its calls are those the flow makes. */
import type { FileDiff } from "../../src/flow/review-text.ts";
import { sha256, SylkError } from "../../src/kernel/index.ts";
import type { WorkTree } from "../../src/workspace/index.ts";

type Files = ReadonlyMap<string, string>;

interface Commit {
  id: string;
  parent: string | undefined;
  files: Files;
  message: string;
}

interface Tree {
  id: string;
  base: string;
  head: string;
  files: Files;
}

/** Something a process may die before and after. */
export type Moment = (what: string) => Promise<void>;

const isSame = (a: Files, b: Files): boolean => a.size === b.size && [...a].every(([file, text]) => b.get(file) === text);

export class MemoryRepository {
  readonly commits = new Map<string, Commit>();
  readonly trees = new Map<string, Tree>();
  /** Commits of trees that were thrown away. */
  readonly kept: string[] = [];
  user: Files;
  /** Told of every change of a tree before it is made. */
  onChange: (tree: string) => void = () => undefined;

  constructor(files: Record<string, string>) {
    this.user = new Map(Object.entries(files));
  }

  #put(parent: string | undefined, files: Files, message: string): string {
    const id = `commit${String(this.commits.size + 1).padStart(6, "0")}`;
    this.commits.set(id, { id, parent, files, message });
    return id;
  }

  filesAt(commit: string): Files {
    return this.commits.get(commit)?.files ?? new Map();
  }

  tree(id: string): Tree {
    const found = this.trees.get(id);
    if (found === undefined) throw new SylkError({ code: "WORKTREE_GONE", tier: "user_fixable", message: `the work tree ${id} is gone` });
    return found;
  }

  /** Equal where the files are. */
  contentOf(files: Files): string {
    return JSON.stringify([...files].toSorted(([a], [b]) => (a < b ? -1 : 1)));
  }

  isDirty(id: string): boolean {
    const { files, head } = this.tree(id);
    return !isSame(files, this.filesAt(head));
  }

  open(id: string, base: string | undefined): void {
    if (this.trees.has(id)) return;
    const from = base ?? this.#put(undefined, this.user, "as it stands");
    this.trees.set(id, { id, base: from, head: from, files: this.filesAt(from) });
  }

  write(id: string, file: string, text: string): void {
    this.onChange(id);
    const tree = this.tree(id);
    tree.files = new Map([...tree.files, [file, text]]);
  }

  restore(id: string, commit: string): void {
    this.onChange(id);
    this.tree(id).files = this.filesAt(commit);
  }

  commit(id: string, message: string): string {
    this.onChange(id);
    const tree = this.tree(id);
    if (this.isDirty(id)) tree.head = this.#put(tree.head, tree.files, message);
    return tree.head;
  }

  /** After a commit, newest first. */
  log(id: string, after: string): Commit[] {
    const found: Commit[] = [];
    for (let at: string | undefined = this.trees.get(id)?.head; at !== undefined && at !== after; at = this.commits.get(at)?.parent)
      found.push(this.commits.get(at) as Commit);
    return found;
  }

  changed(files: Files, since: string): { path: string; status: "added" | "modified" }[] {
    const before = this.filesAt(since);
    return [...files].flatMap(([path, text]) =>
      before.get(path) === text ? [] : [{ path, status: before.has(path) ? ("modified" as const) : ("added" as const) }],
    );
  }

  /** The same, each with what it says; its words stand for its object. */
  fileDiffs(files: Files, since: string): FileDiff[] {
    const before = this.filesAt(since);
    return this.changed(files, since).map((change) => {
      const [was, is] = [before.get(change.path), files.get(change.path) ?? ""];
      const nameOf = (text: string | undefined): string => (text === undefined ? "0".repeat(40) : sha256(text).slice(0, 40));
      return {
        ...change,
        oldMode: was === undefined ? "000000" : "100644",
        newMode: "100644",
        oldBlob: nameOf(was),
        newBlob: nameOf(is),
        text: `+${is}`,
        bytes: is.length,
      };
    });
  }

  /** What one side changed, combined with the other: the texts to write, and those no merge can combine. */
  combine(from: Files, since: string, into: Files): { writes: [string, string][]; disputed: [string, string][] } {
    const before = this.filesAt(since);
    const writes: [string, string][] = [];
    const disputed: [string, string][] = [];
    for (const { path } of this.changed(from, since)) {
      const [theirs = "", ours, base] = [from.get(path), into.get(path), before.get(path)];
      if (ours === theirs) continue;
      if (ours === base) writes.push([path, theirs]);
      else disputed.push([path, `<<<<<<< here\n${ours ?? ""}=======\n${theirs}>>>>>>> there\n`]);
    }
    return { writes, disputed };
  }

  discard(id: string): void {
    const tree = this.trees.get(id);
    if (tree === undefined) return;
    this.kept.push(tree.head);
    this.trees.delete(id);
  }

  /** The tree as the flow holds it. */
  handle(id: string, moment: Moment): WorkTree {
    const { base } = this.tree(id);
    const handle = {
      id,
      path: `/trees/${id}`,
      base,
      snapshot: () => Promise.resolve({ tree: this.contentOf(this.tree(id).files) }),
      head: () => Promise.resolve(this.tree(id).head),
      log: (after: string) => Promise.resolve(this.log(id, after).map((one) => ({ commit: one.id, message: one.message }))),
      changes: (_signal?: AbortSignal, since = base) => Promise.resolve(this.changed(this.tree(id).files, since)),
      diff: () => Promise.resolve({ text: "", truncated: false }),
      fileDiffs: ({ since = base }: { since?: string } = {}) => Promise.resolve(this.fileDiffs(this.tree(id).files, since)),
      ignored: () => Promise.resolve([]),
      restore: async (commit: string) => {
        await moment(`restore ${id}`);
        this.restore(id, commit);
        await moment(`restored ${id}`);
      },
    };
    return handle as unknown as WorkTree;
  }
}
