/** What was under way here when it was last left: what `/resume` would go on with, where that was interrupted. */
import { shortIds, wording } from "../../kernel/index.ts";
import type { Result } from "../../protocol/api/index.ts";
import type { CliContext } from "./command.ts";
import { wordsToGoOn } from "./words-to-go-on.ts";

const SHOWN = 100;
/** Tasks of requests stand between those of the user's own. */
const LOOKED_AT = 60;

/** The user's own task that was made last. */
export async function newestTask(cli: CliContext): Promise<Result<"task.list">[number] | undefined> {
  const tasks = await cli.query({ type: "task.list", limit: LOOKED_AT });
  return tasks.find(({ session }) => !session.startsWith("req_"));
}

/** The user's own task that was cut off after everything else, and how to go on with it. */
async function interruptedTask(cli: CliContext): Promise<{ text: string; goOn: string } | undefined> {
  const [request] = await cli.query({ type: "request.list", limit: 1 });
  const task = await newestTask(cli);
  if (task?.status !== "interrupted") return undefined;
  if (request !== undefined && request.updated_at > task.updated_at) return undefined;
  // One that was only written down was not interrupted.
  const [stands, does] = task.step === 0 ? ["has not begun", "starts it"] : ["was interrupted", "goes on"];
  return {
    text: `the task “${wording.title(task.goal, SHOWN)}” ${stands}`,
    goOn: `${cli.out.word(`task resume ${shortIds.shorten(task.id)}`)} ${does}`,
  };
}

export async function interruptedBefore(cli: CliContext): Promise<string | undefined> {
  const task = await interruptedTask(cli);
  if (task !== undefined) return `${task.text}: ${task.goOn}`;
  const [request] = await cli.query({ type: "request.list", limit: 1 });
  if (request?.status !== "interrupted" || !(await wordsToGoOn(cli)).includes(request.id)) return undefined;
  return `“${wording.title(request.words, SHOWN)}” was interrupted: /resume goes on`;
}
