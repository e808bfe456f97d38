/**
 * May this agent read, write or delete this path? Judged on the real path: links and `..` are resolved
 * first, and a file that does not exist yet is judged by its nearest existing folder (SEC-036).
 */
import { lstatSync, readlinkSync, realpathSync, statSync } from "node:fs";
import path from "node:path";
import { privatePlaces } from "../secrets/private-places.ts";
import { fileSensitivity } from "../secrets/sensitive-files.ts";
import type { Decision, PermissionContext } from "./types.ts";
import { allow, allowPlace, ask, deny, denyByRule } from "./types.ts";
import { findPathRule } from "./rules.ts";
import { hasCapability } from "./rights.ts";

export type PathAccess = "read" | "write" | "delete";

const MAX_LINKS = 40;

/** The real place a path leads to, also when its last parts do not exist. */
function realPlace(file: string): string {
  let rest: string[] = [];
  let at = path.resolve(file);
  for (let links = 0; links < MAX_LINKS;) {
    try {
      return path.join(realpathSync(at), ...rest);
    } catch {
      let target: string | undefined;
      try {
        // A dangling link: whoever writes to it creates its target.
        if (lstatSync(at).isSymbolicLink()) target = readlinkSync(at);
      } catch {
        // Does not exist at all: judge by the folder above.
      }
      if (target !== undefined) {
        links += 1;
        at = path.resolve(path.dirname(at), target);
        continue;
      }
      const parent = path.dirname(at);
      if (parent === at) return path.join(at, ...rest);
      rest = [path.basename(at), ...rest];
      at = parent;
    }
  }
  return path.parse(path.resolve(file)).root;
}

/** True when `file` is `folder` or lies in it; both must be real paths. */
function isInside(file: string, folder: string): boolean {
  const relative = path.relative(folder, file);
  return relative === "" || (!path.isAbsolute(relative) && relative !== ".." && !relative.startsWith(`..${path.sep}`));
}

export function isFolder(real: string): boolean {
  return statSync(real, { throwIfNoEntry: false })?.isDirectory() === true;
}

/** Parts of a work tree that only Sylk or the user may change. */
function isProtected(relative: string): boolean {
  const parts = relative.toLowerCase().split(path.sep);
  return parts.includes(".git") || parts[0] === ".sylk";
}

export function decidePath(context: PermissionContext, file: string, access: PathAccess): Decision {
  const capability = access === "read" ? "file_read" : "file_write";
  if (!hasCapability(context.role, capability)) return deny("role_insufficient", `${context.role.id} may not ${access} files`);
  const real = realPlace(path.resolve(context.cwd, file));
  const root = context.roots.map(realPlace).find((folder) => isInside(real, folder));
  const listed = findPathRule(context.rules, real, root, access);
  if (listed?.effect === "deny") return denyByRule(listed.scope, `${file} is closed by the rule ${listed.rule}`);
  const relative = root === undefined ? undefined : path.relative(root, real);
  if (access !== "read" && relative !== undefined && isProtected(relative))
    return deny("protected", `${file} belongs to git or Sylk itself`);
  if (access !== "read" && relative === "") return deny("protected", "the work tree itself cannot be replaced");
  const { handling, pattern } = fileSensitivity(real);
  const place = privatePlaces.holding(context.closed, real, root);
  const base = path.basename(real).toLowerCase();
  if (listed?.effect === "allow") return allowPlace(listed.scope, listed.rule);
  // A folder has no contents of its own; each file in it is asked for by itself.
  if (handling === "skip" && access === "read" && !isFolder(real))
    return deny("sensitive_file", `${file} matches ${pattern}; its contents never leave the machine`);
  if (place !== undefined && access === "read" && !isFolder(real))
    return deny("sensitive_file", `${file} belongs to ${place}, which holds keys or sign-ins; its contents never leave the machine`);
  if (access !== "read" && base.startsWith(".env") && !context.rules.allowModifyEnv)
    return ask(`change ${file}`, { kind: "path", value: real, access });
  if (access !== "read" && base === ".gitignore" && !context.rules.allowModifyGitignore)
    return ask(`change ${file}`, { kind: "path", value: real, access });
  if (root !== undefined) return allow(access === "read" ? "scope_read" : "scope_write", `inside ${path.basename(root)}`);
  return ask(`${access} ${file}, which is outside the project`, { kind: "path", value: real, access });
}
