/**
 * Files that ripgrep and git read wherever they find them, and that are none: a pipe would make them wait for
 * ever, a device would fill the memory. Both programs have no option for it, so it is looked at first.
 */
import { execFile } from "node:child_process";
import type { Clock } from "../kernel/index.ts";

const READ_BY_TOOLS = [".gitignore", ".ignore", ".rgignore", ".gitattributes", ".gitmodules", ".mailmap"];
/** A new one may be made at any time; looking again and again would cost more than it saves. */
const LOOK_AGAIN_MS = 10_000;
const LOOK_MS = 20_000;

const looked = new Map<string, { at: number; found: Promise<string | undefined> }>();

/** The first such file below a folder, if any. */
export function oddFileBelow(folder: string, clock: Clock): Promise<string | undefined> {
  const now = clock.monotonic();
  const known = looked.get(folder);
  if (known !== undefined && now - known.at < LOOK_AGAIN_MS) return known.found;
  const found = look(folder);
  looked.set(folder, { at: now, found });
  return found;
}

function look(folder: string): Promise<string | undefined> {
  if (process.platform === "win32") return Promise.resolve(undefined);
  const named = READ_BY_TOOLS.flatMap((name, i) => (i === 0 ? ["-name", name] : ["-o", "-name", name]));
  const bulk = ["(", "-name", "node_modules", "-o", "-name", ".git", ")", "-type", "d", "-prune", "-o"];
  const args = [".", ...bulk, "(", ...named, ")", "!", "-type", "f", "-print"];
  return new Promise((resolve) => {
    execFile("find", args, { cwd: folder, timeout: LOOK_MS, env: { PATH: process.env["PATH"] ?? "", LC_ALL: "C" } }, (_error, out) =>
      resolve(out.split("\n")[0]?.replace(/^\.\//u, "") || undefined),
    );
  });
}
