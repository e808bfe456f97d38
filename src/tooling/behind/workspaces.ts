/** Which packages a project says it has, each with its manifest. */
import { readdirSync, statSync } from "node:fs";
import path from "node:path";
import { parse as parseYaml } from "yaml";
import { z } from "zod";
import { projectFile } from "../../kernel/index.ts";
import { readManifest } from "./package-scripts.ts";
import type { Behind } from "./behind.ts";

const MAX_PACKAGES = 300;
const pnpmFile = z.object({ packages: z.array(z.string()).default([]) });

export type Workspace = NonNullable<ReturnType<typeof readManifest>>;

function patternsOf(behind: Behind): readonly string[] {
  const pnpm = projectFile.text(behind.root, "pnpm-workspace.yaml");
  const own = readManifest(behind, behind.root)?.workspaces ?? [];
  if (pnpm === undefined) return own;
  try {
    const read = pnpmFile.safeParse(parseYaml(pnpm));
    if (read.success) return [...own, ...read.data.packages];
  } catch {
    // Said below.
  }
  behind.cannot("pnpm-workspace.yaml cannot be read");
  return own;
}

function foldersOf(behind: Behind, pattern: string): string[] {
  const plain = pattern.replace(/^\.\//u, "").replace(/\/+$/u, "");
  if (plain === "." || plain === "") return [behind.root];
  if (!/^(?:[\w@.-]+\/)*(?:[\w@.-]+|\*)$/u.test(plain) || plain.split("/").includes("..")) {
    behind.cannot(`which packages ${pattern} means cannot be said`);
    return [];
  }
  if (!plain.endsWith("*")) return [path.join(behind.root, plain)];
  const above = path.join(behind.root, path.dirname(plain));
  if (statSync(above, { throwIfNoEntry: false })?.isDirectory() !== true) return [];
  return readdirSync(above)
    .sort()
    .filter((name) => name !== "node_modules")
    .map((name) => path.join(above, name));
}

export function workspacesOf(behind: Behind): Workspace[] {
  const folders = [...new Set(patternsOf(behind).flatMap((pattern) => foldersOf(behind, pattern)))];
  if (folders.length > MAX_PACKAGES) behind.cannot("there are more packages than are followed");
  return folders.slice(0, MAX_PACKAGES).flatMap((folder) => {
    const manifest = readManifest(behind, folder);
    return manifest === undefined ? [] : [manifest];
  });
}
