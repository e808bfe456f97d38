import { wording } from "../../../kernel/index.ts";
import { VERSION } from "../../../app/index.ts";
import type { CommandModule } from "../command.ts";
import { EXIT } from "../exit-codes.ts";

const COMMAND = "npm install -g sylk@latest";

export const command: CommandModule = {
  build(command, cli) {
    const { out } = cli;
    command
      .option("--check", "ask the npm registry which version is the newest")
      .addHelpText(
        "after",
        "\nSylk never updates itself and never asks by itself. The registry is the one npm uses (npm_config_registry, ~/.npmrc). SYLK_OFFLINE=1 turns off everything that is sent to anybody but model providers.\n\nExamples:\n  $ sylk update\n  $ sylk update --check\n  $ sylk update --check --json",
      )
      .action(async ({ check }: { check?: boolean }) => {
        if (check !== true) {
          out.result(
            { current: VERSION, command: COMMAND },
            () => `this is ${VERSION}; \`${COMMAND}\` brings the newest, --check asks which that is`,
          );
          return;
        }
        const found = await cli.query({ type: "project.newest" });
        out.result({ ...found, command: COMMAND }, () => {
          if (found.kind === "unknown") return `this is ${found.current}; the newest is not known: ${wording.oneLine(found.why, 300)}`;
          return found.is_newer
            ? `${found.newest} is there, this is ${found.current}; \`${COMMAND}\` brings it`
            : `this is ${found.current}, and nothing newer is there`;
        });
        if (found.kind === "unknown") cli.setExit(EXIT.failure);
      });
  },
};
