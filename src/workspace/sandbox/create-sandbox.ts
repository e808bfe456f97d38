/**
 * Decides how a command is isolated and says so. Fails closed: what must be sandboxed and cannot be
 * is not started (SEC-031, SEC-032).
 */
import { spawn } from "node:child_process";
import { mkdirSync } from "node:fs";
import path from "node:path";
import { isSylkError, messageOf, type Clock } from "../../kernel/index.ts";
import type { CommandLine } from "../gate.ts";
import { bubblewrapArgv } from "./bubblewrap.ts";
import { stopNetworkSandbox, wrapWithNetwork } from "./network-sandbox.ts";
import { createSensitivePlaces } from "./sensitive-places.ts";
import { CACHE_VARIABLES, HIDDEN_IN_HOME, HIDDEN_IN_SYSTEM, REGISTRY_HOSTS, type SandboxPolicy } from "./policy.ts";

export type SandboxLayer = "bubblewrap" | "sandbox-runtime";

export interface SandboxStatus {
  mode: SandboxPolicy["mode"];
  available: boolean;
  layer: SandboxLayer | undefined;
  /** Why it is not available, and what would help. */
  reason: string | undefined;
  fix: string | undefined;
  /** Commands with a list of hosts can be sandboxed too. */
  network: boolean;
}

export interface WrapRequest {
  command: CommandLine;
  argv: readonly string[];
  cwd: string;
  /** Folders this command may write. */
  writable: readonly string[];
  /** Hosts asked for by this command. */
  network: readonly string[];
  /** The command listens on this machine and must be reachable; it keeps the machine's network. */
  serves: boolean;
  tempDir: string;
  signal?: AbortSignal | undefined;
}

export type WrapOutcome =
  | { kind: "sandboxed"; argv: string[]; env: Record<string, string>; layer: SandboxLayer; release: () => void }
  | { kind: "direct"; reason: string }
  | { kind: "unavailable"; reason: string; fix: string | undefined };

export interface Sandbox extends AsyncDisposable {
  wrap(request: WrapRequest): Promise<WrapOutcome>;
  status(): Promise<SandboxStatus>;
  /** Hosts a command would be given. */
  hostsFor(command: CommandLine, asked: readonly string[]): string[];
}

export interface SandboxOptions {
  policy: SandboxPolicy;
  home: string;
  clock: Clock;
  /** Where executables are looked for; `PATH` when absent. */
  searchPath?: string | undefined;
}

const PROBE_TIMEOUT_MS = 10_000;

/** Exit code of a probe, or undefined when it could not be started or took too long. */
async function probe(
  argv: readonly string[],
  clock: Clock,
  searchPath: string | undefined,
): Promise<{ code: number | undefined; said: string }> {
  const [file = "", ...args] = argv;
  const done = new AbortController();
  let said = "";
  const code = await new Promise<number | undefined>((resolve) => {
    const child = spawn(file, args, { stdio: ["ignore", "ignore", "pipe"], env: { PATH: searchPath ?? process.env["PATH"] ?? "" } });
    child.stderr.on("data", (chunk: Buffer) => (said = (said + chunk.toString()).slice(0, 500)));
    child.once("error", () => resolve(undefined));
    child.once("close", (exit) => resolve(exit ?? undefined));
    void clock.sleep(PROBE_TIMEOUT_MS, done.signal).then(
      () => child.kill("SIGKILL"),
      () => undefined,
    );
  });
  done.abort();
  return { code, said: said.trim() };
}

function startsWith(line: string, command: string): boolean {
  return line === command || line.startsWith(`${command} `);
}

export function createSandbox(options: SandboxOptions): Sandbox {
  const { policy, clock, home } = options;
  const always = [...HIDDEN_IN_HOME.map((name) => path.join(home, name)), ...HIDDEN_IN_SYSTEM, ...policy.hidden];
  const sensitive = createSensitivePlaces(clock);
  let known: Promise<SandboxStatus> | undefined;

  /** What was hidden before any command, and what now lies in the folders this one works in. */
  const hiddenFor = async (folders: readonly string[]): Promise<string[]> => {
    const found = await Promise.all(
      folders.map(async (folder) => {
        const open = new Set(policy.visible.map((name) => path.resolve(folder, name)));
        return (await sensitive.in(folder)).filter((place) => !open.has(place));
      }),
    );
    return [...always, ...found.flat()];
  };

  const look = async (): Promise<SandboxStatus> => {
    const base = { mode: policy.mode, network: false, layer: undefined, available: false };
    if (process.platform === "darwin")
      return { ...base, available: true, layer: "sandbox-runtime", network: true, reason: undefined, fix: undefined };
    if (process.platform !== "linux")
      return { ...base, reason: `there is no sandbox for ${process.platform}`, fix: "use WSL 2 or a container" };
    const tried = await probe(
      [
        "bwrap",
        "--ro-bind",
        "/",
        "/",
        "--dev",
        "/dev",
        "--proc",
        "/proc",
        "--unshare-all",
        "--cap-drop",
        "ALL",
        "--die-with-parent",
        "true",
      ],
      clock,
      options.searchPath,
    );
    if (tried.code === undefined)
      return { ...base, reason: "bubblewrap (bwrap) was not found", fix: "install it, e.g. apt-get install bubblewrap socat ripgrep" };
    if (tried.code !== 0)
      return {
        ...base,
        reason: `bubblewrap does not work here: ${tried.said || `exit code ${tried.code}`}`,
        fix: "allow unprivileged user namespaces, or run Sylk where they are allowed",
      };
    const socat = (await probe(["socat", "-V"], clock, options.searchPath)).code === 0;
    return {
      ...base,
      available: true,
      layer: "bubblewrap",
      network: socat,
      reason: socat ? undefined : "socat was not found, so commands with network access cannot be sandboxed",
      fix: socat ? undefined : "install socat and ripgrep",
    };
  };
  const status = (): Promise<SandboxStatus> => (known ??= look());

  const hostsFor = (command: CommandLine, asked: readonly string[]): string[] => {
    const line =
      command.kind === "shell"
        ? command.line
        : command.argv.map((word, i) => (i === 0 && !word.startsWith("./") ? path.basename(word) : word)).join(" ");
    const registries = policy.registries
      ? REGISTRY_HOSTS.filter((rule) => rule.commands.some((beginning) => startsWith(line, beginning))).flatMap((rule) => rule.hosts)
      : [];
    return [...new Set([...policy.allowedHosts, ...asked, ...registries])];
  };

  const without = (reason: string, fix: string | undefined): WrapOutcome =>
    policy.mode === "require" ? { kind: "unavailable", reason, fix } : { kind: "direct", reason };

  return {
    status,
    hostsFor,
    async wrap(request) {
      if (policy.mode === "off") return { kind: "direct", reason: "the sandbox is switched off" };
      const now = await status();
      if (!now.available || now.layer === undefined) return without(now.reason ?? "no sandbox", now.fix);
      const writable = [...request.writable, ...policy.writable];
      const hidden = await hiddenFor(request.writable);
      const hosts = hostsFor(request.command, request.network);
      if (now.layer === "bubblewrap" && (request.serves || hosts.length === 0 || !now.network)) {
        if (request.network.length > 0 && !request.serves && policy.mode === "require")
          return { kind: "unavailable", reason: now.reason ?? "network sandbox missing", fix: now.fix };
        const argv = bubblewrapArgv({
          argv: request.argv,
          cwd: request.cwd,
          writable,
          hidden,
          limits: policy.limits,
          shareNetwork: request.serves,
        });
        return { kind: "sandboxed", argv, env: { ...CACHE_VARIABLES, TMPDIR: "/tmp" }, layer: "bubblewrap", release: () => undefined };
      }
      try {
        mkdirSync(request.tempDir, { recursive: true, mode: 0o700 });
        const wrapped = await wrapWithNetwork({ ...request, writable, hidden, hosts, limits: policy.limits, signal: request.signal });
        return { kind: "sandboxed", argv: wrapped.argv, env: {}, layer: "sandbox-runtime", release: wrapped.release };
      } catch (error) {
        request.signal?.throwIfAborted();
        return without(messageOf(error), isSylkError(error) ? error.fix : undefined);
      }
    },
    async [Symbol.asyncDispose]() {
      await stopNetworkSandbox();
    },
  };
}
