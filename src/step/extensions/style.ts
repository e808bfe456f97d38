/** How the project is written, told to tasks that write: its main languages at the start, another one when it is first changed. */
import path from "node:path";
import type { Clock } from "../../kernel/index.ts";
import type { ProjectStyle } from "../../tooling/index.ts";
import { listProjectFiles } from "../../workspace/index.ts";
import type { StepExtension } from "../extension.ts";
import { taskTypeOf } from "../task-type.ts";

export interface StyleParts {
  style: ProjectStyle;
  projectDir: string;
  trusts: (file: string, text: string) => boolean;
  clock: Clock;
}

const inputOf = (language: string): string => `style of ${language} here`;

export function createStyle({ style, projectDir, trusts, clock }: StyleParts): StepExtension {
  const told = new Set<string>();
  return {
    name: "style",
    async given(task) {
      if (!taskTypeOf({ type: task.type, checks: [] }, { projectDir, trusts }).writes) return {};
      const folder = task.tree?.path ?? path.resolve(projectDir, task.folder);
      const main = style.main(folder, await listProjectFiles(folder, clock));
      return { inputs: Object.fromEntries(main.map(({ language, line }) => [inputOf(language), line])) };
    },
    async vets(act, { created }, workspace) {
      if (act.action.effect !== "files") return undefined;
      const languages = new Set((await act.files()).flatMap(({ path: file }) => style.languageOf(file) ?? []));
      const unknown = [...languages].filter((one) => created.inputs[inputOf(one)] === undefined && !told.has(`${created.id} ${one}`));
      if (unknown.length === 0) return undefined;
      const files = await listProjectFiles(workspace.root, clock);
      const lines = unknown.flatMap((language) => {
        told.add(`${created.id} ${language}`);
        const line = style.line(workspace.root, language, files);
        return line === "" ? [] : [`${inputOf(language)}: ${line}`];
      });
      return lines.length === 0 ? undefined : { kind: "noted", note: lines.join("; ") };
    },
  };
}
