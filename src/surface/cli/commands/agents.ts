import type { CommandModule } from "../command.ts";
import type { Output } from "../output.ts";

interface Problem {
  file: string;
  field?: string | undefined;
  message: string;
}

const problemLine = ({ file, field, message }: Problem): string => `${file}: ${field === undefined ? "" : `${field} `}${message}`;

function shown(value: unknown): string {
  if (value === null || (Array.isArray(value) && value.length === 0)) return "none";
  if (Array.isArray(value)) return value.map(shown).join(", ");
  if (typeof value !== "object") return typeof value === "string" ? value : JSON.stringify(value);
  return Object.entries(value)
    .filter(([, part]) => !Array.isArray(part) || part.length > 0)
    .map(([name, part]) => `${name} ${shown(part)}`)
    .join("; ");
}

function columns(rows: readonly (readonly [string, string, string])[], out: Output): string {
  const width = Math.max(...rows.map(([name]) => name.length));
  return rows
    .map(([name, value, note]) => `${out.style("bold", name.padEnd(width))}  ${value}${note === "" ? "" : `  ${out.style("dim", note)}`}`)
    .join("\n");
}

export const command: CommandModule = {
  build(command, cli) {
    const { out } = cli;
    command.addHelpText(
      "after",
      '\nA role is a file agents/<role>.md in your configuration folder, or .sylk/agents/<role>.md in a project you trust.\nSingle fields are changed by <role>.yaml, or by all.yaml for every role, in the same places.\n\nExamples:\n  $ sylk agents list\n  $ sylk agents show engineer\n  $ sylk agents show inspector --json\n  $ sylk task start "look at the login" --role inspector',
    );
    command
      .command("list")
      .description("every role that is defined here")
      .action(async () => {
        const found = await cli.query({ type: "agent.list" });
        out.result(found, () =>
          [
            columns(
              found.agents.map(({ role, summary, changed_by, problems }) => [
                role,
                summary,
                [...changed_by, ...(problems === 0 ? [] : [`${problems} not used; \`sylk agents show ${role}\``])].join(", "),
              ]),
              out,
            ),
            ...found.problems.map(problemLine),
          ].join("\n"),
        );
      });
    command
      .command("show <role>")
      .description("what a role is, and where each field comes from")
      .action(async (role: string) => {
        const found = await cli.query({ type: "agent.show", role });
        out.result(found, () =>
          [
            columns(
              found.fields.map(({ name, value, from, file }) => [
                name,
                shown(value),
                from === "default" || from === "shipped" ? from : `${from}: ${file}`,
              ]),
              out,
            ),
            ...found.problems.map(problemLine),
          ].join("\n"),
        );
      });
  },
};
