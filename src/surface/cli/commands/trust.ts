import { SylkError } from "../../../kernel/index.ts";
import { askTrust } from "../ask-trust.ts";
import type { Result } from "../../../protocol/api/index.ts";
import type { CommandModule } from "../command.ts";
import { asShown, nextOf, renderTrust, unanswered } from "../render-trust.ts";

interface TrustFlags {
  yes?: boolean;
  no?: boolean;
}

export const command: CommandModule = {
  build(command, cli) {
    const { out } = cli;
    const show = (status: Result<"trust.status">): void => {
      out.result(status, () => renderTrust(status, out));
      const next = nextOf(status);
      if (next !== undefined) out.note(out.style("dim", next));
    };
    command
      .option("-y, --yes", "trust everything the folder brings, as it is now")
      .option("--no", "trust nothing of it, and forget an earlier yes")
      .addHelpText(
        "after",
        "\nA folder may bring settings, skills, roles, prompts, task types, flows, hooks, commands, MCP servers, tools, skill templates, agents' memory and checks of its own. They count only when you trust them, each as it was when you did; what changes later is asked about again. Checks need it only where there is no sandbox. The answer is kept in your own space, not in the folder.\n\nExamples:\n  $ sylk trust status\n  $ sylk trust\n  $ sylk trust --yes\n  $ sylk trust --no",
      )
      .action(async (flags: TrustFlags) => {
        if (flags.no === true && flags.yes === true) throw usage("--yes and --no are both given", "choose one");
        if (flags.yes === true || flags.no === true) {
          const { things } = await cli.query({ type: "trust.status", checks: "all" });
          const answer = flags.yes === true ? "yes" : "no";
          const now = await cli.send({ type: "trust.decide", answer, things: asShown(things), earlier: "forget" });
          show(now);
          return;
        }
        const now = await cli.query({ type: "trust.status", checks: "all" });
        if (unanswered(now).length > 0) {
          if (!process.stdin.isTTY || !out.interactive || out.json)
            throw usage("nobody is there to be asked", "read what `sylk trust status` shows, then pass --yes or --no");
          if ((await askTrust(await cli.api(), cli, "all")) === "left") throw cli.interrupt();
        }
        show(await cli.query({ type: "trust.status", checks: "all" }));
      });
    command
      .command("status")
      .description("what the folder brings, and what you said about it")
      .action(async () => {
        show(await cli.query({ type: "trust.status", checks: "all" }));
      });
  },
};

function usage(message: string, fix: string): SylkError {
  return new SylkError({ code: "USAGE_TRUST", tier: "user_fixable", message, fix });
}
