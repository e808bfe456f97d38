import path from "node:path";
import { SylkError } from "../../../kernel/index.ts";
import { sayPictures } from "../say-pictures.ts";
import { collect } from "../collect.ts";
import type { CliContext, CommandModule } from "../command.ts";
import { withPiped } from "../piped-context.ts";
import { runRequest } from "../run-request.ts";
import { carryOut } from "../slash-command.ts";
import { needModelOf, needSignIn } from "../sign-in.ts";

interface RunFlags {
  approve: string;
  solo?: boolean;
  team?: boolean;
  criterion: string[];
  constraint: string[];
  check: string[];
  model?: string;
  profile: string;
  maxBudgetUsd?: string;
  image: string[];
  detach?: boolean;
  question?: boolean;
}

const RUN_HELP =
  '\nPlans the change, builds it in pipelines of their own (failing tests first, then the work, then a judgement), merges what passes and\njudges the whole. Your folder is touched once, at the end.\nA question is answered, and nothing changes; where it is not clear what is meant you are asked. `/help` lists commands with a slash.\n\nExamples:\n  $ sylk run "add a --json flag to the report command"\n  $ sylk plan "split the parser from the printer"\n  $ sylk run "support three more currencies" --approve auto --max-budget-usd 2 --json\n  $ sylk run --question "what does mul do"\n  $ gh issue view 12 | sylk run "do what this asks for"';
const PLAN_HELP =
  '\nShows what will be true and the pieces of work, and builds nothing. `sylk session resume` approves it and goes on; `sylk answer` takes\nwords about it, or rejects it.\n\nExamples:\n  $ sylk plan "split the parser from the printer"\n  $ sylk plan "support three more currencies" --constraint "no new dependencies" --json';

const APPROVE = ["ask", "auto", "plan-only"] as const;

function approveOf(text: string): (typeof APPROVE)[number] {
  const found = APPROVE.find((one) => one === text);
  if (found !== undefined) return found;
  throw new SylkError({ code: "USAGE_CHOICE", tier: "user_fixable", message: `--approve takes ${APPROVE.join(", ")}, not ${text}` });
}

function budgetOf(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const usd = Number(text);
  if (Number.isFinite(usd) && usd > 0) return usd;
  throw new SylkError({ code: "USAGE_CHOICE", tier: "user_fixable", message: `--max-budget-usd takes an amount above 0, not ${text}` });
}

/** The same for a whole request and for its plan alone; `approve` absent: the user says when. */
function buildRun(command: Parameters<CommandModule["build"]>[0], cli: CliContext, only?: "plan-only"): void {
  if (only === undefined)
    command
      .option("--approve <when>", "ask: for the plan and the merge; auto: never; plan-only: stop at the plan", "ask")
      .option("--question", "answer it, and change nothing");
  command
    .argument("<request...>", "what you want, in your words")
    .option("--solo", "one pipeline, whatever the plan suggests")
    .option("--team", "several pipelines where the plan has several pieces")
    .option("--criterion <text>", "it is done when … (repeatable)", collect, [])
    .option("--constraint <text>", "it must … (repeatable)", collect, [])
    .option("--check <command>", "a command that must pass (repeatable); without one, the project's own", collect, [])
    .option("-m, --model <provider/model>", "one model for every role; without it each role has its own")
    .option("--profile <name>", "most a step's input may hold", "default")
    .option("--image <file>", "a picture to look at (repeatable); `@shot.png` in the words is one too", collect, [])
    .option("--max-budget-usd <amount>", "most the whole may cost")
    .option("--detach", "only write it down; run it with `sylk session resume`")
    .addHelpText("after", only === undefined ? RUN_HELP : PLAN_HELP)
    .action(async (words: string[], flags: RunFlags) => {
      const said = await cli.query({ type: "request.command", words: words.join(" ") });
      if (said.kind === "wrong")
        throw new SylkError({ code: "USAGE_NO_COMMAND", tier: "user_fixable", message: said.message, fix: said.fix });
      if (said.kind === "command") {
        const { does } = said;
        if (does !== "plan") return carryOut(cli, { ...said, does });
      }
      const model = flags.model ?? cli.model;
      await needSignIn(cli, model);
      // Without anybody who could begin, it would stand there as begun and interrupted.
      if (model === undefined && flags.detach !== true) await needModelOf(cli, flags.question === true ? "guide" : "architect");
      if (flags.question === true)
        cli.out.note(cli.out.style("dim", 'taken as a question: it is answered, and nothing is changed (`sylk exec "…"` makes it a task)'));
      const meant = said.kind === "command" ? said.rest : said.kind === "request" ? said.words : words.join(" ");
      const { id } = await cli.send({
        type: "request.start",
        options: {
          words: cli.sign === "/" ? meant : await withPiped(meant, cli.out),
          constraints: flags.constraint,
          criteria: flags.criterion,
          checks: flags.check,
          approve: said.kind === "command" || cli.permissionMode.get() === "plan" ? "plan-only" : (only ?? approveOf(flags.approve)),
          mode: flags.solo === true ? "solo" : flags.team === true ? "team" : "auto",
          model,
          profile: flags.profile,
          budget_usd: budgetOf(flags.maxBudgetUsd),
          pictures: flags.image.map((file) => path.resolve(cli.cwd, file)),
          before: cli.conversation?.before(),
          ...(flags.question === true ? { asks: true } : {}),
        },
      });
      if (words.join(" ").includes("@") || flags.image.length > 0) sayPictures(cli, await cli.query({ type: "request.show", id }));
      if (flags.detach === true) cli.out.result({ id }, () => id);
      else await runRequest(cli, id);
    });
}

export const command: CommandModule = { build: (command, cli) => buildRun(command, cli) };
export const planCommand: CommandModule = { build: (command, cli) => buildRun(command, cli, "plan-only") };
