import { SylkError, must } from "../../../kernel/index.ts";
import type { Result } from "../../../protocol/api/index.ts";
import type { CommandModule } from "../command.ts";
import { refreshIndex } from "../progress.ts";
import type { Output } from "../output.ts";
import { projectPath } from "../project-path.ts";
import { visibleLine } from "../visible-text.ts";

type Why = Result<"knowledge.why">;

/** Of a commit that did not write the line asked about. */
const BODY_LINES = 3;

function render(why: Why, out: Output): string {
  const lines: string[] = [out.style("bold", `${visibleLine(why.path)}${why.line === undefined ? "" : `:${why.line}`}`)];
  if (why.symbol !== undefined)
    lines.push(`in ${why.symbol.signature}`, ...(why.symbol.doc === "" ? [] : [out.style("dim", why.symbol.doc)]));
  for (const commit of why.commits) {
    const [subject = "", ...body] = commit.message.split("\n");
    lines.push(`${commit.wrote_line ? "→" : " "} ${commit.time.slice(0, 10)}  ${commit.hash.slice(0, 8)}  ${commit.author}: ${subject}`);
    const said = body.filter((line) => line.trim() !== "");
    const shown = commit.wrote_line ? said : said.slice(0, BODY_LINES);
    lines.push(
      ...shown.map((line) => out.style("dim", `      ${line}`)),
      ...(said.length > shown.length ? [out.style("dim", "      …")] : []),
    );
  }
  for (const note of why.notes) lines.push(`  noted ${note.time?.slice(0, 10) ?? ""}: ${note.text.replaceAll(/\s+/gu, " ").slice(0, 200)}`);
  if (why.together.length > 0)
    lines.push(`changes with: ${why.together.map(({ path, times }) => `${visibleLine(path)} (${times})`).join(", ")}`);
  if (why.tests.length > 0) lines.push(`tested by: ${why.tests.join(", ")}`);
  if (why.imported_by.length > 0) lines.push(`used by: ${why.imported_by.join(", ")}`);
  return lines.join("\n");
}

export const command: CommandModule = {
  build(command, cli) {
    const { out } = cli;
    command
      .argument("<place>", "a file, or file:line")
      .addHelpText("after", "\nExamples:\n  $ sylk why src/server.ts\n  $ sylk why src/server.ts:120")
      .action(async (place: string) => {
        const match = /^(.+?)(?::(\d+))?$/u.exec(place);
        if (match === null) throw new SylkError({ code: "USAGE_NO_PLACE", tier: "user_fixable", message: `${place} is not a file` });
        const indexing = await refreshIndex(cli);
        const why = await cli.query({
          type: "knowledge.why",
          path: projectPath(cli.cwd, must(match[1])),
          line: match[2] === undefined ? undefined : Number(match[2]),
        });
        out.result({ ...why, ...indexing }, () => render(why, out));
      });
  },
};
