/** What a newcomer meets: what this is, whether the machine is ready, what to try. */
import { VERSION } from "../../app/index.ts";
import type { CliContext } from "./command.ts";
import { renderFindings } from "./render-findings.ts";

export async function showFirstScreen(cli: CliContext): Promise<void> {
  const report = await cli.query({ type: "project.doctor" });
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
  cli.out.line("  sylk config set llm.default_model <provider/model>         the model to work with, unless -m names one");
  cli.out.line('  sylk task start "make the tests pass" --check "npm test"   one verified task in this folder');
  cli.out.line("  sylk journal tail --follow                                 watch what happens");
  cli.out.line("  sylk config list                                           every setting and where it comes from");
  cli.out.line("  sylk help                                                  all commands");
}
