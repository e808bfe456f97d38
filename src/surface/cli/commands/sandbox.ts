import type { CommandModule } from "../command.ts";

export const command: CommandModule = {
  build(command, cli) {
    const { out } = cli;
    command.addHelpText(
      "after",
      "\nExamples:\n  $ sylk sandbox status\n  $ sylk sandbox test\n  $ sylk config set security.sandbox.mode require",
    );
    command
      .command("status")
      .description("whether commands are sandboxed here, and what is missing if not")
      .action(async () => {
        const status = await (await cli.app()).tools.sandboxStatus();
        out.result(status, () => {
          const active = status.available && status.mode !== "off";
          const head = active
            ? `${out.style("green", "on")}: commands run inside ${status.layer}`
            : `${out.style("yellow", "off")}: commands run directly, under permission checks only`;
          const lines = [head, `mode: ${status.mode}`, `network: ${status.network ? "by allow-list" : "none"}`];
          if (status.reason !== undefined) lines.push(status.reason);
          if (status.fix !== undefined) lines.push(`fix: ${status.fix}`);
          return lines.join("\n");
        });
      });
    command
      .command("test")
      .description("run commands that try to get out; exit code 1 when one does")
      .action(async () => {
        out.progress("trying to get out");
        const checks = await (await cli.app()).tools.sandboxTest();
        const failed = checks.filter((check) => !check.passed).length;
        out.result({ passed: failed === 0, checks }, () =>
          checks
            .map(
              (check) =>
                `${check.passed ? out.style("green", "✓") : out.style("red", "✗")} ${check.name}${check.detail === "" ? "" : out.style("dim", `  ${check.detail}`)}`,
            )
            .join("\n"),
        );
        if (failed > 0) cli.setExit(1);
      });
  },
};
