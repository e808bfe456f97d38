/** The sandbox of commands as it is configured. */
import { systemPaths, type Dirs } from "../kernel/index.ts";
import type { SandboxPolicy } from "../workspace/index.ts";
import type { Config } from "./config-schema.ts";

const MIB = 1024 * 1024;

export interface PolicyPlaces {
  dirs: Dirs;
  project: string;
  env: Record<string, string | undefined>;
  /** Whole paths. */
  alsoHidden: readonly string[];
}

export function sandboxPolicy(config: Config, { dirs, project, env, alsoHidden }: PolicyPlaces): SandboxPolicy {
  const { mode, allowed_hosts, registries, writable, hidden, visible, limits } = config.security.sandbox;
  const named = (place: string): string => systemPaths.named(place, project, env);
  return {
    mode,
    allowedHosts: allowed_hosts,
    registries,
    writable: writable.map(named),
    hidden: [...hidden.map(named), ...alsoHidden],
    // Keys, records, tokens of servers, logs and compiled code of Sylk itself, wherever they were moved to.
    own: [dirs.config, dirs.data, dirs.state, dirs.cache],
    visible,
    limits: {
      memoryMb: Math.ceil(limits.memory / MIB),
      openFiles: limits.open_files,
      fileMb: Math.ceil(limits.file_size / MIB),
      processes: limits.processes,
      tempMb: Math.ceil(limits.temp_size / MIB),
    },
  };
}
