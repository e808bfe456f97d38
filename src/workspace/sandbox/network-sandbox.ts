/**
 * Commands with a list of hosts they may reach: the proxies of the sandbox-runtime package decide per
 * host. On Linux they are all that is taken from it: the command stands in the same bubblewrap as any
 * other, with two sockets more, so that both layers keep the same promises about files. On macOS the
 * package makes the whole sandbox. It is one per process and slow to load: started with the first such command.
 */
import { randomBytes } from "node:crypto";
import { existsSync } from "node:fs";
import type { SandboxManager } from "@anthropic-ai/sandbox-runtime";
import { rgPath } from "@vscode/ripgrep";
import { SylkError, messageOf } from "../../kernel/index.ts";
import { OWN_SHELL } from "../own-shell.ts";
import { limited, type SandboxLimits } from "./bounds.ts";
import type { Mount } from "./commit-copy.ts";

type Runtime = typeof SandboxManager;

export interface NetworkPrograms {
  bwrap: string;
  socat: string;
}

let starting: Promise<Runtime> | undefined;

async function start(programs: NetworkPrograms | undefined): Promise<Runtime> {
  const { SandboxManager: manager } = await import("@anthropic-ai/sandbox-runtime");
  try {
    await manager.initialize({
      network: { allowedDomains: [], deniedDomains: [] },
      filesystem: { denyRead: [], allowWrite: [], denyWrite: [] },
      ripgrep: { command: rgPath },
      ...(programs === undefined ? {} : { bwrapPath: programs.bwrap, socatPath: programs.socat }),
    });
  } catch (error) {
    throw new SylkError({
      code: "SANDBOX_NETWORK_UNAVAILABLE",
      tier: "user_fixable",
      message: `commands with network access cannot be sandboxed: ${messageOf(error)}`,
      fix: process.platform === "linux" ? "install bubblewrap and socat" : undefined,
      cause: error,
    });
  }
  return manager;
}

function runtime(programs: NetworkPrograms | undefined): Promise<Runtime> {
  return (starting ??= start(programs).catch((error: unknown) => {
    starting = undefined;
    throw error;
  }));
}

const HTTP_PORT = 3128;
const SOCKS_PORT = 1080;

/** Two relays to the proxies, left to the sandbox's first process; then the command, once both listen. */
const RELAY = `
( "$1" TCP4-LISTEN:${HTTP_PORT},bind=127.0.0.1,fork,reuseaddr,backlog=512 "UNIX-CONNECT:$2" >/dev/null 2>&1 & )
( "$1" TCP4-LISTEN:${SOCKS_PORT},bind=127.0.0.1,fork,reuseaddr,backlog=512 "UNIX-CONNECT:$3" >/dev/null 2>&1 & )
n=0
until [ "$(grep -c -E ':0(C38|438) 00000000:0000 0A' /proc/net/tcp)" -ge 2 ] || [ "$n" -ge 200 ]; do n=$((n+1)); sleep 0.01; done
shift 3; exec "$@"`;

export interface OpenNetwork {
  env: Record<string, string>;
  mounts: Mount[];
  /** The command with the relays before it. */
  relayed(argv: readonly string[]): string[];
  /** When the command has ended its hosts are closed again. */
  release(): void;
}

/** Linux: what a command in bubblewrap needs to reach these hosts and no other. */
export async function openNetwork(hosts: readonly string[], programs: NetworkPrograms): Promise<OpenNetwork> {
  const manager = await runtime(programs);
  const [http, socks, token] = [manager.getLinuxHttpSocketPath(), manager.getLinuxSocksSocketPath(), manager.getProxyAuthToken()];
  if (http === undefined || socks === undefined || token === undefined || !existsSync(http) || !existsSync(socks))
    throw new SylkError({
      code: "SANDBOX_NETWORK_UNAVAILABLE",
      tier: "transient",
      message: "commands with network access cannot be sandboxed: the proxy is not running",
    });
  const { encodeSandboxedCommand, generateProxyEnvVars } = await import("@anthropic-ai/sandbox-runtime/dist/sandbox/sandbox-utils.js");
  const { buildJavaToolOptions, getJavaProxyAgentJarPathAsync } =
    await import("@anthropic-ai/sandbox-runtime/dist/sandbox/java-proxy-agent.js");
  const commandId = randomBytes(18).toString("base64url");
  const agentJarPath = await getJavaProxyAgentJarPathAsync();
  const java = agentJarPath === null ? undefined : buildJavaToolOptions({ agentJarPath });
  const said = generateProxyEnvVars(HTTP_PORT, SOCKS_PORT, undefined, token, true, encodeSandboxedCommand(commandId));
  const env = Object.fromEntries(said.map((line) => [line.slice(0, line.indexOf("=")), line.slice(line.indexOf("=") + 1)]));
  manager.registerCommandNetworkLists(commandId, { allowedDomains: [...hosts] });
  return {
    env: { ...env, ...(java === undefined ? {} : { JAVA_TOOL_OPTIONS: java }) },
    mounts: [...new Set([http, socks])].map((place) => ({ how: "--bind", from: place, to: place })),
    relayed: (argv) => [OWN_SHELL, "-c", RELAY, "sh", programs.socat, http, socks, ...argv],
    release: () => manager.unregisterCommandNetworkLists(commandId),
  };
}

export interface MacRequest {
  argv: readonly string[];
  cwd: string;
  writable: readonly string[];
  readOnly: readonly string[];
  hidden: readonly string[];
  hosts: readonly string[];
  /** For temporary files; writable. */
  tempDir: string;
  limits: SandboxLimits;
  signal: AbortSignal | undefined;
}

const quoted = (word: string): string => `'${word.replaceAll("'", `'\\''`)}'`;

/** macOS: the whole sandbox. */
export async function wrapOnMac(request: MacRequest): Promise<{ argv: string[]; release: () => void }> {
  const manager = await runtime(undefined);
  const commandId = randomBytes(18).toString("base64url");
  const { argv } = await manager.wrapWithSandboxArgv(
    `export TMPDIR=${quoted(request.tempDir)} && cd ${quoted(request.cwd)} && exec ${limited(request.argv, request.limits).map(quoted).join(" ")}`,
    "bash",
    {
      filesystem: {
        denyRead: request.hidden.filter((name) => existsSync(name)),
        allowWrite: [...request.writable, request.tempDir],
        denyWrite: [...request.readOnly],
      },
    },
    request.signal,
    request.cwd,
    { commandId },
  );
  if (request.hosts.length > 0) manager.registerCommandNetworkLists(commandId, { allowedDomains: [...request.hosts] });
  return {
    argv,
    release() {
      manager.unregisterCommandNetworkLists(commandId);
      manager.cleanupAfterCommand();
    },
  };
}

/** Stops the proxies, if they were ever started. */
export async function stopNetworkSandbox(): Promise<void> {
  const manager = await starting?.catch(() => undefined);
  starting = undefined;
  await manager?.reset();
}
