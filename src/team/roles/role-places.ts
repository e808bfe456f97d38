/** Where a role's files may stand: in the package, in the user's configuration, in a project that is trusted. */
import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { systemCode, systemPaths, projectFile } from "../../kernel/index.ts";
import type { RoleOrigin } from "./role-parts.ts";
import { readRoleFile, type RoleFile } from "./read-role-file.ts";

export interface RolePlace {
  from: RoleOrigin["from"];
  names(): string[];
  /** As people know it. */
  file(name: string): string;
  /** What a file says; undefined when it is not there. Untrusted is a problem, and nothing of it counts. */
  read(name: string): (RoleFile & { file: string; trusted: boolean }) | undefined;
}

const OWN = ".sylk/agents";
/** The package does not change under a running process. */
const shippedFiles = new Map<string, RoleFile & { file: string; trusted: boolean }>();

function namesIn(dir: string): string[] {
  try {
    return readdirSync(dir).toSorted();
  } catch {
    // Not there, or no folder: it brings nothing.
    return [];
  }
}

function textOf(file: string): string | undefined {
  try {
    return readFileSync(file, "utf8");
  } catch (error) {
    if (systemCode(error) === "ENOENT") return undefined;
    throw error;
  }
}

export const shipped: RolePlace = {
  from: "shipped",
  names: () => namesIn(systemPaths.shipped("agents")),
  file: (name) => `agents/${name}`,
  read(name) {
    const known = shippedFiles.get(name);
    if (known !== undefined) return known;
    const text = textOf(systemPaths.shipped("agents", name));
    if (text === undefined) return undefined;
    const file = `agents/${name}`;
    const read = { ...readRoleFile(file, text), file, trusted: true };
    shippedFiles.set(name, read);
    return read;
  },
};

export function userPlace(dir: string): RolePlace {
  return {
    from: "user",
    names: () => namesIn(dir),
    file: (name) => path.join(dir, name),
    read(name) {
      const file = path.join(dir, name);
      const text = textOf(file);
      return text === undefined ? undefined : { ...readRoleFile(file, text), file, trusted: true };
    },
  };
}

export function projectPlace({ projectDir, trusts }: { projectDir: string; trusts: (file: string, text: string) => boolean }): RolePlace {
  return {
    from: "project",
    names: () => namesIn(path.join(projectDir, OWN)),
    file: (name) => `${OWN}/${name}`,
    read(name) {
      const file = `${OWN}/${name}`;
      const text = projectFile.text(projectDir, file);
      if (text === undefined) return undefined;
      if (trusts(file, text)) return { ...readRoleFile(file, text), file, trusted: true };
      return { values: {}, problems: [{ file, message: "is not used before you read it and run `sylk trust`" }], file, trusted: false };
    },
  };
}
