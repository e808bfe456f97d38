import { asIs } from "../../wire-names.ts";
import type { CommandModule } from "../command.ts";
import { countFrom1 } from "../whole-number.ts";
import { addStart } from "./exec.ts";
import { addTreeCommands } from "./task-tree.ts";
import { renderSections } from "../render-sections.ts";
import { renderList, renderTask } from "../render-task.ts";
import { resumeTask, type ResumeFlags } from "../resume-task.ts";
import { withLive } from "../run-and-show.ts";
import { watchTask } from "../../follow-task.ts";
import { taskId } from "../whole-task-id.ts";

export const command: CommandModule = {
  build(command, cli) {
    const { out } = cli;
    const idHelp = "the id or its last characters; `last` for the newest";
    command.addHelpText(
      "after",
      '\nExit codes: 0 verified success or accepted by you, 1 failure, 3 finished but not verified, 4 needs a person, 5 budget reached, 7 provider unavailable, 41 not signed in.\n\nExamples:\n  $ sylk task start "make the tests pass" --check "npm test" -m anthropic/claude-sonnet-4-5\n  $ sylk config set llm.default_model anthropic/<model>      so that -m need not be said\n  $ sylk task start "rename the module" -w && sylk task diff && sylk task merge last\n  $ sylk task list\n  $ sylk task show\n  $ sylk task undo last\n  $ sylk task start "crash on an empty list" --type fix_bug --reproduce "node demo.mjs"\n  $ sylk task accept last "tried it by hand"\n  $ sylk task answer last "use the second option" && sylk task resume\n  $ sylk questions && sylk answer <id> once && sylk task resume',
    );
    addStart(command.command("start").description("start a task in this project and run it"), cli);
    command
      .command("resume")
      .description("go on with a task that was interrupted, paused or waits for an answer")
      .argument("[id]", "the id or its last characters; without one, the newest task that has not ended")
      .option("--answer <text>", "your answer to its question")
      .option("--more-steps <n>", "grant this many further steps")
      .option("-m, --model <provider/model>", "go on with another model")
      .action((which: string | undefined, flags: ResumeFlags) => resumeTask(cli, which, flags));
    command
      .command("answer")
      .description("answer a task's question")
      .argument("<id>", idHelp)
      .argument("<text...>", "your answer")
      .action(async (which: string, text: string[]) => {
        const id = await taskId(cli, which);
        await (await cli.api()).send({ type: "task.answer", id, text: text.join(" ") }, cli.signal);
        out.result({ id, answered: true }, () => `answered; go on with \`${out.word(`task resume ${id}`)}\``);
      });
    command
      .command("list")
      .description("tasks, newest first")
      .option("--limit <n>", "how many", "20")
      .action(async (flags: { limit: string }) => {
        const api = await cli.api();
        const list = await api.query({ type: "task.list", limit: countFrom1("--limit", flags.limit) }, cli.signal);
        const more = (await api.query({ type: "task.count" }, cli.signal)) - list.length;
        out.prose(list, () => renderList(list, more, out));
      });
    command
      .command("show")
      .description("what it did, why, what it cost, what is left")
      .argument("[id]", idHelp, "last")
      .action(async (which: string) => {
        const id = await taskId(cli, which);
        const task = await (await cli.api()).query({ type: "task.show", id }, cli.signal);
        out.prose(task, () => renderTask(task, out, "full"));
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
      const { status } = await cli.query({ type: "task.show", id });
      return status === "running" ? "it stops after the current step" : "nobody runs it now; `sylk task resume` goes on with it";
    });
    command
      .command("accept")
      .description("end a task on your word: what it did stands, though nothing verified it")
      .argument("<id>", idHelp)
      .argument("[why...]", "what you know that the checks do not")
      .action(async (which: string, why: string[]) => {
        const id = await taskId(cli, which);
        const reason = why.length === 0 ? "accepted by the person" : why.join(" ");
        await (await cli.api()).send({ type: "task.accept", id, reason }, cli.signal);
        out.result({ id, done: "accept" }, () => "accepted by you, not verified");
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
      .option("--step <n>", "the step; the one under way or the last when absent")
      .option("--sections", "only what it was made of, and how much of it each part was")
      .action(async (which: string, flags: { step?: string; sections?: boolean }) => {
        const step = flags.step === undefined ? undefined : countFrom1("--step", flags.step);
        const id = await taskId(cli, which);
        const seen = await (await cli.api()).query({ type: "task.context", id, step }, cli.signal);
        const { step: at, tokens, counted_tokens: counted, sections, cuts } = seen;
        if (flags.sections === true)
          return out.result({ step: at, tokens, counted_tokens: counted, sections: asIs(sections), cuts }, () => renderSections(seen));
        out.result(
          { ...seen, tools: asIs(seen.tools), sections: asIs(sections) },
          () =>
            `=== step ${seen.step}: system ===\n${seen.system}\n\n=== tools ===\n${JSON.stringify(seen.tools, null, 1)}\n\n=== user ===\n${seen.user}`,
        );
      });
  },
};
