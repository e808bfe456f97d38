/** Goes on with a task, from wherever it stands; one that has ended is shown. */
import type { Result } from "../../protocol/api/index.ts";
import type { CliContext } from "./command.ts";
import { renderTask } from "./render-task.ts";
import { runAndShow, taskExit } from "./run-and-show.ts";
import { countFrom1 } from "./whole-number.ts";
import { taskId } from "./whole-task-id.ts";

type TaskDetail = Result<"task.show">;

const WAITING: readonly TaskDetail["status"][] = ["interrupted", "paused", "escalated"];

/** The newest that waits to go on; else the newest that failed; else the newest at all, which says how it ended. */
async function newestToResume(cli: CliContext): Promise<string> {
  const tasks = await (await cli.api()).query({ type: "task.list" }, cli.signal);
  const next = tasks.find(({ status }) => WAITING.includes(status)) ?? tasks.find(({ status }) => status === "failed");
  return next?.id ?? (await taskId(cli, "last"));
}

export interface ResumeFlags {
  answer?: string;
  moreSteps?: string;
  model?: string;
}

export async function resumeTask(cli: CliContext, which: string | undefined, flags: ResumeFlags): Promise<void> {
  const { out } = cli;
  const api = await cli.api();
  const id = which === undefined ? await newestToResume(cli) : await taskId(cli, which);
  const now = await api.query({ type: "task.show", id }, cli.signal);
  if (now.status === "complete" || now.status === "cancelled") {
    out.prose(now, () => renderTask(now, out, "short"));
    cli.setExit(taskExit(now));
    return;
  }
  if (flags.answer !== undefined) await api.send({ type: "task.answer", id, text: flags.answer }, cli.signal);
  const extraSteps = flags.moreSteps === undefined ? 0 : countFrom1("--more-steps", flags.moreSteps);
  await api.send({ type: "task.reopen", id, extra_steps: extraSteps, model: flags.model }, cli.signal);
  await runAndShow(cli, id);
}
