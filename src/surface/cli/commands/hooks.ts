import type { Result } from "../../../protocol/api/index.ts";
import { wording } from "../../../kernel/index.ts";
import type { CommandModule } from "../command.ts";
import type { Output } from "../output.ts";

type Line = Result<"hook.list">[number];
type Trial = Result<"hook.test">;

const NONE = "there are no hooks; docs/hooks.md tells how to write one";
const WOULD = { go_on: "would go on", block: "would say no", fail: "failed; the work would go on" } as const;

function listed(hooks: readonly Line[], out: Output): string {
  return hooks
    .map(({ event, matcher, command, file, counts, why }) => {
      const mark = counts ? out.style("green", "✓") : out.style("yellow", "–");
      const what = [event, matcher === undefined || matcher === "" ? undefined : `[${matcher}]`, wording.oneLine(command)];
      const head = `${mark} ${what.filter((part) => part !== undefined && part !== "").join("  ")}  ${out.style("dim", file)}`;
      return counts ? head : `${head}\n    does not count: ${why ?? ""}`;
    })
    .join("\n");
}

function tried({ event, input, hooks }: Trial, out: Output): string {
  if (hooks.length === 0) return `no hook that counts is for ${event} with this input; \`sylk hooks list\` shows all`;
  const shown = hooks.flatMap(({ command, file, would, says, context, updated_input: updated }) => [
    `${out.style(would === "go_on" ? "green" : "yellow", WOULD[would])}: ${wording.oneLine(command)}  ${out.style("dim", file)}`,
    ...(says === undefined ? [] : [`    says: ${says}`]),
    ...(context === undefined ? [] : [`    tells the agent: ${context}`]),
    ...(updated === undefined ? [] : [`    other arguments: ${JSON.stringify(updated)}`]),
  ]);
  return [`given: ${JSON.stringify(input)}`, ...shown].join("\n");
}

export const command: CommandModule = {
  build(command, cli) {
    const { out } = cli;
    command.addHelpText(
      "after",
      "\nHooks stand under `hooks` in your configuration, or in .sylk/hooks.json and .claude/settings.json of a folder you trust.\n\nExamples:\n  $ sylk hooks list\n  $ sylk hooks test PreToolUse --tool Bash",
    );
    command
      .command("list")
      .description("every hook that is written down, and whether it counts")
      .action(async () => {
        const hooks = await cli.query({ type: "hook.list" });
        out.result({ hooks }, () => (hooks.length === 0 ? NONE : listed(hooks, out)));
      });
    command
      .command("test <event>")
      .description("run the hooks of an event with a made-up input, and show what they would do")
      .option("--tool <name>", "for PreToolUse and PostToolUse: the action, by Sylk's name or another agent's")
      .action(async (event: string, { tool }: { tool?: string }) => {
        const trial = await cli.send({ type: "hook.test", event, tool });
        out.result(trial, () => tried(trial, out));
        if (trial.hooks.some(({ would }) => would === "fail")) cli.setExit(1);
      });
  },
};
