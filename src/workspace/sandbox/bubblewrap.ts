/**
 * The command line of a bubblewrap sandbox (SEC-033): the whole system read-only, keys and sockets
 * hidden, the work folder writable, own processes, own /tmp, no capabilities and no network. Git's
 * folder is read-only but for what a commit on a private branch needs.
 */
import { existsSync, readFileSync, statSync } from "node:fs";
import path from "node:path";

export interface BubblewrapRequest {
  argv: readonly string[];
  cwd: string;
  /** Folders that may be written. */
  writable: readonly string[];
  hidden: readonly string[];
  limits: { memoryMb: number; openFiles: number; fileMb: number };
  shareNetwork: boolean;
}

const LIMITS = 'ulimit -c 0; ulimit -n "$1" 2>/dev/null; ulimit -d "$2" 2>/dev/null; ulimit -f "$3" 2>/dev/null; shift 3; exec "$@"';

/** Sets limits and becomes the command. Sizes: `-d` in KiB, `-f` in blocks of 512 bytes. */
export function limited(argv: readonly string[], limits: BubblewrapRequest["limits"]): string[] {
  return ["sh", "-c", LIMITS, "sh", String(limits.openFiles), String(limits.memoryMb * 1024), String(limits.fileMb * 2048), ...argv];
}

/** Folders of the repository that commits from this work tree write to; empty in an ordinary clone. */
function gitFolders(root: string): { readOnly: string[]; writable: string[] } {
  const mark = path.join(root, ".git");
  const info = statSync(mark, { throwIfNoEntry: false });
  if (info === undefined) return { readOnly: [], writable: [] };
  if (info.isDirectory()) return { readOnly: [mark], writable: [] };
  const own = /^gitdir: (.+)$/mu.exec(readFileSync(mark, "utf8"))?.[1]?.trim();
  if (own === undefined) return { readOnly: [], writable: [] };
  const common = path.resolve(
    own,
    existsSync(path.join(own, "commondir")) ? readFileSync(path.join(own, "commondir"), "utf8").trim() : ".",
  );
  return {
    readOnly: [common, mark],
    writable: [own, path.join(common, "objects"), path.join(common, "refs/heads/sylk"), path.join(common, "logs/refs/heads/sylk")],
  };
}

/** Everything is there, nothing can be changed, temporary files are private. */
const SYSTEM = ["--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc", "--tmpfs", "/tmp"];

function hide(target: string): string[] {
  const info = statSync(target, { throwIfNoEntry: false });
  if (info === undefined) return [];
  return info.isDirectory() ? ["--tmpfs", target] : ["--ro-bind", "/dev/null", target];
}

export function bubblewrapArgv(request: BubblewrapRequest): string[] {
  const roots = request.writable.filter((dir) => existsSync(dir));
  const git = roots.map(gitFolders);
  const bind = (how: "--bind" | "--ro-bind", dirs: readonly string[]): string[] =>
    dirs.filter((dir) => existsSync(dir)).flatMap((dir) => [how, dir, dir]);
  const inside = (target: string): boolean => roots.some((root) => target.startsWith(`${root}${path.sep}`));
  return [
    "bwrap",
    ...SYSTEM,
    ...request.hidden.flatMap(hide),
    ...bind("--bind", roots),
    ...bind(
      "--ro-bind",
      roots.map((dir) => path.join(dir, ".sylk")),
    ),
    ...bind(
      "--ro-bind",
      git.flatMap((folders) => folders.readOnly),
    ),
    ...bind(
      "--bind",
      git.flatMap((folders) => folders.writable),
    ),
    // Opening the work folder must not bring back what was hidden in it.
    ...request.hidden.filter(inside).flatMap(hide),
    "--unshare-all",
    ...(request.shareNetwork ? ["--share-net"] : []),
    "--cap-drop",
    "ALL",
    "--die-with-parent",
    "--chdir",
    request.cwd,
    "--",
    ...limited(request.argv, request.limits),
  ];
}
