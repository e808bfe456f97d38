import type { Result } from "../../../protocol/api/index.ts";
import type { CommandModule } from "../command.ts";

type SandboxCheck = Result<"sandbox.test">[number];

const COLOURS = { kept: "green", broken: "red", not_tested: "yellow" } as const;
const MARKS = { kept: "✓", broken: "✗", not_tested: "?" };

const lineOf = ({ name, result, detail }: SandboxCheck): string =>
  `${name}${result === "not_tested" ? `: not tested, ${detail}` : detail === "" ? "" : `  ${detail}`}`;

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
        const status = await cli.query({ type: "sandbox.status" });
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
      .description("run commands that try to get out, inside and outside; exit code 1 when one does, or nothing could be shown")
      .action(async () => {
        out.progress("trying to get out");
        const checks = await cli.send({ type: "sandbox.test" });
        const count = (result: SandboxCheck["result"]): number => checks.filter((check) => check.result === result).length;
        const passed = count("broken") === 0 && count("kept") > 0;
        out.result({ passed, kept: count("kept"), broken: count("broken"), not_tested: count("not_tested"), checks }, () => {
          const shown = [...new Set(checks.map((check) => check.layer))].flatMap((layer) => [
            `${layer}:`,
            ...checks
              .filter((check) => check.layer === layer)
              .map((check) => `  ${out.style(COLOURS[check.result], MARKS[check.result])} ${lineOf(check)}`),
          ]);
          return [...shown, `${count("kept")} kept, ${count("broken")} broken, ${count("not_tested")} not tested`].join("\n");
        });
        if (!passed) cli.setExit(1);
      });
  },
};
