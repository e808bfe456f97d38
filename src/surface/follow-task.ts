/**
 * A task as it happens, line by line and in order, from this process or another. What a follower did not get, because
 * it was cut off or too late, is read from the journal before the end is told.
 */
import type { Api, Command, Result } from "../protocol/api/index.ts";
import { STREAMS } from "../protocol/events/index.ts";
import type { TaskLine } from "./task-line.ts";
import { headLine, linesOf, outcomeLine } from "./task-lines.ts";

type TaskDetail = Result<"task.show">;

const NEVER = new AbortController().signal;

/** Runs it until it ends or waits. */
export async function runTask(
  api: Api,
  run: Omit<Command<"task.run">, "type">,
  onLine: (line: TaskLine) => void,
  signal: AbortSignal,
): Promise<TaskDetail> {
  const { id } = run;
  onLine(headLine(await api.query({ type: "task.show", id }, signal)));
  let seen = (await api.query({ type: "journal.head" }, signal)).position;
  const show = async (until: number | undefined, stop: AbortSignal): Promise<void> => {
    for await (const event of api.events({ stream: STREAMS.task(id), until }, seen, stop)) {
      const lines = await linesOf(api, id, event, stop);
      seen = event.position;
      lines.forEach(onLine);
    }
  };
  const over = new AbortController();
  // What it misses is read below.
  const shown = show(undefined, AbortSignal.any([signal, over.signal])).catch(() => undefined);
  const rest = async (): Promise<void> => {
    over.abort();
    await shown;
    await show((await api.query({ type: "journal.head" })).position, NEVER);
  };
  let end: TaskDetail;
  try {
    end = await api.send({ type: "task.run", ...run }, signal);
  } catch (error) {
    // Why it ended matters more than the last lines.
    await rest().catch(() => undefined);
    throw error;
  }
  await rest();
  onLine(outcomeLine(end));
  return end;
}

/** What happened so far and, until it rests or nobody runs it any more, what happens. */
export async function* watchTask(api: Api, id: string, signal: AbortSignal): AsyncGenerator<TaskLine> {
  yield headLine(await api.query({ type: "task.show", id }, signal));
  for await (const event of api.events({ stream: STREAMS.task(id), until: "rest" }, 0, signal))
    yield* await linesOf(api, id, event, signal);
  yield outcomeLine(await api.query({ type: "task.show", id }));
}
