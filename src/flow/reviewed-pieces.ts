/** What of the whole was read before, piece by piece: whoever looks at the whole looks for what only the whole shows. */
import { wording } from "../kernel/index.ts";
import type { PipelineState } from "./pipeline-state.ts";
import { plainName, type FileDiff } from "./review-text.ts";
import { isAsRead, isRead } from "./what-was-read.ts";

export interface ReviewedPieces {
  /** Files that somebody read as they stand. */
  read: ReadonlySet<string>;
  /** Files of which nobody read anything. */
  first: ReadonlySet<string>;
  /** For whoever looks at the whole; empty where nothing was reviewed. */
  text: string;
}

const ASKS =
  "Read none of these again without a reason. Look for what only the whole can show: parts that do not fit each other, one thing named or done in two ways, what is left between the pieces, assertions and limits that hold in each piece and not in all of them together.";

const list = (files: readonly string[]): string => files.map(plainName).join(", ");

export function reviewedPieces(changes: readonly FileDiff[], pieces: ReadonlyMap<string, PipelineState>): ReviewedPieces {
  const merged = [...pieces.values()].filter((piece) => piece.merged !== undefined);
  const all = merged.flatMap(({ reviewed }) => reviewed?.read ?? []);
  const read = new Set(changes.filter((change) => isRead(change, all)).map(({ path }) => path));
  const unread = changes.map(({ path }) => path).filter((path) => !read.has(path));
  const first = new Set(unread.filter((file) => !all.some(({ path }) => path === file)));
  const lines = merged.flatMap(({ opened, merged: at, reviewed }) => {
    if (reviewed === undefined) return [];
    const files = at?.files ?? [];
    const [same, since, never] = [
      changes.filter((change) => read.has(change.path) && isAsRead(change, reviewed.read ?? [])).map(({ path }) => path),
      files.filter((file) => unread.includes(file) && !first.has(file)),
      files.filter((file) => first.has(file)),
    ];
    const commit = (reviewed.review_stands?.commit ?? reviewed.commit).slice(0, 10);
    const rest = [
      ...(since.length === 0 ? [] : [` (different since, and shown: ${list(since)})`]),
      ...(never.length === 0 ? [] : [` (read by nobody yet, and first in the change: ${list(never)})`]),
    ];
    const { id, title } = opened.node;
    return [
      `${id} ${wording.oneLine(title)}, as it stands at ${commit}: ${same.length === 0 ? "nothing of it stands as it was" : list(same)}${rest.join("")}`,
    ];
  });
  return { read, first, text: read.size === 0 ? "" : [...lines, ASKS].join("\n") };
}
