import { SylkError } from "../../../kernel/index.ts";
import type { CommandModule } from "../command.ts";
import { EXIT } from "../exit-codes.ts";

interface ScopeFlag {
  user?: boolean;
}

const scopeOf = (flags: ScopeFlag): "user" | "project" => (flags.user === true ? "user" : "project");

const RULES = `
A rule is the beginning of a command (docker build), line:WHOLE LINE, domain:HOST, path:FOLDER=read|write|delete, or
mcp:SERVER/TOOL for a tool of an MCP server.
What is denied stands above whatever is allowed. A rule that could never count is refused.`;

const MODES = `
Modes, with --permission-mode; a task goes on in ask-edits and plan until you name
another, auto and bypass hold for one run:
  default       looks and edits inside the project need no question; nor do
                builds and tests in the sandbox; the rest is asked about
  ask-edits     every change of a file in your folder is asked about, with its
                diff, and every command that does more than look; work trees
                are asked about when they are merged
  plan          only looks: nothing is written, nothing else is run
  accept-edits  the same as default: edits are written, \`sylk task undo\` takes
                them back
  auto          in the sandbox nothing is asked but keys; without one, as default
  bypass        nothing is asked; only what is denied stays denied`;

export const command: CommandModule = {
  build(command, cli) {
    const { out } = cli;
    command.addHelpText(
      "after",
      `${RULES}\n${MODES}\n\nExamples:\n  $ sylk permissions list\n  $ sylk permissions allow "npm run lint"\n  $ sylk permissions deny "docker push"\n  $ sylk permissions check "git status && rm -rf ~"\n  $ sylk permissions show inspector`,
    );
    command
      .command("list")
      .description("remembered rules")
      .action(async () => {
        const lists = await cli.query({ type: "permission.list" });
        if (out.json) out.data({ permissions: lists });
        else {
          for (const { scope, file, rules } of lists) {
            out.line(`${out.style("bold", scope)}  ${out.style("dim", file)}`);
            const kept = Object.entries(rules).flatMap(([key, value]) => {
              const shown = Array.isArray(value)
                ? value
                : Object.entries(value as Record<string, string>).map(([p, access]) => `${p} (${access})`);
              return shown.length === 0 ? [] : [`${key.replace("_", " ")}: ${shown.join(", ")}`];
            });
            for (const line of kept.length === 0 ? ["no rules"] : kept) out.line(`  ${line}`);
          }
          out.note(out.style("dim", "what is asked about at all depends on the mode: sylk permissions --help"));
        }
      });
    command
      .command("show <agent>")
      .description("what an agent may do at all")
      .action(async (agent: string) => {
        const capabilities = await cli.query({ type: "permission.capabilities", role: agent });
        out.result({ agent, capabilities }, () => `${agent}: ${capabilities.join(", ")}`);
      });
    command
      .command("check <command>")
      .description("what would happen to a command, without running it")
      .option("--agent <type>", "whose command", "engineer")
      .action(async (line: string, flags: { agent: string }) => {
        if (line.trim() === "")
          throw new SylkError({
            code: "USAGE_NO_COMMAND",
            tier: "user_fixable",
            message: "there is no command to check",
            fix: 'sylk permissions check "<command>"',
          });
        const { verdict, why } = await cli.query({ type: "permission.check", role: flags.agent, line });
        out.result({ verdict, why }, () => `${verdict}  ${why}`);
        if (verdict === "deny") cli.setExit(EXIT.permission);
      });
    command
      .command("allow <rule>")
      .description("allow from now on")
      .option("--user", "in all projects instead of this one")
      .action(async (rule: string, flags: ScopeFlag) => {
        await cli.send({ type: "permission.allow", rule, scope: scopeOf(flags) });
        out.result({ allowed: rule, scope: scopeOf(flags) }, () => `allowed (${scopeOf(flags)}): ${rule}`);
      });
    command
      .command("deny <rule>")
      .description("forbid from now on, whatever else is allowed")
      .option("--user", "in all projects instead of this one")
      .action(async (rule: string, flags: ScopeFlag) => {
        await cli.send({ type: "permission.deny", rule, scope: scopeOf(flags) });
        out.result({ denied: rule, scope: scopeOf(flags) }, () => `denied (${scopeOf(flags)}): ${rule}`);
      });
    command
      .command("forget <rule>")
      .description("take a rule back")
      .option("--user", "from the rules for all projects")
      .action(async (rule: string, flags: ScopeFlag) => {
        const found = await cli.send({ type: "permission.forget", rule, scope: scopeOf(flags) });
        out.result({ forgotten: found, rule }, () => (found ? `forgotten: ${rule}` : `there is no rule ${rule}`));
        if (!found) cli.setExit(EXIT.failure);
      });
  },
};
