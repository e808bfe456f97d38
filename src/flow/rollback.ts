/**
 * Takes a request back, whole: what it merged leaves the user's folder, what it built and did not merge is thrown away.
 * The journal keeps all of it. What cannot be taken back is named in the receipt.
 */
import type { Store } from "../journal/index.ts";
import { EVENTS, STREAMS, USER, type Payload } from "../protocol/events/index.ts";
import { taskView } from "../step/index.ts";
import type { WorkTree } from "../workspace/index.ts";
import type { FlowParts } from "./parts.ts";
import { pipelinesOf } from "./request-hands.ts";
import { purposeKey, type RequestState } from "./request-state.ts";

export type Receipt = Payload<"request.rolled_back">;

/** What stands in the trees of a request and in no folder of the user's. */
async function stagedIn(parts: FlowParts, state: RequestState, signal: AbortSignal): Promise<{ files: number; commits: number }> {
  const ids = [...(await pipelinesOf(parts, state)).values()].map(({ tree }) => tree);
  const named = [...ids, state.integration?.tree].filter((id) => id !== undefined);
  const found = await Promise.all(named.map((id) => parts.trees.find(id).catch(() => undefined)));
  const trees = found.filter((tree): tree is WorkTree => tree !== undefined);
  const counts = await Promise.all(
    trees.map(async (tree) => ({ files: (await tree.changes(signal)).length, commits: (await tree.log(tree.base)).length })),
  );
  return counts.reduce((sum, one) => ({ files: sum.files + one.files, commits: sum.commits + one.commits }), { files: 0, commits: 0 });
}

/** Calls that reached something outside, as they were permitted. */
async function callsOf({ journal }: Store, request: string): Promise<Receipt["external_calls"]> {
  const calls: Receipt["external_calls"] = [];
  for (let after = 0; ;) {
    const events = await journal.readAll({ after, limit: 1_000, filter: { types: [EVENTS.audit.recorded.type] } });
    for (const event of events) {
      if (!EVENTS.audit.recorded.is(event)) continue;
      const { category, session_id: session, outcome, target, details } = event.payload;
      if (category === "network" && session === request && outcome === "allowed")
        calls.push({ method: typeof details["method"] === "string" ? details["method"] : "", path: target ?? "", status: outcome });
    }
    const last = events.at(-1);
    if (last === undefined) return calls;
    after = last.position;
  }
}

/** Commands may reach anything; only that they ran is known. */
async function commandsOf({ journal }: Store, tasks: readonly string[]): Promise<number> {
  const states = await Promise.all(tasks.map((task) => journal.get(taskView, STREAMS.task(task))));
  return states
    .flatMap((state) => state?.history.flatMap(({ actions }) => actions) ?? [])
    .filter(({ action }) => action === "run_command" || action === "mcp_call").length;
}

/** What was merged leaves the folder; a file that was changed since is left, and then nothing is taken back. */
async function takeBack(
  parts: FlowParts,
  { tasks, looks }: RequestState,
  options: { force: boolean; signal: AbortSignal },
): Promise<{ files: string[]; warnings: string[] }> {
  const whole = tasks[purposeKey("inspect", looks)];
  // Killed between its merge and its end, nobody wrote down that it was merged: its tree knows.
  if (whole === undefined) return { files: [], warnings: [] };
  const undone = await parts.taskTrees.undo(whole, { dryRun: false, questions: parts.questions, ...options });
  switch (undone.kind) {
    case "undone":
      return { files: undone.files, warnings: [] };
    case "nothing_to_undo":
      return { files: [], warnings: [] };
    case "changed_since":
      return {
        files: [],
        warnings: [`nothing was taken back: ${undone.files.join(", ")} changed since; --force takes it back all the same`],
      };
    case "not_kept":
      return { files: [], warnings: [`nothing was taken back: what ${undone.files.join(", ")} held before is not kept any more`] };
  }
}

/** `stop` ends it and throws its trees away. Asked twice, the second time finds what the first left. */
export async function rollBack(
  parts: FlowParts,
  state: RequestState,
  stop: () => Promise<void>,
  options: { force: boolean; signal: AbortSignal },
): Promise<Receipt> {
  const { id } = state.created;
  const { store } = parts;
  const staged = await stagedIn(parts, state, options.signal);
  const tasks = [...Object.values(state.tasks), ...[...(await pipelinesOf(parts, state)).values()].flatMap((piece) => piece.tasks)];
  await stop();
  const { files, warnings } = await takeBack(parts, state, options);
  const commands = await commandsOf(store, tasks);
  const receipt: Receipt = {
    files_restored: files,
    staged_files_discarded: staged.files,
    local_commits_removed: staged.commits,
    agent_context_reset: true,
    external_calls: await callsOf(store, id),
    failure_record: STREAMS.request(id),
    warnings: [
      ...warnings,
      ...(commands === 0 ? [] : [`${commands} command${commands === 1 ? "" : "s"} ran; what they reached outside is not known`]),
    ],
  };
  await store.journal.append(STREAMS.request(id), "any", [EVENTS.request.rolledBack.create(receipt, { actor: USER })]);
  return receipt;
}
