/** What `/resume` and `/undo` speak of: a request or a task of the user's own, named or the last that has not ended. */
import type { CliContext } from "./command.ts";

const OVER = new Set(["done", "answered", "not_shown", "rejected", "cancelled", "failed", "undone"]);

/** Of a request or of a task. */
export const isOver = (status: string): boolean => OVER.has(status) || status === "complete";

export async function wordsToGoOn(cli: CliContext): Promise<string[]> {
  const [request] = await cli.query({ type: "request.list", limit: 1 });
  if (request === undefined || OVER.has(request.status)) return ["task", "resume", "last"];
  const { id } = await cli.query({ type: "task.resolve", id: "last" }).catch(() => ({ id: undefined }));
  const task = id === undefined ? undefined : await cli.query({ type: "task.show", id });
  // A task of a request is gone on with by its request.
  const isOwn = task !== undefined && !task.session.startsWith("req_");
  const isNewer = isOwn && task.updated_at > request.updated_at && task.status !== "complete" && task.status !== "cancelled";
  return isNewer ? ["task", "resume", "last"] : ["session", "continue", request.id];
}

const isThere = (found: Promise<unknown>): Promise<boolean> =>
  found.then(
    () => true,
    () => false,
  );

/** Whose id it is decides whose words they are. */
export async function wordsMeant(cli: CliContext, args: string[]): Promise<string[]> {
  const [what, verb, id, ...more] = args;
  if (what !== "task" || id === undefined || (verb !== "resume" && verb !== "undo")) return args;
  if (id === "last") return verb === "resume" && more.length === 0 ? wordsToGoOn(cli) : args;
  if (await isThere(cli.query({ type: "task.resolve", id }))) return args;
  return (await isThere(cli.query({ type: "request.resolve", id }))) ? ["session", verb, id, ...more] : args;
}
