/** A task run from here and shown while it happens; how it ended is the exit code. */
import { shortIds } from "../../kernel/index.ts";
import type { Result } from "../../protocol/api/index.ts";
import { runTask } from "../follow-task.ts";
import type { TaskLine } from "../task-line.ts";
import { answerRested, withQuestions } from "./answer-inline.ts";
import type { CliContext } from "./command.ts";
import { EXIT, exitCodeOfPause } from "./exit-codes.ts";
import { followLive, LiveView } from "./live-view.ts";
import { renderLine, renderTask } from "./render-task.ts";

type TaskDetail = Result<"task.show">;

export function taskExit(task: Pick<TaskDetail, "status" | "verified" | "code">): number {
  switch (task.status) {
    case "complete":
      return task.verified ? EXIT.success : EXIT.notVerified;
    case "escalated":
      return task.code === "STEP_BUDGET" ? EXIT.budget : EXIT.stuck;
    case "paused":
      return exitCodeOfPause(task.code);
    case "running":
    case "interrupted":
      return EXIT.interrupted;
    case "failed":
    case "cancelled":
      return EXIT.failure;
  }
}

/** Gives each line to the terminal, with what is said meanwhile; with --json the lines alone. */
export async function withLive<T>(
  cli: CliContext,
  id: string,
  print: (text: string) => void,
  work: (show: (line: TaskLine) => void) => Promise<T>,
): Promise<T> {
  const { out } = cli;
  if (out.json) return work((line) => out.data(line));
  using view = new LiveView(out);
  const over = new AbortController();
  const live = followLive(await cli.api(), id, view, AbortSignal.any([cli.signal, over.signal]));
  try {
    return await work((line) => {
      const shown = line.type === "step" && view.takeSpoken() ? { ...line, text: "" } : line;
      renderLine(shown, out).forEach(print);
    });
  } finally {
    over.abort();
    await live;
  }
}

export async function runAndShow(cli: CliContext, id: string): Promise<void> {
  const { out, attended } = cli;
  const api = await cli.api();
  const note = (text: string): void => out.note(text);
  const run = (): Promise<TaskDetail> =>
    withLive(cli, id, note, (show) => withQuestions(cli, id, () => runTask(api, { id, attended }, show, cli.signal))).catch(
      (error: unknown) => {
        if (cli.signal.aborted) out.note(`interrupted; go on with: sylk task resume ${shortIds.shorten(id)}`);
        throw error;
      },
    );
  let end = await run();
  // A user who is there is asked where the task runs.
  while (attended && end.why === "agent_asks" && end.question_id !== undefined) {
    await answerRested(cli, end.question_id);
    await cli.send({ type: "task.reopen", id, extra_steps: 0 });
    end = await run();
  }
  if (!out.json) out.line(renderTask(end, out, "short"));
  cli.setExit(taskExit(end));
}
