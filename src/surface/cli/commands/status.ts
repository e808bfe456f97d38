import { shortIds, wording } from "../../../kernel/index.ts";
import type { Result } from "../../../protocol/api/index.ts";
import type { CommandModule } from "../command.ts";
import type { Output } from "../output.ts";
import { statusWords } from "../render-task.ts";

type Requests = Result<"request.list">;
type Tasks = Result<"task.list">;

interface Status {
  requests: Requests;
  tasks: Tasks;
  waiting: { id: string; message: string }[];
  cost_today_usd: number;
}

/** Looked through for what is not over; older ones are found by `sylk session list` and `sylk task list`. */
const LOOKED_AT = 50;
const SHOWN = 8;
const OVER: readonly Requests[number]["status"][] = ["done", "answered", "not_shown", "rejected", "cancelled", "failed", "undone"];
const LIVE: readonly Tasks[number]["status"][] = ["running", "escalated", "paused"];

const NO_ROOM = "waits for memory: it goes on by itself when there is room (team.memory_mark)";

const section = (title: string, lines: readonly string[]): string[] =>
  lines.length === 0 ? [] : [title, ...lines.slice(0, SHOWN), ...(lines.length > SHOWN ? [`  … ${lines.length - SHOWN} more`] : []), ""];

function render({ requests, tasks, waiting, cost_today_usd: usd }: Status, out: Output): string {
  const cost = `today $${usd === 0 ? "0" : usd.toFixed(usd < 0.01 ? 4 : 2)}`;
  if (requests.length === 0 && tasks.length === 0 && waiting.length === 0) return `nothing runs and nothing waits for you; ${cost}`;
  return [
    ...section(
      out.style("bold", "requests"),
      requests.map(
        ({ id, words, status, running, pieces, merged, waits_for: room }) =>
          `  ${shortIds.shorten(id)}  ${(running ? `${status}…` : status).padEnd(11)} ${pieces === 0 ? "" : `${merged}/${pieces}  `}${wording.title(words, 70)}${room === undefined ? "" : `\n    ${out.style("yellow", NO_ROOM)}`}`,
      ),
    ),
    ...section(
      out.style("bold", "tasks"),
      tasks.map(
        (task) => `  ${shortIds.shorten(task.id)}  ${statusWords(task).padEnd(11)} step ${task.step}  ${wording.title(task.goal, 70)}`,
      ),
    ),
    ...section(
      out.style(waiting.length === 0 ? "bold" : "yellow", `waiting for you (${waiting.length})`),
      waiting.map(
        ({ id, message }) => `  ${wording.oneLine(message, 80)}  ${out.style("dim", `${out.word(`answer ${shortIds.shorten(id)}`)} …`)}`,
      ),
    ),
    out.style("dim", cost),
  ].join("\n");
}

export const command: CommandModule = {
  build(command, cli) {
    const { out } = cli;
    command
      .addHelpText(
        "after",
        "\nRequests and tasks that are not over, questions that wait for you, and what models cost today.\n\nExamples:\n  $ sylk status\n  $ sylk status --json",
      )
      .action(async () => {
        const requests = (await cli.query({ type: "request.list", limit: LOOKED_AT })).filter(({ status }) => !OVER.includes(status));
        const tasks = (await cli.query({ type: "task.list", limit: LOOKED_AT })).filter(({ status }) => LIVE.includes(status));
        const waiting = await cli.query({ type: "question.list", ended: false });
        const { total } = await cli.query({ type: "usage.report", by: "day", period: "day" });
        const status: Status = {
          requests,
          // Those of a request are shown with it.
          tasks: tasks.filter(({ session }) => !requests.some(({ id }) => id === session)),
          waiting: waiting.map(({ id, message }) => ({ id, message })),
          cost_today_usd: total.cost_nano_usd / 1e9,
        };
        out.result(status, () => render(status, out));
      });
  },
};
