import { Option } from "commander";
import { oneOf, wording } from "../../../kernel/index.ts";
import type { Command as ApiCommand, Result } from "../../../protocol/api/index.ts";
import type { CliContext, CommandModule } from "../command.ts";
import type { Output } from "../output.ts";
import { visibleLine } from "../visible-text.ts";

const TOOLS = ["claude", "codex", "gemini", "opencode", "cursor", "taskmaster"] as const;

type Request = Omit<ApiCommand<"import.apply">, "type" | "digest">;
type Item = Result<"import.plan">["items"][number];

interface ImportFlags {
  from?: string;
  user?: boolean;
  project?: boolean;
  yes?: boolean;
  dryRun?: boolean;
}

const KINDS: Readonly<Record<Item["kind"], string>> = {
  rules: "rules",
  skill: "skill",
  command: "command",
  mcp_server: "MCP server",
  role: "role",
  hooks: "hooks",
  permissions: "permissions",
  tasks: "open tasks",
};

function line({ kind, name, from, to, state, why, set }: Item, out: Output): string[] {
  const marks = {
    new: out.style("green", "+"),
    there: out.style("dim", "="),
    used: out.style("dim", "="),
    clash: out.style("yellow", "!"),
    left_out: out.style("yellow", "–"),
  };
  const told = {
    new: `${from} → ${to ?? ""}`,
    there: `${to ?? ""} has it already`,
    used: `${from} is read here as it is`,
    clash: `${from}: ${why ?? ""}`,
    left_out: `${from}: ${why ?? ""}`,
  };
  const more = [
    ...(why === undefined || state === "clash" || state === "left_out" ? [] : [`    ${why}`]),
    ...(set.length === 0 ? [] : [`    a secret is not copied: set ${set.join(", ")} in your environment`]),
  ];
  return [`${marks[state]} ${KINDS[kind].padEnd(10)}  ${wording.oneLine(name, 60)}  ${visibleLine(told[state])}`, ...more];
}

async function bring(cli: CliContext, request: Request, { yes = false, dryRun = false }: ImportFlags): Promise<void> {
  const { out } = cli;
  const plan = await cli.query({ type: "import.plan", ...request });
  const fresh = plan.items.filter(({ state }) => state === "new");
  if (!out.json) {
    for (const item of plan.items) for (const text of line(item, out)) out.line(text);
    if (plan.items.length === 0) out.line(`nothing of ${request.tool} was found`);
    else if (fresh.length === 0) out.line("nothing is left to write");
  }
  const message = `Write ${fresh.length === 1 ? "what is" : `the ${fresh.length} that are`} marked with +?`;
  const asks = cli.attended && !dryRun;
  const agreed = fresh.length > 0 && (yes || (asks && (await cli.ask.yesNo({ message, signal: cli.signal })) === true));
  if (!agreed) {
    if (out.json) out.data({ ...plan, written: [] });
    else if (fresh.length > 0) out.line(asks ? "nothing was written" : "nothing was written; --yes writes what is marked with +");
    return;
  }
  const done = await cli.send({ type: "import.apply", ...request, digest: plan.digest });
  out.result(done, () =>
    [
      ...done.written.map((file) => `written  ${file}`),
      ...(fresh.some(({ scope, kind }) => scope === "project" && kind !== "rules" && kind !== "tasks")
        ? ["what is in the project counts after `sylk trust`"]
        : []),
    ].join("\n"),
  );
}

export const command: CommandModule = {
  build(command, cli) {
    command
      .argument("<tool>", TOOLS.join(", "))
      .option("--from <dir>", "another folder in place of this project; with --user in place of your home folder")
      .addOption(new Option("--user", "only what is yours, into your own files").conflicts("project"))
      .option("--project", "only what is the project's, into the project")
      .addOption(new Option("--yes", "write without asking").conflicts("dryRun"))
      .option("--dry-run", "only show it: nothing is asked or written")
      .addHelpText(
        "after",
        "\nFirst it shows what it found, what it would write where, and what is left out and why. Nothing that exists is changed, and no secret gets into a project.\n\nExamples:\n  $ sylk import claude\n  $ sylk import cursor --project --yes\n  $ sylk import codex --user --json\n  $ sylk import taskmaster --from ../old-project",
      )
      .action((tool: string, flags: ImportFlags) => {
        const scope = flags.user === true ? ("user" as const) : flags.project === true ? ("project" as const) : undefined;
        return bring(
          cli,
          {
            tool: oneOf("the tool", tool, TOOLS),
            ...(flags.from === undefined ? {} : { from: flags.from }),
            ...(scope === undefined ? {} : { scope }),
          },
          flags,
        );
      });
  },
};
