/** The sandbox of commands as it is configured. */
import type { Dirs } from "../kernel/index.ts";
import type { SandboxPolicy } from "../workspace/index.ts";
import type { Config } from "./config-schema.ts";

const MIB = 1024 * 1024;

export function sandboxPolicy(config: Config, dirs: Dirs, alsoHidden: readonly string[] = []): SandboxPolicy {
  const { mode, allowed_hosts, registries, writable, hidden, visible, limits } = config.security.sandbox;
  return {
    mode,
    allowedHosts: allowed_hosts,
    registries,
    writable,
    // Keys, records, tokens of servers and logs of Sylk itself, wherever they were moved to.
    hidden: [...hidden, ...alsoHidden, dirs.config, dirs.data, dirs.state],
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
