/**
 * Commands with a list of hosts they may reach: the sandbox-runtime package, whose proxy decides per
 * host. It is one per process and slow to load, so it is started with the first such command. Also
 * the only sandbox on macOS.
 */
import { randomBytes } from "node:crypto";
import { existsSync } from "node:fs";
import path from "node:path";
import type { SandboxManager } from "@anthropic-ai/sandbox-runtime";
import { SylkError, messageOf } from "../../kernel/index.ts";
import { limited } from "./bubblewrap.ts";

export interface NetworkRequest {
  argv: readonly string[];
  cwd: string;
  writable: readonly string[];
  hidden: readonly string[];
  hosts: readonly string[];
  /** For temporary files; writable. */
  tempDir: string;
  limits: { memoryMb: number; openFiles: number; fileMb: number };
  signal: AbortSignal | undefined;
}

export interface NetworkWrapped {
  argv: string[];
  /** To be called when the command has ended: its hosts are closed again. */
  release: () => void;
}

type Runtime = typeof SandboxManager;

let starting: Promise<Runtime> | undefined;

async function start(): Promise<Runtime> {
  const { SandboxManager: manager } = await import("@anthropic-ai/sandbox-runtime");
  try {
    await manager.initialize({
      network: { allowedDomains: [], deniedDomains: [] },
      filesystem: { denyRead: [], allowWrite: [], denyWrite: [] },
    });
  } catch (error) {
    throw new SylkError({
      code: "SANDBOX_NETWORK_UNAVAILABLE",
      tier: "user_fixable",
      message: `commands with network access cannot be sandboxed: ${messageOf(error)}`,
      fix: process.platform === "linux" ? "install bubblewrap, socat and ripgrep" : undefined,
      cause: error,
    });
  }
  return manager;
}

const quoted = (word: string): string => `'${word.replaceAll("'", `'\\''`)}'`;

/** Files by which a later command of the user could be made to run something. */
const PROTECTED = [".git/hooks", ".git/config", ".sylk", ".mcp.json", ".vscode", ".bashrc", ".zshrc", ".profile"];

export async function wrapWithNetwork(request: NetworkRequest): Promise<NetworkWrapped> {
  const runtime = await (starting ??= start().catch((error: unknown) => {
    starting = undefined;
    throw error;
  }));
  const commandId = randomBytes(18).toString("base64url");
  const guarded = request.writable.flatMap((dir) => PROTECTED.map((name) => path.join(dir, name))).filter((name) => existsSync(name));
  const { argv } = await runtime.wrapWithSandboxArgv(
    `export TMPDIR=${quoted(request.tempDir)} && cd ${quoted(request.cwd)} && exec ${limited(request.argv, request.limits).map(quoted).join(" ")}`,
    "bash",
    {
      filesystem: {
        denyRead: request.hidden.filter((name) => existsSync(name)),
        allowWrite: [...request.writable, request.tempDir],
        denyWrite: guarded,
      },
    },
    request.signal,
    request.cwd,
    { commandId },
  );
  if (request.hosts.length > 0) runtime.registerCommandNetworkLists(commandId, { allowedDomains: [...request.hosts] });
  return { argv, release: () => runtime.unregisterCommandNetworkLists(commandId) };
}

/** Stops the proxies, if they were ever started. */
export async function stopNetworkSandbox(): Promise<void> {
  const runtime = await starting?.catch(() => undefined);
  starting = undefined;
  await runtime?.reset();
}
