/** Changes one value in a YAML file, keeping comments and order; refuses what would not validate. */
import { readFileSync } from "node:fs";
import { parse, parseDocument } from "yaml";
import type { ZodType } from "zod";
import { writeFileAtomic } from "../atomic-file.ts";
import { SylkError, systemCode } from "../errors.ts";
import { projectFile } from "../project-file.ts";
import { loadConfig } from "./load-config.ts";
import type { Tree } from "./tree.ts";

/** The user's own file may be a link; one of a project is read like anything of somebody else's. */
function currentText(file: string, project: string | undefined): string {
  if (project === undefined) {
    try {
      return readFileSync(file, "utf8");
    } catch (error) {
      if (systemCode(error) !== "ENOENT") throw error;
      return "";
    }
  }
  const found = projectFile.read(project, file);
  if (found.kind === "none") return "";
  if (found.kind === "read" && !found.cut) return found.text;
  throw new SylkError({
    code: "CONFIG_UNREADABLE",
    tier: "user_fixable",
    message: `${file} ${found.kind === "refused" ? found.reason : "is too large"}`,
    fix: "put a regular file in its place, or remove it",
  });
}

export interface ConfigEdit {
  path: readonly string[];
  /** YAML; undefined takes the setting away. */
  valueText: string | undefined;
  /** Whose file it is, when it is a project's. */
  project?: string | undefined;
}

export function editConfigFile(schema: ZodType, file: string, { path, valueText, project }: ConfigEdit): unknown {
  const text = currentText(file, project);
  const document = parseDocument(text);
  if (document.errors.length > 0) {
    throw new SylkError({
      code: "CONFIG_UNREADABLE",
      tier: "user_fixable",
      message: `${file} is not valid YAML: ${document.errors[0]?.message.split("\n")[0]}`,
      fix: "correct the file by hand first",
    });
  }
  let value: unknown;
  if (valueText === undefined) document.deleteIn(path);
  else {
    value = parse(valueText);
    document.setIn(path, value);
  }
  const check = loadConfig(schema, { env: {}, commandLine: (document.toJS() ?? {}) as Tree });
  const name = path.join(".");
  const problem = check.warnings.find(
    (warning) => warning.path === name || name.startsWith(`${warning.path}.`) || warning.path.startsWith(`${name}.`),
  );
  if (problem !== undefined) {
    throw new SylkError({
      code: "CONFIG_INVALID_VALUE",
      tier: "user_fixable",
      message: `${name} ${problem.message}`,
      fix: "`sylk config list` shows the known settings, `sylk config schema` their types",
    });
  }
  writeFileAtomic(file, String(document), { mode: 0o600 });
  return value;
}
