/**
 * Merges the layers and validates them. Start-up is lenient (CFG-005): an invalid value is named in
 * a warning and its default (for security keys the strictest legal value) is used instead.
 */
import { readFileSync } from "node:fs";
import type { output, ZodError, ZodType } from "zod";
import { SylkError } from "../errors.ts";
import { sha256 } from "../hash.ts";
import { maskedValue, readEnvironmentLayer, readYamlLayer, type ConfigWarning, type Layer, type LayerName } from "./layers.ts";
import { schemaLeaves, type Leaf } from "./schema-leaves.ts";
import { deleteAt, getAt, isTree, mergeTrees, setAt, type Tree } from "./tree.ts";

export interface ConfigSources {
  /** `<project>/.sylk/config.yaml`, or undefined outside a project. */
  projectFile?: string | undefined;
  userFile?: string | undefined;
  localFile?: string | undefined;
  env: Record<string, string | undefined>;
  commandLine?: Tree | undefined;
  /** Hashes of project files the user trusts with protected settings. */
  trustedHashes?: ReadonlySet<string> | undefined;
}

export interface LoadedConfig<Config> {
  config: Config;
  warnings: ConfigWarning[];
  /** What the layers say, merged, as people wrote it. */
  values: Tree;
  /** Which layer a path's value came from. */
  origin(path: readonly string[]): { layer: LayerName; source: string };
}

/** A repository may be hostile: it may not send keys elsewhere or loosen safety unless the user trusts that very file. */
const PROTECTED = [/^llm\.providers\.[^.]+\.(base_url|api_key|headers)/, /^security(\.|$)/, /^credential_scopes(\.|$)/, /^hooks(\.|$)/];

function leafPaths(tree: Tree, at: string[] = []): string[][] {
  return Object.entries(tree).flatMap(([key, value]) =>
    isTree(value) && Object.keys(value).length > 0 ? leafPaths(value, [...at, key]) : [[...at, key]],
  );
}

function withoutProtected(layer: Layer, trusted: ReadonlySet<string>): { layer: Layer; warnings: ConfigWarning[] } {
  const hits = leafPaths(layer.values).filter((path) => PROTECTED.some((rule) => rule.test(path.join("."))));
  if (hits.length === 0 || trusted.has(sha256(readFileSync(layer.source)))) return { layer, warnings: [] };
  const values = structuredClone(layer.values);
  const warnings = hits.map((path): ConfigWarning => {
    deleteAt(values, path);
    return {
      path: path.join("."),
      message: "a project may set this only when you trust its file; it is ignored (`sylk config trust` after reading it)",
      sourceLayer: layer.name,
      source: layer.source,
    };
  });
  return { layer: { ...layer, values }, warnings };
}

function readLayers(leaves: readonly Leaf[], sources: ConfigSources): { layers: Layer[]; warnings: ConfigWarning[] } {
  const layers: Layer[] = [];
  const warnings: ConfigWarning[] = [];
  const files: [LayerName, string | undefined][] = [
    ["project", sources.projectFile],
    ["user", sources.userFile],
    ["local", sources.localFile],
  ];
  for (const [name, file] of files) {
    if (file === undefined) continue;
    const read = readYamlLayer(name, file, sources.env);
    const safe =
      name === "project" ? withoutProtected(read.layer, sources.trustedHashes ?? new Set()) : { layer: read.layer, warnings: [] };
    layers.push(safe.layer);
    warnings.push(...read.warnings, ...safe.warnings);
  }
  const environment = readEnvironmentLayer(leaves, sources.env);
  layers.push(environment.layer, { name: "command line", source: "command line", values: sources.commandLine ?? {} });
  warnings.push(...environment.warnings);
  return { layers, warnings };
}

const MAX_ROUNDS = 50;

export function loadConfig<Schema extends ZodType>(schema: Schema, sources: ConfigSources): LoadedConfig<output<Schema>> {
  const leaves = schemaLeaves(schema);
  const { layers, warnings } = readLayers(leaves, sources);
  const merged = layers.reduce((tree, layer) => mergeTrees(tree, structuredClone(layer.values)), {} as Tree);
  const origin = (path: readonly PropertyKey[]): Layer | undefined => layers.findLast((layer) => getAt(layer.values, path) !== undefined);
  for (let round = 0; round < MAX_ROUNDS; round += 1) {
    const parsed = schema.safeParse(merged);
    if (parsed.success) {
      const config = deepFreeze(parsed.data);
      return {
        config,
        warnings,
        values: merged,
        origin: (path) => {
          const layer = origin(path);
          return layer === undefined ? { layer: "defaults", source: "built in" } : { layer: layer.name, source: layer.source };
        },
      };
    }
    repair(parsed.error, { merged, leaves, origin, warnings, schema });
  }
  throw new SylkError({ code: "CONFIG_BROKEN", tier: "permanent", message: "the configuration schema does not accept its own defaults" });
}

interface Repair {
  merged: Tree;
  leaves: readonly Leaf[];
  origin: (path: readonly PropertyKey[]) => Layer | undefined;
  warnings: ConfigWarning[];
  schema: ZodType;
}

/** Takes every value zod complained about out of the merged tree. */
function repair(error: ZodError, state: Repair): void {
  for (const issue of error.issues) {
    const unknown = issue.code === "unrecognized_keys" ? issue.keys.map((key) => [...issue.path, key]) : undefined;
    for (let path of unknown ?? [issue.path]) {
      while (path.length > 1 && getAt(state.merged, path) === undefined) path = path.slice(0, -1);
      const rejected = getAt(state.merged, path);
      if (rejected === undefined) continue;
      const name = path.join(".");
      const leaf = state.leaves.find((candidate) => candidate.path.join(".") === name);
      const from = state.origin(path);
      const strict = leaf !== undefined && "strictest" in leaf;
      if (strict) setAt(state.merged, leaf.path, leaf.strictest);
      else deleteAt(state.merged, path);
      state.warnings.push({
        path: name,
        message: unknown === undefined ? issue.message : "is not a known setting",
        sourceLayer: from?.name ?? "defaults",
        source: from?.source ?? "",
        rejectedValue: maskedValue(name, rejected),
        ...(strict ? { defaultUsed: leaf.strictest } : {}),
      });
    }
  }
}

function deepFreeze<T>(value: T): T {
  if (typeof value === "object" && value !== null && !Object.isFrozen(value)) {
    Object.freeze(value);
    for (const item of Object.values(value)) deepFreeze(item);
  }
  return value;
}
