/** The tools of one project, found, and the sandbox its commands run in. */
import path from "node:path";
import { type Clock, type Dirs, type ProjectDirs, systemPaths } from "../kernel/index.ts";
import { createSandbox, testSandbox, type Sandbox, type SandboxCheck, type SandboxPolicy, type SandboxStatus } from "../workspace/index.ts";
import { createToolFinder, type ToolFinder } from "./discover/discover-tools.ts";
import { narrowTests, type NarrowTests, type TestScope } from "./narrow-tests.ts";
import type { ToolDiscovery } from "./discover/types.ts";

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
  policy: () => SandboxPolicy;
  /** Whether the user trusts this text of a file of the project. */
  trusts: (file: string, text: string) => boolean;
}

export interface Tools {
  api: ToolApi;
  sandboxFor: () => Sandbox;
  /** Discovery in another folder: a part of the project, or a work tree. */
  discoverIn(root: string, signal?: AbortSignal): Promise<ToolDiscovery>;
  /** The command for some of the tests of a folder. */
  narrowTests(folder: string, scope: TestScope): Promise<NarrowTests | undefined>;
  close: () => Promise<void>;
}

export function createTools(parts: ToolParts): Tools {
  const { dirs, project, env, clock } = parts;
  let sandbox: { made: Sandbox; policy: string } | undefined;
  /** What makes the sandbox is nothing that could be put there from inside it. */
  const ownPath = ({ writable }: SandboxPolicy): string => systemPaths.machine.without(env["PATH"] ?? "", [project.project, ...writable]);
  const sandboxFor = (): Sandbox => {
    const policy = parts.policy();
    const text = JSON.stringify(policy);
    if (sandbox?.policy !== text)
      sandbox = { made: createSandbox({ policy, home: systemPaths.home(env), env, clock, searchPath: ownPath(policy) }), policy: text };
    return sandbox.made;
  };
  const finders = new Map<string, ToolFinder>();
  const discoverIn = (root: string, signal?: AbortSignal): Promise<ToolDiscovery> => {
    const finder = finders.get(root) ?? createToolFinder({ root, clock, searchPath: env["PATH"], trusts: parts.trusts });
    finders.set(root, finder);
    return finder.find(signal === undefined ? {} : { signal });
  };
  return {
    sandboxFor,
    discoverIn,
    narrowTests: async (folder, scope) => narrowTests(await discoverIn(folder), scope),
    close: async () => sandbox?.made[Symbol.asyncDispose](),
    api: {
      discover: ({ signal } = {}) => discoverIn(project.project, signal),
      sandboxStatus: () => sandboxFor().status(),
      sandboxTest: () =>
        testSandbox({ policy: parts.policy(), clock, folder: path.join(dirs.cache, "sandbox"), searchPath: ownPath(parts.policy()) }),
    },
  };
}
