/** Reading, changing and trusting configuration, for surfaces. */
import path from "node:path";
import { SylkError, type Dirs, type ProjectDirs, wording } from "../kernel/index.ts";
import { settingsToTrust, type ConfigSource } from "../kernel/config/index.ts";
import type { Config } from "./config-schema.ts";
import type { ProjectTrust } from "../guard/index.ts";
import { standingOf } from "./setting-standing.ts";

export type SettingScope = "user" | "project" | "local";

export interface Setting {
  key: string;
  value: unknown;
  layer: string;
  source: string;
  description?: string | undefined;
}

export interface SettingApi {
  list(): Setting[];
  get(key: string): Setting;
  set(key: string, value: string | undefined, scope: SettingScope): { file: string; value: unknown };
  paths(): Record<string, string>;
  schema(): Record<string, unknown>;
  warnings(): ConfigSource<Config>["loaded"]["warnings"];
}

export interface SettingParts {
  source: ConfigSource<Config>;
  dirs: Dirs;
  project: ProjectDirs;
  trust: ProjectTrust;
}

export function createSettingApi({ source, dirs, project, trust }: SettingParts): SettingApi {
  const { leaves } = source;
  const files: Record<SettingScope, string> = {
    user: path.join(dirs.config, "config.yaml"),
    project: project.config,
    local: project.personalConfig,
  };
  const setting = (key: string): Setting | undefined => {
    const parts = key.split(".");
    const leaf = leaves.find(
      (candidate) => candidate.path.join(".") === key || (candidate.type === "object" && key.startsWith(`${candidate.path.join(".")}.`)),
    );
    const value = source.loaded.valueAt(parts) ?? (leaf?.path.length === parts.length ? leaf.default : undefined);
    if (leaf === undefined || (value === undefined && leaf.path.length !== parts.length)) return undefined;
    return { key, value: value ?? null, ...source.loaded.origin(parts), description: leaf.description };
  };
  return {
    list: () => leaves.map((leaf) => setting(leaf.path.join(".")) as Setting),
    get(key) {
      const found = setting(key);
      if (found === undefined)
        throw unknownSetting(
          key,
          leaves.map((leaf) => leaf.path.join(".")),
        );
      return found;
    },
    set(key, value, scope) {
      const file = files[scope];
      const parts = key.split(".");
      if (scope === "project" && standingOf(parts) === "personal") throw notShared(key);
      if (scope === "local") project.claim();
      const written = source.edit(file, {
        path: parts,
        valueText: value,
        project: scope === "project" ? project.project : undefined,
      });
      // Whoever sets a value means it; the rest of the file is no further trusted for it.
      if (scope === "project")
        trust.addSettings(
          settingsToTrust({ root: project.project, file, standing: standingOf }).filter((one) =>
            parts.every((part, i) => one.path[i] === part),
          ),
        );
      return { file, value: written };
    },
    paths: () => ({
      ...dirs,
      user_config: files.user,
      project_config: files.project,
      local_config: files.local,
      project: project.project,
      private: project.private,
      permissions: project.permissions,
      database: project.database,
      tasks: project.tasks,
      backups: project.backups,
    }),
    schema: () => source.jsonSchema(),
    warnings: () => source.loaded.warnings,
  };
}

function notShared(key: string): SylkError {
  return new SylkError({
    code: "CONFIG_NOT_SHARED",
    tier: "user_fixable",
    message: `${key} is each person's own to set; a project's value would be ignored`,
    fix: "use --user, or --local for this project only",
  });
}

function unknownSetting(key: string, known: readonly string[]): SylkError {
  const last = key.split(".").at(-1) ?? key;
  const alike = wording.nearest(key, known);
  const near = alike === undefined ? known.filter((name) => name.includes(last)).slice(0, 3) : [alike];
  return new SylkError({
    code: "CONFIG_UNKNOWN_KEY",
    tier: "user_fixable",
    message: `there is no setting ${key}`,
    fix: near.length > 0 ? `did you mean ${near.join(" or ")}?` : "`sylk config list` shows them all",
  });
}
