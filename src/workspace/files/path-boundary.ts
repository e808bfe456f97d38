/**
 * Decides whether a path lies inside the workspace, by the real place it names (TOO-037, SEC-036,
 * CCY-036). Promise: the absolute path of an `inside` answer has no symbolic link in it at the
 * moment of the answer; `held-folder.ts` sees to it that what is checked is what is opened. String
 * prefixes are never compared.
 */
import { lstatSync, realpathSync, statSync } from "node:fs";
import { lstat, realpath } from "node:fs/promises";
import path from "node:path";
import { systemCode } from "../../kernel/index.ts";

export type Resolution =
  | { kind: "inside"; absolute: string; /** Relative to the root with `/`, or absolute in an extra root. */ path: string; exists: boolean }
  | { kind: "outside"; path: string; reason: string };

export interface PathBoundary {
  readonly root: string;
  resolve(input: string): Promise<Resolution>;
  /** As `resolve`, and refuses places whose content can run code or is Sylk's own record. */
  resolveForWrite(input: string): Promise<Resolution>;
}

export interface BoundaryOptions {
  root: string;
  extraRoots?: readonly string[] | undefined;
  /** Folders that may be read, never written: installed dependencies that a work tree links to. */
  readOnlyRoots?: readonly string[] | undefined;
  followSymlinks?: boolean | undefined;
}

const MAX_PATH_BYTES = 4_096;

function contains(root: string, candidate: string, foldCase: boolean): boolean {
  const fold = (p: string): string => (foldCase ? p.normalize("NFC").toLowerCase() : p);
  const relative = path.relative(fold(root), fold(candidate));
  return relative === "" || (relative !== ".." && !relative.startsWith(`..${path.sep}`) && !path.isAbsolute(relative));
}

/** A file system that ignores case answers for the swapped-case name of the same folder. */
function ignoresCase(root: string): boolean {
  const swapped = path.join(
    path.dirname(root),
    path.basename(root).replace(/[a-z]/gi, (c) => (c === c.toLowerCase() ? c.toUpperCase() : c.toLowerCase())),
  );
  if (swapped === root) return false;
  const there = lstatSync(swapped, { throwIfNoEntry: false });
  const here = lstatSync(root);
  return there !== undefined && there.ino === here.ino && there.dev === here.dev;
}

/** The name a lenient file system would give to a part: `.GIT`, `.git.` and `.g\u200cit` are all `.git`. */
function plainName(part: string): string {
  return part
    .normalize("NFKC")
    .replace(/\p{Default_Ignorable_Code_Point}/gu, "")
    .replace(/[. ]+$/u, "")
    .replace(/:.*$/u, "")
    .toLowerCase();
}

function protectedPart(relative: string): string | undefined {
  const parts = relative.split(/[\\/]/u).map(plainName);
  if (parts.some((part) => part === ".git" || part === "git~1")) return "inside a git folder";
  if (parts[0] === ".sylk" && (parts[1] === "local" || (parts[1] ?? "").startsWith("sylk.db"))) return "Sylk's own record";
  return undefined;
}

type Real = { kind: "real"; path: string; exists: boolean } | { kind: "bad"; reason: string };

async function realOf(absolute: string): Promise<Real> {
  const missing: string[] = [];
  for (let at = absolute; ; at = path.dirname(at)) {
    try {
      const real = await realpath(at);
      return { kind: "real", path: path.join(real, ...missing), exists: missing.length === 0 };
    } catch (error) {
      const code = systemCode(error);
      if (code !== "ENOENT")
        return { kind: "bad", reason: code === "ELOOP" ? "symbolic links form a loop" : `cannot be resolved (${code ?? "unknown"})` };
      const link = await lstat(at).catch(() => undefined);
      if (link !== undefined) return { kind: "bad", reason: "is a dangling symbolic link" };
      if (at === path.dirname(at)) return { kind: "bad", reason: "has no existing parent" };
      missing.unshift(path.basename(at));
    }
  }
}

export function createPathBoundary(options: BoundaryOptions): PathBoundary {
  const root = realpathSync.native(options.root);
  // An extra root may be made later; its parent must be there.
  const real = (dir: string): string => path.join(realpathSync.native(path.dirname(dir)), path.basename(dir));
  const extra = (options.extraRoots ?? []).map(real);
  const readOnly = (options.readOnlyRoots ?? []).map(real);
  const foldCase = ignoresCase(root);
  const follow = options.followSymlinks ?? true;

  const place = (absolute: string): string | undefined => {
    if (contains(root, absolute, foldCase)) return path.relative(root, absolute).split(path.sep).join("/") || ".";
    return [...extra, ...readOnly].some((dir) => contains(dir, absolute, foldCase)) ? absolute : undefined;
  };
  const onlyRead = (absolute: string): boolean =>
    !contains(root, absolute, foldCase) && !extra.some((dir) => contains(dir, absolute, foldCase));

  const resolve = async (input: string): Promise<Resolution> => {
    const outside = (reason: string): Resolution => ({ kind: "outside", path: input, reason });
    if (input === "") return outside("is empty");
    if (input.includes("\0")) return outside("contains a NUL character");
    if (Buffer.byteLength(input) > MAX_PATH_BYTES) return outside("is too long");
    const lexical = path.resolve(root, input);
    const real = await realOf(lexical);
    if (real.kind === "bad") return outside(real.reason);
    if (!follow && real.path !== lexical) return outside("passes through a symbolic link");
    const name = place(real.path);
    if (name === undefined)
      return outside(real.path === lexical ? "lies outside the workspace" : `leads to ${real.path}, outside the workspace`);
    return { kind: "inside", absolute: real.path, path: name, exists: real.exists };
  };

  return {
    root,
    resolve,
    async resolveForWrite(input) {
      const found = await resolve(input);
      if (found.kind === "outside") return found;
      const why = onlyRead(found.absolute) ? "outside the part that may be written" : protectedPart(found.path);
      return why === undefined ? found : { kind: "outside", path: input, reason: `is ${why}; tools never write there` };
    },
  };
}

export function isFolder(absolute: string): boolean {
  return statSync(absolute, { throwIfNoEntry: false })?.isDirectory() ?? false;
}
