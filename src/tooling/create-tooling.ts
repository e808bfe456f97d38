/** The tools of one project, put together: what looks, what checks, what forms, and the user's MCP servers. */
import path from "node:path";
import { environmentSecrets, type Redactor, type ProjectTrust } from "../guard/index.ts";
import { systemPaths, type Clock, type Dirs, type ProjectDirs } from "../kernel/index.ts";
import type { SandboxPolicy } from "../workspace/index.ts";
import { createFormatter } from "./format-text.ts";
import { createLanguageServers } from "./language-servers/language-servers.ts";
import type { LookingMode } from "./looking-workspace.ts";
import { isOffline, newestVersion } from "./packages/newest-version.ts";
import { createMcpApi } from "./mcp/mcp-desk.ts";
import { createMcpServers } from "./mcp/mcp-servers.ts";
import { createSignIns } from "./mcp/sign-ins.ts";
import { createPackages, type PackageParts } from "./packages/package-desk.ts";
import { createPermissionApi } from "./permission-desk.ts";
import { createProjectChecks } from "./project-checks.ts";
import { createTools } from "./project-tools.ts";

interface ToolSettings {
  language_servers: LookingMode;
  diagnostics_timeout: number;
  formatter: LookingMode;
  formatter_timeout: number;
  package_registries: ReturnType<PackageParts["registries"]>;
  package_check: "on" | "off";
  package_check_timeout: number;
  mcp_start_timeout: number;
  mcp_call_timeout: number;
  mcp_longest_call: number;
}

export interface ToolingParts {
  dirs: Dirs;
  project: ProjectDirs;
  env: Record<string, string | undefined>;
  clock: Clock;
  version: string;
  redactor: Redactor;
  trust: ProjectTrust;
  sandboxPolicy: () => SandboxPolicy;
  settings: () => ToolSettings;
  /** Whether package registries may be reached at all. */
  reachesRegistries: () => boolean;
  /** Mode and rules of this run. */
  policy: Parameters<typeof createPermissionApi>[0]["policy"];
  rightsOf: Parameters<typeof createPermissionApi>[0]["rightsOf"];
}

/** What one MCP server may say, in bytes, until it is spoken to again. */
const MCP_MAX_BYTES = 16 * 1024 * 1024;

export function createTooling(parts: ToolingParts) {
  const { dirs, project, env, clock, redactor, trust, settings, policy, rightsOf } = parts;
  const redact = (text: string): string => redactor.redact(text).text;
  const trusts = (file: string, text: string, folder?: string): boolean => trust.now().file(file, text, folder);
  const tools = createTools({ dirs, project, env, clock, policy: parts.sandboxPolicy, trusts });
  const checks = createProjectChecks(project.project, tools, trust);
  const sandboxed = { env, clock, sandbox: () => tools.sandboxFor() };
  const servers = createLanguageServers({
    ...sandboxed,
    trusts,
    mode: () => settings().language_servers,
    deadlineMs: () => settings().diagnostics_timeout,
  });
  const formatter = createFormatter({
    ...sandboxed,
    mode: () => settings().formatter,
    timeoutMs: () => settings().formatter_timeout,
    discoverIn: (folder) => tools.discoverIn(folder),
  });
  const packages = createPackages({
    env,
    clock,
    home: systemPaths.home(env),
    registries: () => settings().package_registries,
    asks: () => settings().package_check === "on" && parts.reachesRegistries() && !isOffline(env),
    timeoutMs: () => settings().package_check_timeout,
  });
  const onSecret = (value: string): void => redactor.addKnownValue(value);
  const mcp = createMcpServers({
    sandbox: () => tools.sandboxFor(),
    isSandboxed: () => checks.sandboxed(),
    signIns: createSignIns(path.join(dirs.data, "mcp-sign-ins.json"), onSecret),
    configDir: dirs.config,
    projectDir: project.project,
    env,
    trusts,
    clock,
    version: parts.version,
    redact,
    onSecret,
    secretsIn: (own) => environmentSecrets(own, redactor),
    limits: () => ({
      startMs: settings().mcp_start_timeout,
      callMs: settings().mcp_call_timeout,
      longestMs: settings().mcp_longest_call,
      maxBytes: MCP_MAX_BYTES,
    }),
  });
  return {
    tools,
    checks,
    servers,
    formatter,
    packages,
    mcp,
    mcpDesk: createMcpApi({ mcp, configDir: dirs.config, projectDir: project.project, redact }),
    newest: (signal: AbortSignal) =>
      newestVersion(parts.version, { env, home: systemPaths.home(env), registries: () => settings().package_registries }, signal),
    permissions: createPermissionApi({ dirs, project, env, policy, checks, rightsOf }),
    async close() {
      await formatter.close();
      await servers.close();
      await mcp.close();
      await tools.close();
    },
  };
}
