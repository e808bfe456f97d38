/** `sylk init`: a project folder with a commented configuration, never overwriting anything. */
import { existsSync } from "node:fs";
import path from "node:path";
import { writeFileAtomic, type ProjectDirs } from "../kernel/index.ts";
import { ignoreOwnFiles } from "./project-store.ts";

export interface InitReport {
  project: string;
  created: string[];
  kept: string[];
}

const CONFIG = `# Settings of this project, shared with your team. Personal ones go to .sylk/local/config.yaml.
# \`sylk config list\` shows every setting, \`sylk config schema\` gives editors completion.
# yaml-language-server: $schema=./config.schema.json
#
# llm:
#   default_model: anthropic/claude-sonnet-4-5
`;

export function initProject(project: ProjectDirs, schema: Record<string, unknown>): InitReport {
  const report: InitReport = { project: project.project, created: [], kept: [] };
  const files: [string, string][] = [
    [project.config, CONFIG],
    [path.join(project.root, "config.schema.json"), `${JSON.stringify(schema, null, 2)}\n`],
    [path.join(project.local, ".gitignore"), "*\n"],
  ];
  for (const [file, content] of files) {
    const name = path.relative(project.project, file);
    if (existsSync(file)) report.kept.push(name);
    else {
      writeFileAtomic(file, content);
      report.created.push(name);
    }
  }
  ignoreOwnFiles(project);
  return report;
}
