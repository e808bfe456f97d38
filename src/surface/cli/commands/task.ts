import { SHORT_ID_CHARS, SylkError } from "../../../kernel/index.ts";
import type { TaskDetail, TaskLine } from "../../../protocol/index.ts";
import { asIs } from "../../wire-names.ts";
import type { CliContext, CommandModule } from "../command.ts";
import { collect } from "../collect.ts";
import { countFrom1 } from "../whole-number.ts";
import { answerRested, withQuestions } from "../answer-inline.ts";
import { addTreeCommands } from "./task-tree.ts";
import { EXIT, exitCodeOfPause } from "../exit-codes.ts";
import { renderLine, renderList, renderTask } from "../render-task.ts";
import type { StartTask } from "../../../app/index.ts";

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

async function runAndShow(cli: CliContext, id: string): Promise<void> {
  const { tasks } = await cli.app();
  const { out } = cli;
  const show = (line: TaskLine): void => {
    if (out.json) out.data(line);
    else for (const text of renderLine(line, out)) out.note(text);
  };
  const run = (): Promise<TaskDetail> =>
    withQuestions(cli, () => tasks.run(id, show, cli.signal)).catch((error: unknown) => {
      if (cli.signal.aborted) out.note(`interrupted; go on with: sylk task resume ${id.slice(-SHORT_ID_CHARS)}`);
      throw error;
    });
  let end = await run();
  // A person who is there is asked where the task runs.
  while (cli.attended && end.why === "agent_asks" && end.question_id !== undefined) {
    await answerRested(cli, end.question_id);
    await tasks.reopen(id, { extraSteps: 0 });
    end = await run();
  }
  if (!out.json) out.line(renderTask(end, out, "short"));
  cli.setExit(taskExit(end));
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
      '\nExit codes: 0 verified success, 1 failure, 3 finished but not verified, 4 needs a person, 5 budget reached, 7 provider unavailable, 41 not signed in.\n\nExamples:\n  $ sylk task start "make the tests pass" --check "npm test" -m anthropic/claude-sonnet-4-5\n  $ sylk task start "rename the module" -w && sylk task diff && sylk task merge last\n  $ sylk task list\n  $ sylk task show\n  $ sylk task undo last\n  $ sylk task answer last "use the second option" && sylk task resume\n  $ sylk questions && sylk answer <id> once && sylk task resume',
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
        const { tasks } = await cli.app();
        const options: StartTask = {
          goal: await readGoal(goal),
          type: flags.type,
          role: flags.role,
          criteria: flags.criterion,
          constraints: flags.constraint,
          checks: flags.check,
          model: flags.model,
          profile: flags.profile,
          maxSteps: flags.maxSteps === undefined ? undefined : countFrom1("--max-steps", flags.maxSteps),
          folder: flags.folder,
          worktree: flags.worktree,
          given: Object.fromEntries(flags.given.map(nameAndText)),
          discoverChecks: flags.checks,
        };
        const id = await tasks.start(options);
        if (flags.detach === true) out.result({ id }, () => id);
        else await runAndShow(cli, id);
      });
    command
      .command("resume")
      .description("go on with a task that was interrupted, paused or waits for an answer")
      .argument("[id]", idHelp, "last")
      .option("--answer <text>", "your answer to its question")
      .option("--more-steps <n>", "grant this many further steps")
      .option("-m, --model <provider/model>", "go on with another model")
      .action(async (which: string, flags: { answer?: string; moreSteps?: string; model?: string }) => {
        const { tasks } = await cli.app();
        const id = await tasks.resolve(which);
        const now = await tasks.show(id);
        if (now.status === "complete" || now.status === "cancelled") {
          out.result(now, () => renderTask(now, out, "short"));
          cli.setExit(taskExit(now));
          return;
        }
        if (flags.answer !== undefined) await tasks.answer(id, flags.answer);
        const extraSteps = flags.moreSteps === undefined ? 0 : countFrom1("--more-steps", flags.moreSteps);
        await tasks.reopen(id, { extraSteps, model: flags.model });
        await runAndShow(cli, id);
      });
    command
      .command("answer")
      .description("answer a task's question")
      .argument("<id>", idHelp)
      .argument("<text...>", "your answer")
      .action(async (which: string, text: string[]) => {
        const { tasks } = await cli.app();
        const id = await tasks.resolve(which);
        await tasks.answer(id, text.join(" "));
        out.result({ id, answered: true }, () => `answered; go on with \`sylk task resume ${id}\``);
      });
    command
      .command("list")
      .description("all tasks, newest first")
      .action(async () => {
        const list = await (await cli.app()).tasks.list();
        out.result(list, () => renderList(list, out));
      });
    command
      .command("show")
      .description("what it did, why, what it cost, what is left")
      .argument("[id]", idHelp, "last")
      .action(async (which: string) => {
        const { tasks } = await cli.app();
        const task = await tasks.show(await tasks.resolve(which));
        out.result(task, () => renderTask(task, out, "full"));
      });
    command
      .command("watch")
      .description("see a task happen, from any terminal")
      .argument("[id]", idHelp, "last")
      .action(async (which: string) => {
        const { tasks } = await cli.app();
        for await (const line of tasks.watch(await tasks.resolve(which), cli.signal)) {
          if (out.json) out.data(line);
          else for (const text of renderLine(line, out)) out.line(text);
        }
      });
    addTreeCommands(command, cli, idHelp);
    const simple = (name: string, description: string, run: (id: string) => Promise<string>) =>
      command
        .command(name)
        .description(description)
        .argument("<id>", idHelp)
        .action(async (which: string) => {
          const { tasks } = await cli.app();
          const id = await tasks.resolve(which);
          const said = await run(id);
          out.result({ id, done: name }, () => said);
        });
    simple("pause", "let a running task stop after its step", async (id) => {
      await (await cli.app()).tasks.pause(id);
      return "it stops after the current step";
    });
    simple("cancel", "end a task for good", async (id) => {
      await (await cli.app()).tasks.cancel(id, "cancelled by the person");
      return "cancelled";
    });
    simple(
      "rebuild",
      "write its readable folder again from the journal",
      async (id) => `rebuilt ${await (await cli.app()).tasks.rebuild(id)}`,
    );
    command
      .command("context")
      .description("exactly what the model saw at a step")
      .argument("[id]", idHelp, "last")
      .option("--step <n>", "the step; the last one when absent")
      .action(async (which: string, flags: { step?: string }) => {
        const { tasks } = await cli.app();
        const seen = await tasks.context(
          await tasks.resolve(which),
          flags.step === undefined ? undefined : countFrom1("--step", flags.step),
        );
        out.result(
          { ...seen, tools: asIs(seen.tools) },
          () =>
            `=== step ${seen.step}: system ===\n${seen.system}\n\n=== tools ===\n${JSON.stringify(seen.tools, null, 1)}\n\n=== user ===\n${seen.user}`,
        );
      });
  },
};
