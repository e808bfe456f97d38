/** A task's own work tree may vanish under it: a cleaner of temporary files, a stray `rm`. Then it is said, and nothing is made anew. */
import { statSync } from "node:fs";
import path from "node:path";
import { SylkError } from "../../kernel/index.ts";
import type { TaskState } from "../task-state.ts";

/** The nearest mark above it is a work tree's own: a file, where a repository has a folder. */
function isInTree(folder: string): boolean {
  if (statSync(folder, { throwIfNoEntry: false })?.isDirectory() !== true) return false;
  for (let at = folder; ; at = path.dirname(at)) {
    const mark = statSync(path.join(at, ".git"), { throwIfNoEntry: false });
    if (mark !== undefined) return mark.isFile();
    if (at === path.dirname(at)) return false;
  }
}

export function treeGone({ id, place }: Pick<TaskState["created"], "id" | "place">): SylkError {
  return new SylkError({
    code: "TASK_TREE_GONE",
    tier: "user_fixable",
    message: `the work tree of task ${id} is gone: somebody removed ${place.folder}, and what was not merged with it`,
    fix: `\`sylk task discard ${id}\` forgets it; then start the task again`,
  });
}

/** Throws TASK_TREE_GONE. A task that works in the project's folder has none to lose. */
export function mustHaveTree({ created }: Pick<TaskState, "created">): void {
  if (created.place.kind === "tree" && !isInTree(created.place.folder)) throw treeGone(created);
}
