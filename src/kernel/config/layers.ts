/**
 * Reads the layers of configuration (CFG-002…004): project, user, personal project overrides,
 * environment, command line. A missing file is nothing; a broken one is a warning.
 */
import { readFileSync } from "node:fs";
import { parseDocument } from "yaml";
import { messageOf, systemCode } from "../errors.ts";
import type { Leaf } from "./schema-leaves.ts";
import { isTree, setAt, type Tree } from "./tree.ts";

export type LayerName = "defaults" | "project" | "user" | "local" | "environment" | "command line";

export interface Layer {
  name: LayerName;
  /** File or variable it came from. */
  source: string;
  values: Tree;
}

export interface ConfigWarning {
  path: string;
  message: string;
  sourceLayer: LayerName;
  source: string;
  rejectedValue?: string | undefined;
  defaultUsed?: unknown;
  /** Nothing is wrong with the value; it is not this project's to set, or not yet. */
  cause?: "untrusted" | "personal" | undefined;
}

export interface LayerRead {
  layer: Layer;
  warnings: ConfigWarning[];
}

const SECRET_NAME = /key|token|secret|password|credential/i;

/** Never shows what looks like a secret. */
export function maskedValue(path: string, value: unknown): string {
  const text = typeof value === "string" ? value : (JSON.stringify(value) ?? "undefined");
  return SECRET_NAME.test(path) || /^(sk-|ghp_|AIza)/.test(text) ? "********" : text.slice(0, 120);
}

/** A file of the user's own. */
export function readYamlLayer(name: LayerName, file: string, env: Record<string, string | undefined>): LayerRead {
  let text: string;
  try {
    text = readFileSync(file, "utf8");
  } catch (error) {
    const layer: Layer = { name, source: file, values: {} };
    if (systemCode(error) === "ENOENT" || systemCode(error) === "ENOTDIR") return { layer, warnings: [] };
    return { layer, warnings: [{ path: "", message: `cannot be read: ${messageOf(error)}`, sourceLayer: name, source: file }] };
  }
  const { layer, warnings } = parseYamlLayer(name, file, text);
  const values = substituteEnv(layer.values, env, [], (path, message) => warnings.push({ path, message, sourceLayer: name, source: file }));
  return { layer: { ...layer, values }, warnings };
}

/** The text as it is written: nothing in it is replaced. */
export function parseYamlLayer(name: LayerName, file: string, text: string): LayerRead {
  const empty: Layer = { name, source: file, values: {} };
  const broken = (message: string): LayerRead => ({
    layer: empty,
    warnings: [{ path: "", message: `${message}; the whole file is ignored`, sourceLayer: name, source: file }],
  });
  const document = parseDocument(text, { prettyErrors: true });
  const error = document.errors[0];
  if (error !== undefined) return broken(`line ${error.linePos?.[0].line ?? 1}: ${error.message.split("\n")[0]}`);
  let values: unknown;
  try {
    values = document.toJS() ?? {};
  } catch (cause) {
    // Aliases that grow without end.
    return broken(`cannot be read: ${messageOf(cause)}`);
  }
  return isTree(values) ? { layer: { ...empty, values }, warnings: [] } : broken("must hold a map of settings");
}

/** Replaces `{env:NAME}` in strings; an unset variable removes the value and says so. */
export function substituteEnv(
  tree: Tree,
  env: Record<string, string | undefined>,
  at: string[],
  warn: (path: string, message: string) => void,
): Tree {
  const out: Tree = {};
  for (const [key, value] of Object.entries(tree)) {
    const path = [...at, key];
    if (isTree(value)) out[key] = substituteEnv(value, env, path, warn);
    else if (typeof value === "string" && value.includes("{env:")) {
      const missing: string[] = [];
      const text = value.replace(/\{env:([A-Za-z_][A-Za-z0-9_]*)\}/g, (_all, name: string) => {
        const found = env[name];
        if (found === undefined) missing.push(name);
        return found ?? "";
      });
      if (missing.length === 0) out[key] = text;
      else warn(path.join("."), `environment variable ${missing.join(", ")} is not set; the value is ignored`);
    } else out[key] = value;
  }
  return out;
}

/** Names that begin with SYLK_ but are not configuration; the later ones are those a command finds that was started here. */
const RESERVED = new Set([
  "SYLK_HOME",
  "SYLK_VFS_STAGING",
  "SYLK_OFFLINE",
  "SYLK_INVOCATION",
  "SYLK_WORKTREE",
  "SYLK_PORT_BASE",
  "SYLK_PROJECT_DIR",
]);
const CREDENTIAL = /^SYLK_[A-Z0-9]+_(API_KEY|TOKEN|SECRET|PASSWORD|CREDENTIAL|ACCESS_KEY)$/;

function parseFor(leaf: Leaf, text: string): unknown {
  if (text === "null") return null;
  switch (leaf.type) {
    case "number":
      return text.trim() !== "" && Number.isFinite(Number(text)) ? Number(text) : text;
    case "boolean":
      return ["true", "1", "yes", "on"].includes(text) ? true : ["false", "0", "no", "off"].includes(text) ? false : text;
    case "array":
      return text.split(",").map((item) => item.trim());
    case "string":
    case "object":
      return text;
  }
}

export function readEnvironmentLayer(leaves: readonly Leaf[], env: Record<string, string | undefined>): LayerRead {
  const layer: Layer = { name: "environment", source: "environment", values: {} };
  const warnings: ConfigWarning[] = [];
  const warn = (name: string, message: string): void =>
    void warnings.push({ path: name, message, sourceLayer: "environment", source: name });
  const byName = new Map(leaves.map((leaf) => [`SYLK_${leaf.path.join("_").toUpperCase()}`, leaf]));
  const sections = new Map<string, string[]>();
  for (const leaf of leaves)
    for (let n = 1; n <= leaf.path.length; n += 1)
      sections.set(`SYLK_${leaf.path.slice(0, n).join("_").toUpperCase()}_FILE`, leaf.path.slice(0, n));
  for (const [name, text] of Object.entries(env)) {
    if (!name.startsWith("SYLK_") || text === undefined || RESERVED.has(name)) continue;
    const leaf = byName.get(name);
    const section = sections.get(name);
    if (leaf !== undefined) setAt(layer.values, leaf.path, parseFor(leaf, text));
    else if (section !== undefined) {
      const file = readYamlLayer("environment", text, env);
      warnings.push(...file.warnings);
      setAt(layer.values, section, file.layer.values);
    } else if (!CREDENTIAL.test(name)) warn(name, "is not a known setting; it is ignored");
  }
  return { layer, warnings };
}
