/** `sylk init --share`: gives a project settings that are committed with it; nothing is overwritten. */
import { existsSync } from "node:fs";
import path from "node:path";
import { writeFileAtomic } from "../atomic-file.ts";
import { SylkError } from "../errors.ts";

export interface SharedFiles {
  created: string[];
  kept: string[];
}

const CONFIG = `# Settings of this project, shared with your team. Personal ones: \`sylk config set --local\`.
# \`sylk config list\` shows every setting, \`sylk config schema\` gives editors completion.
# yaml-language-server: $schema=./config.schema.json
#
# llm:
#   default_model: anthropic/claude-sonnet-4-5
`;

export function shareSettings(
  { project, root, config, notices }: { project: string; root: string; config: string; notices: readonly string[] },
  schema: Record<string, unknown>,
): SharedFiles {
  if (path.dirname(root) !== project)
    throw new SylkError({
      code: "PROJECT_SHARED_FOREIGN",
      tier: "user_fixable",
      message: notices.at(-1) ?? `${root} cannot be used`,
      fix: "remove it, then run the command again",
    });
  const report: SharedFiles = { created: [], kept: [] };
  const files: [string, string][] = [
    [config, CONFIG],
    [path.join(root, "config.schema.json"), `${JSON.stringify(schema, null, 2)}\n`],
  ];
  for (const [file, content] of files) {
    const name = path.relative(project, file);
    if (existsSync(file)) report.kept.push(name);
    else {
      writeFileAtomic(file, content);
      report.created.push(name);
    }
  }
  return report;
}
