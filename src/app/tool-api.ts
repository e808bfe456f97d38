/** Tool discovery and the sandbox, from configuration. */
import path from "node:path";
import { homeFolder, type Clock, type Dirs, type ProjectDirs } from "../kernel/index.ts";
import type { ToolDiscovery, ToolFinder } from "../tooling/index.ts";
import { createSandbox, testSandbox, type Sandbox, type SandboxCheck, type SandboxPolicy, type SandboxStatus } from "../workspace/index.ts";
import type { Config } from "./config-schema.ts";

export interface ToolApi {
  /** Formatters, linters, type checkers, test frameworks and their commands, with the reason for each. */
  discover(options?: { signal?: AbortSignal }): Promise<ToolDiscovery>;
  sandboxStatus(): Promise<SandboxStatus>;
  /** Tries the sandbox for real. */
  sandboxTest(): Promise<SandboxCheck[]>;
}

export interface ToolParts {
  dirs: Dirs;
  project: ProjectDirs;
  env: Record<string, string | undefined>;
  clock: Clock;
  config: () => Config;
  /** Whether the person trusts this text of a file of the project. */
  trusts: (file: string, text: string) => boolean;
}

const MIB = 1024 * 1024;

function policyOf(config: Config, dirs: Dirs): SandboxPolicy {
  const { mode, allowed_hosts, registries, writable, hidden, visible, limits } = config.security.sandbox;
  return {
    mode,
    allowedHosts: allowed_hosts,
    registries,
    writable,
    // Keys and records of Sylk itself, wherever they were moved to.
    hidden: [...hidden, dirs.config, dirs.data],
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

export interface Tools {
  api: ToolApi;
  sandboxFor: () => Sandbox;
  /** Discovery in another folder: a part of the project, or a work tree. */
  discoverIn(root: string, signal?: AbortSignal): Promise<ToolDiscovery>;
  close: () => Promise<void>;
}

export function createToolApi(parts: ToolParts): Tools {
  const { dirs, project, env, clock } = parts;
  let sandbox: { made: Sandbox; policy: string } | undefined;
  const sandboxFor = (): Sandbox => {
    const policy = policyOf(parts.config(), dirs);
    const text = JSON.stringify(policy);
    if (sandbox?.policy !== text)
      sandbox = { made: createSandbox({ policy, home: homeFolder(env), clock, searchPath: env["PATH"] }), policy: text };
    return sandbox.made;
  };
  const finders = new Map<string, ToolFinder>();
  const discoverIn = async (root: string, signal?: AbortSignal): Promise<ToolDiscovery> => {
    const { createToolFinder } = await import("../tooling/index.ts");
    const finder = finders.get(root) ?? createToolFinder({ root, clock, searchPath: env["PATH"], trusts: parts.trusts });
    finders.set(root, finder);
    return finder.find(signal === undefined ? {} : { signal });
  };
  return {
    sandboxFor,
    discoverIn,
    close: async () => sandbox?.made[Symbol.asyncDispose](),
    api: {
      discover: ({ signal } = {}) => discoverIn(project.project, signal),
      sandboxStatus: () => sandboxFor().status(),
      sandboxTest: () =>
        testSandbox({ policy: policyOf(parts.config(), dirs), clock, folder: path.join(dirs.cache, "sandbox"), searchPath: env["PATH"] }),
    },
  };
}
