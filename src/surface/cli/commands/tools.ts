import type { Result } from "../../../protocol/api/index.ts";
import type { CliContext, CommandModule } from "../command.ts";

type Discovery = Result<"tool.discover">;

function render(found: Discovery, cli: CliContext): string {
  const { out } = cli;
  const lines: string[] = [];
  lines.push(
    `${out.style("bold", "languages")}  ${found.languages.map((item) => `${item.language} (${item.files})`).join(", ") || "none recognised"}`,
  );
  for (const manager of found.package_managers)
    lines.push(`${out.style("bold", "packages")}   ${manager.id}  ${out.style("dim", `${manager.install.join(" ")} — ${manager.reason}`)}`);
  for (const { category, language, root, tool, warnings, requires_user: requiresUser, alternatives } of found.choices) {
    if (requiresUser) continue;
    const place = root === "." ? "" : ` in ${root}`;
    lines.push(
      `${out.style("bold", category.replace("_", " "))} for ${language}${place}: ${tool.name}  ${out.style("dim", `${Math.round(tool.confidence * 100)} %: ${tool.reason}`)}`,
    );
    const command = tool.commands.run ?? tool.commands.file;
    if (command !== undefined) lines.push(`    ${command.join(" ")}`);
    if (alternatives.length > 0) lines.push(out.style("dim", `    also: ${alternatives.map((item) => item.id).join(", ")}`));
    for (const warning of warnings) lines.push(out.style("yellow", `    ${warning}`));
  }
  const open = found.choices.filter((choice) => choice.requires_user);
  if (open.length > 0)
    lines.push(
      out.style(
        "dim",
        `nothing configured for: ${open.map((choice) => `${choice.category.replace("_", " ")} (${choice.language}, usual: ${choice.tool.id})`).join(", ")}`,
      ),
    );
  return lines.join("\n");
}

export const command: CommandModule = {
  build(command, cli) {
    command.addHelpText(
      "after",
      "\nExamples:\n  $ sylk tools\n  $ sylk tools --json | jq '.choices[] | {category, id: .tool.id}'\n\nAdd or replace tools in .sylk/tools.yaml.",
    );
    command.action(async () => {
      const found = await cli.query({ type: "tool.discover" });
      cli.out.result(found, () => render(found, cli));
    });
  },
};
