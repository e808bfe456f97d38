/** Which files of a change whoever reviewed it had before them from beginning to end, and what of a change that leaves unread. */
import type { BlobRef } from "../journal/index.ts";
import { EVENTS, STREAMS, type Payload } from "../protocol/events/index.ts";
import type { WorkTree } from "../workspace/index.ts";
import { INPUT } from "./brief.ts";
import { taskOf } from "./judge.ts";
import type { FlowParts } from "./parts.ts";
import type { FileDiff, ReviewText } from "./review-text.ts";

export type Read = NonNullable<Payload<"pipeline.judged">["read"]>[number];
type Acted = Payload<"task.acted">;

const before = ({ oldMode, oldBlob }: FileDiff): string => `${oldMode} ${oldBlob}`;
const after = ({ newMode, newBlob }: FileDiff): string => `${newMode} ${newBlob}`;

/** Lines of a file by number, as `read_file` showed them: each after its number and a bar. */
function linesIn(text: string): [number, string][] {
  return text.split("\n").flatMap((line): [number, string][] => {
    const at = line.indexOf("│");
    return at === -1 ? [] : [[Number(line.slice(0, at)), line.slice(at + 1)]];
  });
}

/** What it asked to see itself, as it was shown; a line that was cut is another line. */
async function linesRead({ store }: Pick<FlowParts, "store">, task: string): Promise<Map<string, Map<number, string>>> {
  const seen = new Map<string, Map<number, string>>();
  for (const event of await store.journal.read(STREAMS.task(task))) {
    if (event.type !== EVENTS.task.acted.type) continue;
    const { action, ok, effects } = event.payload as Acted;
    if (action !== "read_file" || !ok) continue;
    for (const effect of effects) {
      if (effect.op !== "put" || effect.item.source === undefined) continue;
      const { path } = effect.item.source;
      const lines = seen.get(path) ?? new Map<number, string>();
      const text = Buffer.from(await store.blobs.get(effect.item.content as BlobRef)).toString("utf8");
      for (const [number, line] of linesIn(text)) lines.set(number, line);
      seen.set(path, lines);
    }
  }
  return seen;
}

/** By the Inspector of this task, which was given this text of these changes. */
export async function readBy(
  parts: FlowParts,
  task: string,
  given: ReviewText,
  { changes, tree }: { changes: readonly FileDiff[]; tree: Pick<WorkTree, "content"> },
): Promise<Read[]> {
  const { created } = await taskOf(parts, task);
  // Where a task has no room for all of it, nobody can tell what it has.
  const shown = created.inputs[INPUT.diff] === given.text ? given.whole : [];
  const read = shown.map((one): Read => ({ path: one.path, was: before(one), is: after(one) }));
  const seen = await linesRead(parts, task);
  for (const one of changes) {
    const lines = seen.get(one.path);
    if (lines === undefined || one.status === "deleted" || shown.includes(one)) continue;
    const text = (await tree.content(one.newBlob)).toString("utf8").split("\n");
    if (text.at(-1) === "") text.pop();
    if (text.every((line, index) => lines.get(index + 1) === line)) read.push({ path: one.path, is: after(one) });
  }
  return read;
}

/** Whether it was read as it stands there now, and not only in the form that somebody changed later. */
export const isAsRead = (change: FileDiff, read: readonly Read[]): boolean =>
  read.some(({ path, is }) => path === change.path && is === after(change));

/** Whether what stands there came about by nothing but what somebody read. */
export function isRead(change: FileDiff, read: readonly Read[]): boolean {
  const steps = read.filter(({ path }) => path === change.path);
  const reached = new Set([after(change)]);
  for (const state of reached) {
    for (const { was } of steps.filter((step) => step.is === state)) {
      if (was === undefined || was === before(change)) return true;
      reached.add(was);
    }
  }
  return false;
}
