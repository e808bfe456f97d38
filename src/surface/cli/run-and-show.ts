/** A task run from here and shown while it happens; how it ended is the exit code. */
import { shortIds } from "../../kernel/index.ts";
import type { LivePart, Result } from "../../protocol/api/index.ts";
import { runTask } from "../follow-task.ts";
import type { TaskLine } from "../task-line.ts";
import { answerRested, withQuestions } from "./answer-inline.ts";
import type { CliContext } from "./command.ts";
import { EXIT, exitCodeOfPause } from "./exit-codes.ts";
import { followLive, LiveView } from "./live-view.ts";
import type { Output } from "./output.ts";
import { renderLine, renderTask } from "./render-task.ts";
import { keepStopped } from "./stopped-on-purpose.ts";
import { signsOf, type Signs } from "./signs.ts";

type TaskDetail = Result<"task.show">;

export function taskExit(task: Pick<TaskDetail, "status" | "verified" | "code" | "why">): number {
  switch (task.status) {
    case "complete":
      return task.verified || task.why === "accepted" ? EXIT.success : EXIT.notVerified;
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

interface Viewer extends Disposable {
  live(part: LivePart): void;
  line(line: TaskLine): void;
}

/** Of what is only live, programs are told why nothing comes. */
const TOLD: readonly LivePart["type"][] = ["asking", "retry", "waiting"];

function viewerFor(out: Output, print: (text: string) => void): Viewer {
  if (out.json)
    return {
      live: (part) => (TOLD.includes(part.type) ? out.data(part) : undefined),
      line: (line) => out.data(line),
      [Symbol.dispose]: () => undefined,
    };
  const view = new LiveView(out);
  return {
    live: (part) => view.show(part),
    line(line) {
      if (line.type === "step") view.endWords();
      renderLine(line, out).forEach(print);
    },
    [Symbol.dispose]: () => view[Symbol.dispose](),
  };
}

/** Gives each line to the terminal, with what is said meanwhile. */
export async function withLive<T>(
  cli: CliContext,
  id: string,
  print: (text: string) => void,
  work: (show: (line: TaskLine) => void) => Promise<T>,
): Promise<T> {
  using viewer = viewerFor(cli.out, print);
  const over = new AbortController();
  const live = followLive(await cli.api(), id, (part) => viewer.live(part), AbortSignal.any([cli.signal, over.signal]));
  try {
    return await work((line) => viewer.line(line));
  } finally {
    over.abort();
    await live;
  }
}

function signOf(signs: Signs, line: TaskLine, attended: boolean): void {
  if (line.type === "step") signs.title(`step ${line.step}`);
  // A user who is there is told with the prompt.
  else if (line.type === "question" && !attended) signs.needsYou("a question");
  else if (line.type === "outcome") signs.ended("the task is at rest");
}

/** A person's words are what it waits for. */
const ASKS: readonly TaskDetail["why"][] = [
  "agent_asks",
  "agent_gives_up",
  "checks_cannot_run",
  "unusable_answers",
  "no_way_forward",
  "attempts_fail",
  "monitor_stops",
  "steps_used_up",
];
/** A yes after the last step is worth some more. */
const MORE_STEPS = 10;

export async function runAndShow(cli: CliContext, id: string): Promise<void> {
  const { out, attended } = cli;
  cli.conversation?.goesOn(id);
  const api = await cli.api();
  const goOn = `task resume ${shortIds.shorten(id)}`;
  const note = (text: string): void => out.note(text);
  using signs = await signsOf(cli);
  const run = async (): Promise<TaskDetail> => {
    using _running = cli.runs(["task", "resume", id], cli.signal);
    const began = Promise.withResolvers<void>();
    return await withLive(cli, id, note, (show) => {
      const shown = (line: TaskLine): void => {
        began.resolve();
        // It is asked about here; a line of it would be the same again.
        if (out.json || !attended || line.type !== "question") show(line);
        signOf(signs, line, attended);
      };
      return withQuestions(cli, id, () => runTask(api, { id, attended }, shown, cli.signal), began.promise);
    }).catch(async (error: unknown) => {
      if (cli.signal.aborted) await keepStopped(cli, "task", id);
      if (cli.signal.aborted) out.note(`interrupted; go on with: ${out.word(goOn)}`);
      throw error;
    });
  };
  let end = await run();
  // A user who is there is asked where the task runs.
  while (attended && ASKS.includes(end.why) && end.question_id !== undefined) {
    await answerRested(cli, end.question_id, goOn);
    await cli.send({ type: "task.reopen", id, extra_steps: end.why === "steps_used_up" ? MORE_STEPS : 0 });
    end = await run();
  }
  if (!out.json) out.prose(end, () => renderTask(end, out, "short"));
  cli.setExit(taskExit(end));
}
