import { SylkError, shortIds } from "../../../kernel/index.ts";
import type { Result } from "../../../protocol/api/index.ts";
import type { TaskLine } from "../../task-line.ts";
import { asIs } from "../../wire-names.ts";
import type { CliContext, CommandModule } from "../command.ts";
import { collect } from "../collect.ts";
import { countFrom1 } from "../whole-number.ts";
import { answerRested, withQuestions } from "../answer-inline.ts";
import { addTreeCommands } from "./task-tree.ts";
import { EXIT, exitCodeOfPause } from "../exit-codes.ts";
import { followLive, LiveView } from "../live-view.ts";
import { renderLine, renderList, renderTask } from "../render-task.ts";
import { runTask, watchTask } from "../../follow-task.ts";
import { taskId } from "../whole-task-id.ts";

type TaskDetail = Result<"task.show">;

interface StartFlags {
  type: string;
  role: string;
  criterion: string[];
  constraint: string[];
  check: string[];
  model?: string;
  profile: string;
  maxSteps?: string;
  detach?: boolean;
  worktree?: boolean;
  folder?: string;
  given: string[];
  checks: boolean;
}

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

function nameAndText(text: string): [string, string] {
  const at = text.indexOf("=");
  if (at < 1) throw new SylkError({ code: "USAGE_NOT_A_PAIR", tier: "user_fixable", message: `--given needs name=text, got ${text}` });
  return [text.slice(0, at), text.slice(at + 1)];
}

/** Gives each line to the terminal, with what is said meanwhile; with --json the lines alone. */
async function withLive<T>(
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

async function runAndShow(cli: CliContext, id: string): Promise<void> {
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

const WAITING: readonly TaskDetail["status"][] = ["interrupted", "paused", "escalated"];

/** The newest that waits to go on; else the newest that failed; else the newest at all, which says how it ended. */
async function newestToResume(cli: CliContext): Promise<string> {
  const tasks = await (await cli.api()).query({ type: "task.list" }, cli.signal);
  const next = tasks.find(({ status }) => WAITING.includes(status)) ?? tasks.find(({ status }) => status === "failed");
  return next?.id ?? (await taskId(cli, "last"));
}

async function readGoal(parts: readonly string[]): Promise<string> {
  if (parts.length > 0 && !(parts.length === 1 && parts[0] === "-")) return parts.join(" ");
  if (process.stdin.isTTY) return "";
  let text = "";
  for await (const chunk of process.stdin) text += String(chunk);
  return text.trim();
}

export const command: CommandModule = {
  build(command, cli) {
    const { out } = cli;
    const idHelp = "the id or its last characters; `last` for the newest";
    command.addHelpText(
      "after",
      '\nExit codes: 0 verified success, 1 failure, 3 finished but not verified, 4 needs a person, 5 budget reached, 7 provider unavailable, 41 not signed in.\n\nExamples:\n  $ sylk task start "make the tests pass" --check "npm test" -m anthropic/claude-sonnet-4-5\n  $ sylk config set llm.default_model anthropic/<model>      so that -m need not be said\n  $ sylk task start "rename the module" -w && sylk task diff && sylk task merge last\n  $ sylk task list\n  $ sylk task show\n  $ sylk task undo last\n  $ sylk task answer last "use the second option" && sylk task resume\n  $ sylk questions && sylk answer <id> once && sylk task resume',
    );
    command
      .command("start")
      .description("start a task in this project and run it")
      .argument("[goal...]", "what you want, in your words (stdin when absent or -)")
      .option("--type <type>", "implement_feature, fix_violation, write_tests, refactor, review, discover", "implement_feature")
      .option("--role <name>", "the role that works on it", "engineer")
      .option("--criterion <text>", "it is done when … (repeatable)", collect, [])
      .option("--constraint <text>", "it must … (repeatable)", collect, [])
      .option(
        "--check <command>",
        "a command that must pass (repeatable); without one, the project's own test, type and lint commands",
        collect,
        [],
      )
      .option("-m, --model <provider/model>", "the model; scripted/<rules.yaml> for a scripted one")
      .option("--profile <name>", "size of a step's input: minimal (8K), standard (32K), wide (128K)", "minimal")
      .option("--max-steps <n>", "fixed number of steps instead of the adaptive budget")
      .option("--no-checks", "no checks at all, not even the project's own")
      .option("--given <name=text>", "a fact the task starts from, e.g. violation=… (repeatable)", collect, [])
      .option("--folder <dir>", "work in this folder of the project")
      .option("-w, --worktree", "work in a tree of its own; `sylk task merge` brings the result here")
      .option("--detach", "only create it; run it later with `sylk task resume`")
      .action(async (goal: string[], flags: StartFlags) => {
        const api = await cli.api();
        const goalText = await readGoal(goal);
        const { id } = await api.send(
          {
            type: "task.start",
            options: {
              goal: goalText,
              type: flags.type,
              role: flags.role,
              criteria: flags.criterion,
              constraints: flags.constraint,
              checks: flags.check,
              model: flags.model,
              profile: flags.profile,
              max_steps: flags.maxSteps === undefined ? undefined : countFrom1("--max-steps", flags.maxSteps),
              folder: flags.folder,
              worktree: flags.worktree,
              given: Object.fromEntries(flags.given.map(nameAndText)),
              discover_checks: flags.checks,
            },
          },
          cli.signal,
        );
        if (flags.detach === true) out.result({ id }, () => id);
        else await runAndShow(cli, id);
      });
    command
      .command("resume")
      .description("go on with a task that was interrupted, paused or waits for an answer")
      .argument("[id]", "the id or its last characters; without one, the newest task that has not ended")
      .option("--answer <text>", "your answer to its question")
      .option("--more-steps <n>", "grant this many further steps")
      .option("-m, --model <provider/model>", "go on with another model")
      .action(async (which: string | undefined, flags: { answer?: string; moreSteps?: string; model?: string }) => {
        const api = await cli.api();
        const id = which === undefined ? await newestToResume(cli) : await taskId(cli, which);
        const now = await api.query({ type: "task.show", id }, cli.signal);
        if (now.status === "complete" || now.status === "cancelled") {
          out.result(now, () => renderTask(now, out, "short"));
          cli.setExit(taskExit(now));
          return;
        }
        if (flags.answer !== undefined) await api.send({ type: "task.answer", id, text: flags.answer }, cli.signal);
        const extraSteps = flags.moreSteps === undefined ? 0 : countFrom1("--more-steps", flags.moreSteps);
        await api.send({ type: "task.reopen", id, extra_steps: extraSteps, model: flags.model }, cli.signal);
        await runAndShow(cli, id);
      });
    command
      .command("answer")
      .description("answer a task's question")
      .argument("<id>", idHelp)
      .argument("<text...>", "your answer")
      .action(async (which: string, text: string[]) => {
        const id = await taskId(cli, which);
        await (await cli.api()).send({ type: "task.answer", id, text: text.join(" ") }, cli.signal);
        out.result({ id, answered: true }, () => `answered; go on with \`sylk task resume ${id}\``);
      });
    command
      .command("list")
      .description("tasks, newest first")
      .option("--limit <n>", "how many", "20")
      .action(async (flags: { limit: string }) => {
        const api = await cli.api();
        const list = await api.query({ type: "task.list", limit: countFrom1("--limit", flags.limit) }, cli.signal);
        const more = (await api.query({ type: "task.count" }, cli.signal)) - list.length;
        out.result(list, () => renderList(list, more, out));
      });
    command
      .command("show")
      .description("what it did, why, what it cost, what is left")
      .argument("[id]", idHelp, "last")
      .action(async (which: string) => {
        const id = await taskId(cli, which);
        const task = await (await cli.api()).query({ type: "task.show", id }, cli.signal);
        out.result(task, () => renderTask(task, out, "full"));
      });
    command
      .command("watch")
      .description("see a task happen, from any terminal")
      .argument("[id]", idHelp, "last")
      .action(async (which: string) => {
        const id = await taskId(cli, which);
        const api = await cli.api();
        await withLive(
          cli,
          id,
          (text) => out.line(text),
          async (show) => {
            for await (const line of watchTask(api, id, cli.signal)) show(line);
          },
        );
      });
    addTreeCommands(command, cli, idHelp);
    const simple = (name: string, description: string, run: (id: string) => Promise<string>) =>
      command
        .command(name)
        .description(description)
        .argument("<id>", idHelp)
        .action(async (which: string) => {
          const id = await taskId(cli, which);
          const said = await run(id);
          out.result({ id, done: name }, () => said);
        });
    simple("pause", "let a running task stop after its step", async (id) => {
      await (await cli.api()).send({ type: "task.pause", id }, cli.signal);
      return "it stops after the current step";
    });
    simple("cancel", "end a task for good", async (id) => {
      await (await cli.api()).send({ type: "task.cancel", id, reason: "cancelled by the person" }, cli.signal);
      return "cancelled";
    });
    simple(
      "rebuild",
      "write its readable folder again from the journal",
      async (id) => `rebuilt ${(await (await cli.api()).send({ type: "task.rebuild", id }, cli.signal)).folder}`,
    );
    command
      .command("context")
      .description("exactly what the model saw at a step")
      .argument("[id]", idHelp, "last")
      .option("--step <n>", "the step; the last one when absent")
      .action(async (which: string, flags: { step?: string }) => {
        const step = flags.step === undefined ? undefined : countFrom1("--step", flags.step);
        const id = await taskId(cli, which);
        const seen = await (await cli.api()).query({ type: "task.context", id, step }, cli.signal);
        out.result(
          { ...seen, tools: asIs(seen.tools) },
          () =>
            `=== step ${seen.step}: system ===\n${seen.system}\n\n=== tools ===\n${JSON.stringify(seen.tools, null, 1)}\n\n=== user ===\n${seen.user}`,
        );
      });
  },
};
