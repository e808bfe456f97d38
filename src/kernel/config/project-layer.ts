/**
 * The project's own `config.yaml`: somebody else's text until a user trusts it. Every value is judged by
 * its path, part by part, never by a joined name. Not trusted: only what is harmless counts, and nothing
 * in it is replaced by what the environment holds. Trusted or not: what is the user's alone is not taken.
 */
import { must } from "../errors.ts";
import { canonicalJson } from "../canonical-json.ts";
import { sha256 } from "../hash.ts";
import { projectFile } from "../project-file.ts";
import { parseYamlLayer, substituteEnv, type ConfigWarning, type Layer, type LayerRead } from "./layers.ts";
import { isTree, setAt, type Tree } from "./tree.ts";

/** free: harmless; trusted: counts once a user trusts it; personal: the user's alone. */
export type Standing = "free" | "trusted" | "personal";

export interface ProjectSetting {
  path: string[];
  /** The path for people; a part that could be taken for several stands in quotes. */
  name: string;
  value: unknown;
  /** Of path and value as written. */
  hash: string;
}

export interface ProjectSource {
  /** The project's folder. */
  root: string;
  /** Its configuration, inside the folder. */
  file: string;
  standing(path: readonly string[]): Standing;
  /** Whether a user trusts this very value. */
  trusts(setting: ProjectSetting): boolean;
}

const MAX_CONFIG_BYTES = 1024 * 1024;

export function settingName(path: readonly PropertyKey[]): string {
  return path.map((part) => (typeof part === "string" && !/^[\w-]+$/u.test(part) ? JSON.stringify(part) : String(part))).join(".");
}

/** Not names of settings in any layer, and more than names to the language. */
const NEVER = new Set(["__proto__", "constructor", "prototype"]);

function settingsOf(tree: Tree, at: readonly string[] = []): ProjectSetting[] {
  return Object.entries(tree).flatMap(([key, value]): ProjectSetting[] => {
    const path = [...at, key];
    if (NEVER.has(key)) return [];
    if (isTree(value) && Object.keys(value).length > 0) return settingsOf(value, path);
    return [{ path, name: settingName(path), value, hash: sha256(canonicalJson([path, JSON.stringify(value)])) }];
  });
}

function readFile({ root, file }: Pick<ProjectSource, "root" | "file">): LayerRead {
  const found = projectFile.read(root, file, { maxBytes: MAX_CONFIG_BYTES });
  const empty: Layer = { name: "project", source: file, values: {} };
  if (found.kind === "none") return { layer: empty, warnings: [] };
  if (found.kind === "read" && !found.cut) return parseYamlLayer("project", file, found.text);
  const reason = found.kind === "read" ? `is larger than ${MAX_CONFIG_BYTES / 1024} KiB` : found.reason;
  return {
    layer: empty,
    warnings: [{ path: "", message: `${reason}; the whole file is ignored`, sourceLayer: "project", source: file }],
  };
}

/** What the file sets that needs a user's trust. */
export function settingsToTrust(source: Pick<ProjectSource, "root" | "file" | "standing">): ProjectSetting[] {
  return settingsOf(readFile(source).layer.values).filter((setting) => source.standing(setting.path) === "trusted");
}

export function readProjectLayer(source: ProjectSource, env: Record<string, string | undefined>): LayerRead {
  const { layer, warnings } = readFile(source);
  const values: Tree = {};
  const warn = (name: string, message: string, cause?: ConfigWarning["cause"]): void =>
    void warnings.push({ path: name, message, sourceLayer: "project", source: source.file, ...(cause === undefined ? {} : { cause }) });
  for (const setting of settingsOf(layer.values)) {
    const { path, name, value } = setting;
    const standing = source.standing(path);
    if (standing === "free") setAt(values, path, value);
    else if (standing === "personal")
      warn(name, "is yours alone to set, so the project's value is ignored (set it in your own configuration)", "personal");
    else if (!source.trusts(setting)) warn(name, "counts only in a folder you trust; it is ignored (`sylk trust`)", "untrusted");
    else {
      const last = must(path.at(-1));
      const replaced = substituteEnv({ [last]: value }, env, path.slice(0, -1), warn);
      if (last in replaced) setAt(values, path, replaced[last]);
    }
  }
  return { layer: { ...layer, values }, warnings };
}
