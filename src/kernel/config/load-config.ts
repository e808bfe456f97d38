/**
 * Merges the layers and validates them. Start-up is lenient (CFG-005): an invalid value is named in
 * a warning and its default (for security keys the strictest legal value) is used instead.
 */
import type { output, ZodError, ZodType } from "zod";
import { SylkError } from "../errors.ts";
import {
  maskedValue,
  readEnvironmentLayer,
  readYamlLayer,
  type ConfigWarning,
  type Layer,
  type LayerName,
  type LayerRead,
} from "./layers.ts";
import { readProjectLayer, settingName, type ProjectSource } from "./project-layer.ts";
import { schemaLeaves, type Leaf } from "./schema-leaves.ts";
import { deleteAt, getAt, mergeTrees, setAt, type Tree } from "./tree.ts";

export interface ConfigSources {
  /** Undefined outside a project. */
  project?: ProjectSource | undefined;
  userFile?: string | undefined;
  localFile?: string | undefined;
  env: Record<string, string | undefined>;
  commandLine?: Tree | undefined;
}

export interface LoadedConfig<Config> {
  config: Config;
  warnings: ConfigWarning[];
  /** What the layers say, merged, as people wrote it. */
  valueAt(path: readonly string[]): unknown;
  /** Which layer a path's value came from. */
  origin(path: readonly string[]): { layer: LayerName; source: string };
}

function readLayers(leaves: readonly Leaf[], sources: ConfigSources): { layers: Layer[]; warnings: ConfigWarning[] } {
  const { project, userFile, localFile, env } = sources;
  const reads: LayerRead[] = [
    ...(project === undefined ? [] : [readProjectLayer(project, env)]),
    ...(userFile === undefined ? [] : [readYamlLayer("user", userFile, env)]),
    ...(localFile === undefined ? [] : [readYamlLayer("local", localFile, env)]),
    readEnvironmentLayer(leaves, env),
    { layer: { name: "command line", source: "command line", values: sources.commandLine ?? {} }, warnings: [] },
  ];
  return { layers: reads.map(({ layer }) => layer), warnings: reads.flatMap(({ warnings }) => warnings) };
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
        valueAt: (path) => getAt(merged, path),
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
      const name = settingName(path);
      const leaf = state.leaves.find(
        (candidate) => candidate.path.length === path.length && candidate.path.every((part, i) => part === path[i]),
      );
      const from = state.origin(path);
      const strict = leaf !== undefined && "strictest" in leaf;
      if (strict) setAt(state.merged, leaf.path, leaf.strictest);
      else deleteAt(state.merged, path);
      state.warnings.push({
        path: name,
        message: unknown === undefined ? reasonOf(issue) : "is not a known setting",
        sourceLayer: from?.name ?? "defaults",
        source: from?.source ?? "",
        rejectedValue: maskedValue(name, rejected),
        ...(strict ? { defaultUsed: leaf.strictest } : {}),
      });
    }
  }
}

/** Of a name that is not allowed the checker tells why one level down. */
function reasonOf(issue: ZodError["issues"][number]): string {
  return issue.code === "invalid_key" ? (issue.issues[0]?.message ?? issue.message) : issue.message;
}

function deepFreeze<T>(value: T): T {
  if (typeof value === "object" && value !== null && !Object.isFrozen(value)) {
    Object.freeze(value);
    for (const item of Object.values(value)) deepFreeze(item);
  }
  return value;
}
