import path from "node:path";
import { SylkError } from "../../../kernel/index.ts";
import type { Command } from "commander";
import { sayPictures } from "../say-pictures.ts";
import { collect } from "../collect.ts";
import type { CliContext, CommandModule } from "../command.ts";
import { withPiped } from "../piped-context.ts";
import { runAndShow } from "../run-and-show.ts";
import { defaultModel, needSignIn } from "../sign-in.ts";
import { countFrom1 } from "../whole-number.ts";

interface StartFlags {
  type: string;
  role: string;
  criterion: string[];
  constraint: string[];
  check: string[];
  reproduce?: string;
  model?: string;
  profile: string;
  maxSteps?: string;
  detach?: boolean;
  worktree?: boolean;
  folder?: string;
  given: string[];
  image: string[];
  checks: boolean;
}

function nameAndText(text: string): [string, string] {
  const at = text.indexOf("=");
  if (at < 1) throw new SylkError({ code: "USAGE_NOT_A_PAIR", tier: "user_fixable", message: `--given needs name=text, got ${text}` });
  return [text.slice(0, at), text.slice(at + 1)];
}

async function readGoal(parts: readonly string[], { out, sign }: CliContext): Promise<string> {
  if (parts.length > 0 && !(parts.length === 1 && parts[0] === "-"))
    return sign === "/" ? parts.join(" ") : withPiped(parts.join(" "), out);
  if (process.stdin.isTTY) return "";
  let text = "";
  for await (const chunk of process.stdin) text += String(chunk);
  return text.trim();
}

/** Everything a task can be started with. */
export function addStart(command: Command, cli: CliContext): void {
  const { out } = cli;
  command
    .argument("[goal...]", "what you want, in your words (stdin when absent or -; beside words, stdin is what they speak of)")
    .option("--type <type>", "implement_feature, fix_bug, fix_violation, write_tests, refactor, review, discover", "implement_feature")
    .option("--role <name>", "the role that works on it", "engineer")
    .option("--criterion <text>", "it is done when … (repeatable)", collect, [])
    .option("--constraint <text>", "it must … (repeatable)", collect, [])
    .option(
      "--check <command>",
      "a command that must pass (repeatable); without one, the project's own test, type and lint commands",
      collect,
      [],
    )
    .option("--reproduce <command>", "a command that fails because of the bug; that it passes shows the bug is gone")
    .option("-m, --model <provider/model>", "the model; scripted/<rules.yaml> for a scripted one")
    .option(
      "--profile <name>",
      "most a step's input may hold: default (16K, 32K when needed), minimal (8K), standard (32K), wide (128K)",
      "default",
    )
    .option("--max-steps <n>", "fixed number of steps instead of the adaptive budget")
    .option("--no-checks", "no checks at all, not even the project's own")
    .option("--given <name=text>", "a fact the task starts from, e.g. violation=… (repeatable)", collect, [])
    .option("--image <file>", "a picture to look at (repeatable); `@shot.png` in the goal is one too", collect, [])
    .option("--folder <dir>", "work in this folder of the project")
    .option("-w, --worktree", "work in a tree of its own; `sylk task merge` brings the result here")
    .option("--detach", "only create it; run it later with `sylk task resume`")
    .action(async (goal: string[], flags: StartFlags) => {
      const api = await cli.api();
      const goalText = await readGoal(goal, cli);
      const named = flags.model ?? cli.model;
      if (goalText !== "" && (cli.attended || flags.detach !== true)) await needSignIn(cli, named);
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
            reproduce: flags.reproduce,
            model: named,
            profile: flags.profile,
            max_steps: flags.maxSteps === undefined ? undefined : countFrom1("--max-steps", flags.maxSteps),
            folder: flags.folder,
            worktree: flags.worktree,
            given: Object.fromEntries(flags.given.map(nameAndText)),
            discover_checks: flags.checks,
            pictures: flags.image.map((file) => path.resolve(cli.cwd, file)),
            before: cli.conversation?.before(),
          },
        },
        cli.signal,
      );
      if (named === undefined && (await defaultModel(cli)) === undefined) {
        const { model } = await cli.query({ type: "task.show", id });
        out.note(`using ${model}; -m names another model, \`sylk config set llm.default_model …\` does so for good`);
      }
      if (goalText.includes("@") || flags.image.length > 0) sayPictures(cli, await cli.query({ type: "task.show", id }));
      if (flags.detach === true) out.result({ id }, () => id);
      else await runAndShow(cli, id);
    });
}

export const command: CommandModule = {
  build(command, cli) {
    command.addHelpText(
      "after",
      '\nThe same as `sylk task start`; `sylk "…"` and `sylk -p "…"` are shorter forms. There, what is plainly a question is answered instead\n(`sylk run --question`), and nothing is changed.\n\nExamples:\n  $ sylk exec "make the tests pass" --check "npm test"\n  $ sylk "rename the module to core" -w\n  $ git diff | sylk exec --type review --json\n  $ npm test 2>&1 | sylk exec "make these pass"',
    );
    addStart(command, cli);
  },
};
