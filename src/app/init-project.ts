/** `sylk init`: makes the folder a known project and, on request, gives it shared settings; nothing is overwritten. */
import { existsSync } from "node:fs";
import path from "node:path";
import { SylkError, writeFileAtomic, type ProjectDirs } from "../kernel/index.ts";

export interface InitReport {
  project: string;
  private: string;
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

export function initProject(project: ProjectDirs, sharedSchema: Record<string, unknown> | undefined): InitReport {
  project.claim();
  const report: InitReport = { project: project.project, private: project.private, created: [], kept: [] };
  if (sharedSchema === undefined) return report;
  if (path.dirname(project.root) !== project.project)
    throw new SylkError({
      code: "PROJECT_SHARED_FOREIGN",
      tier: "user_fixable",
      message: project.notices.at(-1) ?? `${project.root} cannot be used`,
      fix: "remove it, then run the command again",
    });
  const files: [string, string][] = [
    [project.config, CONFIG],
    [path.join(project.root, "config.schema.json"), `${JSON.stringify(sharedSchema, null, 2)}\n`],
  ];
  for (const [file, content] of files) {
    const name = path.relative(project.project, file);
    if (existsSync(file)) report.kept.push(name);
    else {
      writeFileAtomic(file, content);
      report.created.push(name);
    }
  }
  return report;
}
