/** Changes one value in a YAML file, keeping comments and order; refuses what would not validate. */
import { readFileSync } from "node:fs";
import { parse, parseDocument } from "yaml";
import type { ZodType } from "zod";
import { writeFileAtomic } from "../atomic-file.ts";
import { SylkError, systemCode } from "../errors.ts";
import { loadConfig } from "./load-config.ts";
import type { Tree } from "./tree.ts";

export function editConfigFile(schema: ZodType, file: string, path: readonly string[], valueText: string | undefined): unknown {
  let text = "";
  try {
    text = readFileSync(file, "utf8");
  } catch (error) {
    if (systemCode(error) !== "ENOENT") throw error;
  }
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
