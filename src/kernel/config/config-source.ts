/**
 * The current configuration, and its reload (CFG-006, CFG-007). A reload is strict: any warning
 * keeps the old values. Readers hold an immutable snapshot.
 */
import { watch, type FSWatcher } from "node:fs";
import path from "node:path";
import type { output, ZodType } from "zod";
import type { Clock } from "../clock.ts";
import { editConfigFile, type ConfigEdit } from "./edit-config.ts";
import type { ConfigWarning } from "./layers.ts";
import { loadConfig, type ConfigSources, type LoadedConfig } from "./load-config.ts";
import { jsonSchemaOf, schemaLeaves, type Leaf } from "./schema-leaves.ts";

export type ReloadOutcome<Config> =
  | { kind: "applied"; config: Config }
  | { kind: "unchanged" }
  | { kind: "rejected"; warnings: ConfigWarning[] };

export interface ConfigSource<Config> extends Disposable {
  readonly loaded: LoadedConfig<Config>;
  /** Every setting there is. */
  readonly leaves: readonly Leaf[];
  jsonSchema(): Record<string, unknown>;
  /** Changes one setting in a file; one that would not be valid is refused. */
  edit(file: string, edit: ConfigEdit): unknown;
  reload(): ReloadOutcome<Config>;
  onChange(listener: (outcome: ReloadOutcome<Config>) => void): void;
  /** Watches the files' folders, so that files created later and saves by rename are seen. */
  startWatching(): void;
}

const DEBOUNCE_MS = 500;

export function openConfig<Schema extends ZodType>(
  schema: Schema,
  sources: () => ConfigSources,
  clock: Clock,
): ConfigSource<output<Schema>> {
  type Config = output<Schema>;
  let loaded = loadConfig(schema, sources());
  const listeners: ((outcome: ReloadOutcome<Config>) => void)[] = [];
  const watchers: FSWatcher[] = [];
  let pending: AbortController | undefined;

  const reload = (): ReloadOutcome<Config> => {
    const next = loadConfig(schema, sources());
    let outcome: ReloadOutcome<Config>;
    // What a project may not set is left out and no mistake.
    const wrong = next.warnings.filter((warning) => warning.cause === undefined);
    if (wrong.length > 0) outcome = { kind: "rejected", warnings: wrong };
    else if (JSON.stringify(next.config) === JSON.stringify(loaded.config)) outcome = { kind: "unchanged" };
    else {
      loaded = next;
      outcome = { kind: "applied", config: next.config };
    }
    if (outcome.kind !== "unchanged") for (const listener of listeners) listener(outcome);
    return outcome;
  };

  const reloadSoon = (): void => {
    pending?.abort();
    const mine = (pending = new AbortController());
    clock.sleep(DEBOUNCE_MS, mine.signal).then(reload, () => undefined);
  };

  return {
    get loaded() {
      return loaded;
    },
    leaves: schemaLeaves(schema),
    jsonSchema: () => jsonSchemaOf(schema),
    edit: (file, edit) => editConfigFile(schema, file, edit),
    reload,
    onChange: (listener) => void listeners.push(listener),
    startWatching() {
      const { project, userFile, localFile } = sources();
      for (const file of [project?.file, userFile, localFile]) {
        if (file === undefined) continue;
        try {
          const watcher = watch(path.dirname(file), { persistent: false }, (_event, name) => {
            if (name === null || name === path.basename(file)) reloadSoon();
          });
          watcher.on("error", () => watcher.close());
          watchers.push(watcher);
        } catch {
          // The folder does not exist yet; SIGHUP and `sylk config reload` still work.
        }
      }
      process.on("SIGHUP", reloadSoon);
    },
    [Symbol.dispose]() {
      pending?.abort();
      process.off("SIGHUP", reloadSoon);
      for (const watcher of watchers) watcher.close();
    },
  };
}
