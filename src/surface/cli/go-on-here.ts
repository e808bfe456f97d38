/** `sylk -c`: goes on with what was last worked on here, a request or a task, and says which that is. */
import { shortIds, SylkError, wording } from "../../kernel/index.ts";
import type { CliContext } from "./command.ts";
import { continueRequest } from "./continue-request.ts";
import { newestTask } from "./interrupted-before.ts";
import { resumeTask } from "./resume-task.ts";
import { visibleLine } from "./visible-text.ts";
import { isOver } from "./words-to-go-on.ts";

const SHOWN = 100;

interface Thing {
  /** The words of the person, with its id. */
  name: string;
  status: string;
  stopped: boolean;
  updatedAt: number;
  /** The words that go on with it. */
  words: string;
  goOn(): Promise<void>;
}

async function newestFirst(cli: CliContext): Promise<Thing[]> {
  const [request] = await cli.query({ type: "request.list", limit: 1 });
  const task = await newestTask(cli);
  const called = (id: string, words: string): string => `“${wording.title(words, SHOWN)}” (${shortIds.shorten(id)})`;
  const things: Thing[] = [];
  if (request !== undefined)
    things.push({
      name: called(request.id, request.words),
      status: request.status,
      stopped: request.stopped === true,
      updatedAt: request.updated_at,
      words: `session resume ${shortIds.shorten(request.id)}`,
      goOn: () => continueRequest(cli, request.id, false),
    });
  if (task !== undefined)
    things.push({
      name: `the task ${called(task.id, task.goal)}`,
      status: task.status,
      stopped: task.stopped === true,
      updatedAt: task.updated_at,
      words: `task resume ${shortIds.shorten(task.id)}`,
      goOn: () => resumeTask(cli, task.id, {}),
    });
  return things.toSorted((a, b) => b.updatedAt - a.updatedAt);
}

export async function goOnHere(cli: CliContext): Promise<void> {
  const { out } = cli;
  const [newest, other] = await newestFirst(cli);
  // Says that there is nothing.
  if (newest === undefined) return continueRequest(cli, "last", false);
  const note = (text: string): void => out.note(out.style("yellow", visibleLine(text)));
  if (other !== undefined && !isOver(other.status)) note(`${other.name} has not ended either: ${out.word(other.words)} goes on`);
  if (newest.stopped) {
    const [told, fix] = [`${newest.name} was stopped by you, and is not begun again unasked`, `${out.word(newest.words)} goes on`];
    // In a session nothing went wrong: it is there, and waits for words.
    if (cli.sign === "/") return note(`${told}: ${fix}`);
    throw new SylkError({ code: "REQUEST_WRONG_STATUS", tier: "user_fixable", message: told, fix });
  }
  if (!isOver(newest.status)) out.note(out.style("dim", `going on with ${visibleLine(newest.name)}`));
  await newest.goOn();
}
