/**
 * Files that ripgrep and git read wherever they find them, and that are none: a pipe would make them wait for
 * ever, a device would fill the memory. Both programs have no option for it, so it is looked at first.
 */
import { realpathSync, statSync } from "node:fs";
import path from "node:path";
import type { Clock } from "../kernel/index.ts";
import { findProgram } from "./find-program.ts";
import { startShort } from "./short-process.ts";

const READ_BY_TOOLS = [".gitignore", ".ignore", ".rgignore", ".gitattributes", ".gitmodules", ".mailmap"];
/** A new one may be made at any time; looking again and again would cost more than it saves. */
const LOOK_AGAIN_MS = 10_000;
const LOOK_MS = 20_000;
const MAX_LINKS = 2_000;
const MAX_BYTES = 16 * 1024 * 1024;
/** Folders whose files have no end, or an effect when read. */
const SYSTEM_FILES = /^\/(?:dev(?!\/shm\/)|proc|sys)\//u;

type Found = Promise<string | undefined>;
const looked = new Map<string, { at: number; found: Found }>();

/** What was found not long ago, or is found now. */
export function lately(key: string, clock: Clock, look: () => Found): Found {
  const now = clock.monotonic();
  const known = looked.get(key);
  if (known !== undefined && now - known.at < LOOK_AGAIN_MS) return known.found;
  const found = look();
  looked.set(key, { at: now, found });
  return found;
}

async function find(folder: string, args: readonly string[], clock: Clock): Promise<string[]> {
  const searchPath = process.env["PATH"] ?? "";
  const file = findProgram("find", searchPath);
  if (process.platform === "win32" || file === undefined) return [];
  const out: Buffer[] = [];
  let size = 0;
  const child = startShort({
    file,
    args: [".", ...args],
    cwd: folder,
    env: { PATH: searchPath, LC_ALL: "C" },
    onStdout(chunk) {
      size += chunk.length;
      if (size <= MAX_BYTES) out.push(chunk);
    },
    onStderr: () => undefined,
  });
  const done = new AbortController();
  const watch = clock.sleep(LOOK_MS, done.signal).then(
    () => child.kill("SIGKILL"),
    () => undefined,
  );
  // What it found until then counts, also where it could not look everywhere.
  await child.ended.catch(() => undefined);
  done.abort();
  await watch;
  return Buffer.concat(out)
    .toString()
    .split("\0")
    .filter((name) => name !== "")
    .map((name) => name.replace(/^\.\//u, ""));
}

/** The first such file below a folder, if any. */
export function oddFileBelow(folder: string, clock: Clock): Found {
  const named = READ_BY_TOOLS.flatMap((name, i) => (i === 0 ? ["-name", name] : ["-o", "-name", name]));
  const bulk = ["(", "-name", "node_modules", "-o", "-name", ".git", ")", "-type", "d", "-prune", "-o"];
  return lately(folder, clock, async () => (await find(folder, [...bulk, "(", ...named, ")", "!", "-type", "f", "-print0"], clock))[0]);
}

/** Neither a file nor a folder, nor a link that leads to one. What is not there is not odd. */
export function isOdd(place: string): boolean {
  try {
    const info = statSync(place, { throwIfNoEntry: false });
    if (info === undefined) return false;
    if (!info.isFile() && !info.isDirectory()) return true;
    return SYSTEM_FILES.test(`${realpathSync(place)}/`);
  } catch {
    // A circle of links.
    return true;
  }
}

/** The first pipe or device in a git folder, or a link to one, as a whole path. */
export async function oddFileInGit(gitDir: string, clock: Clock): Found {
  const kinds = ["(", "-type", "p", "-o", "-type", "c", "-o", "-type", "b", "-o", "-type", "l", ")", "-print0"];
  const found = (await find(gitDir, kinds, clock)).map((name) => path.join(gitDir, name));
  const odd = found.length > MAX_LINKS ? found[0] : found.find(isOdd);
  if (odd !== undefined) return odd;
  // A folder that stands elsewhere is looked through too; links in it that lead further are not followed.
  for (const link of found.filter((place) => statSync(place, { throwIfNoEntry: false })?.isDirectory() === true)) {
    const real = realpathSync(link);
    const inside = (await find(real, kinds, clock)).map((name) => path.join(real, name)).find(isOdd);
    if (inside !== undefined) return inside;
  }
  return undefined;
}
