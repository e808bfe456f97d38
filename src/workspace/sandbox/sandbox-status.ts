/** Finds out what sandbox this machine can give, by trying it; programs are found once, by whole path. */
import { spawn } from "node:child_process";
import { existsSync, readlinkSync } from "node:fs";
import path from "node:path";
import type { Clock } from "../../kernel/index.ts";
import { findProgram } from "../find-program.ts";
import { OWN_SHELL } from "../own-shell.ts";
import { isBelow } from "./bubblewrap.ts";
import type { SandboxPolicy } from "./policy.ts";
import type { SandboxStatus } from "../isolation.ts";

export interface FoundSandbox {
  status: SandboxStatus;
  bwrap: string;
  socat: string | undefined;
  sized: boolean;
}

const PROBE_TIMEOUT_MS = 10_000;
const MAX_SAID = 2_000;

interface Tried {
  /** Undefined when it could not be started or took too long. */
  code: number | undefined;
  out: string;
  said: string;
}

async function attempt(argv: readonly string[], clock: Clock, searchPath: string): Promise<Tried> {
  const [file = "", ...args] = argv;
  const done = new AbortController();
  let said = "";
  let out = "";
  const code = await new Promise<number | undefined>((resolve) => {
    const child = spawn(file, args, { stdio: ["ignore", "pipe", "pipe"], env: { PATH: searchPath } });
    child.stdout.on("data", (chunk: Buffer) => (out = (out + chunk.toString()).slice(0, MAX_SAID)));
    child.stderr.on("data", (chunk: Buffer) => (said = (said + chunk.toString()).slice(0, MAX_SAID)));
    child.once("error", () => resolve(undefined));
    child.once("close", (exit) => resolve(exit ?? undefined));
    void clock.sleep(PROBE_TIMEOUT_MS, done.signal).then(
      () => child.kill("SIGKILL"),
      () => undefined,
    );
  });
  done.abort();
  return { code, out, said: said.trim() };
}

const LOOK = "readlink /proc/self/ns/net; readlink /proc/self/ns/mnt; readlink /proc/self/ns/pid";

/** A program of this name that does not isolate, or does not run the command at all, is no sandbox. */
function isolates(out: string): boolean {
  const seen = out.trim().split("\n");
  return ["net", "mnt", "pid"].every((name, i) => {
    const inside = seen[i] ?? "";
    return inside.startsWith(`${name}:[`) && inside !== readlinkSync(`/proc/self/ns/${name}`);
  });
}

function tryArgv(bwrap: string, sized: boolean, searchPath: string): string[] {
  const tools = searchPath.split(path.delimiter).filter((dir) => isBelow(dir, "/tmp") && existsSync(dir));
  const temp = [...(sized ? ["--size", "65536"] : []), "--tmpfs", "/tmp", ...tools.flatMap((dir) => ["--ro-bind", dir, dir])];
  const own = ["--unshare-all", "--cap-drop", "ALL", "--die-with-parent"];
  return [bwrap, "--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc", ...temp, ...own, "--", OWN_SHELL, "-c", LOOK];
}

export async function findSandbox(mode: SandboxPolicy["mode"], clock: Clock, searchPath: string): Promise<FoundSandbox> {
  const none = (reason: string, fix: string): FoundSandbox => ({
    status: { mode, network: false, layer: undefined, available: false, reason, fix },
    bwrap: "",
    socat: undefined,
    sized: false,
  });
  if (process.platform === "darwin") {
    const status = { mode, available: true, layer: "sandbox-runtime", network: true, reason: undefined, fix: undefined } as const;
    return { status, bwrap: "", socat: undefined, sized: false };
  }
  if (process.platform !== "linux") return none(`there is no sandbox for ${process.platform}`, "use WSL 2 or a container");
  const bwrap = findProgram("bwrap", searchPath);
  if (bwrap === undefined) return none("bubblewrap (bwrap) was not found", "install it, e.g. apt-get install bubblewrap socat");
  let sized = true;
  let tried = await attempt(tryArgv(bwrap, sized, searchPath), clock, searchPath);
  if (tried.code !== 0 && /--size/u.test(tried.said)) {
    sized = false;
    tried = await attempt(tryArgv(bwrap, sized, searchPath), clock, searchPath);
  }
  if (tried.code === undefined) return none(`${bwrap} could not be started, or did not end`, "reinstall bubblewrap");
  if (tried.code !== 0)
    return none(
      `bubblewrap does not work here: ${tried.said.split("\n")[0] || `exit code ${tried.code}`}`,
      "allow unprivileged user namespaces, or run Sylk where they are allowed",
    );
  if (!isolates(tried.out)) return none(`${bwrap} ran, but does not isolate commands: it is not bubblewrap`, "reinstall bubblewrap");
  const socat = findProgram("socat", searchPath);
  const works = socat !== undefined && (await attempt([socat, "-V"], clock, searchPath)).code === 0;
  const status: SandboxStatus = {
    mode,
    available: true,
    layer: "bubblewrap",
    network: works,
    reason: works
      ? undefined
      : `socat ${socat === undefined ? "was not found" : "does not work"}, so sandboxed commands reach no host at all`,
    fix: works ? undefined : "install socat",
  };
  return { status, bwrap, socat: works ? socat : undefined, sized };
}
