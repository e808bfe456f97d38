/** What a newcomer meets: what this is, whether the machine is ready, what to try. */
import { VERSION } from "../../app/index.ts";
import type { CliContext } from "./command.ts";
import { renderFindings } from "./render-findings.ts";

export async function showFirstScreen(cli: CliContext): Promise<void> {
  const report = await cli.query({ type: "project.doctor", quick: true });
  if (cli.out.json) {
    cli.out.data(report);
    return;
  }
  const bold = (text: string): string => cli.out.style("bold", text);
  cli.out.line(`${bold(`Sylk ${VERSION}`)}  a team of software agents that cannot forget`);
  cli.out.line();
  cli.out.line(renderFindings(report, cli.out));
  cli.out.line();
  cli.out.line(bold("Try"));
  const ready = report.findings.some(({ name, status }) => name === "providers" && status === "ok");
  const lines = [
    ...(ready ? [] : [["sylk auth login", "keep a provider's key; a task then uses its balanced model"]]),
    ["sylk demo", "a request from a sentence to merged code, in a copy; needs no key"],
    ['sylk "make the tests pass" --check "npm test"', "one verified task in this folder"],
    ['sylk search "where is … decided"', "find code and what was done before; needs no model"],
    ["sylk task list", "what was done here"],
    ["sylk help", "all commands"],
  ];
  for (const [word = "", what = ""] of lines) cli.out.line(`  ${word.padEnd(48)} ${what}`);
}
