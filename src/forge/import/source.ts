/**
 * Reads the files of another tool: the user's own, which may be links, and a project's, which are somebody else's text:
 * there no link is followed, and neither what git ignores nor what never leaves the machine is brought.
 * Never more of a file or a folder than the limits; what cannot be read is told by name, without a word of its text.
 */
import { lstatSync, readFileSync, readdirSync, statSync } from "node:fs";
import path from "node:path";
import { parse as parseToml } from "smol-toml";
import { parse as parseYaml } from "yaml";
import { fileSensitivity } from "../../guard/index.ts";
import { projectFile, systemPaths } from "../../kernel/index.ts";
import { filesBelow } from "../files-below.ts";
import type { Executable, Files, Scope } from "./things.ts";

const MAX_BYTES = 1024 * 1024;
const MAX_NAMES = 500;
const MAX_DEPTH = 4;
const MAX_SKILL_FILES = 200;
const OWNER_MAY_RUN = 0o100;
const MAX_SKILL_BYTES = 5_000_000;

export interface SourceOptions {
  scope: Scope;
  root: string;
  /** How a path below the root is called. */
  shown: (file: string) => string;
  /** Whether git keeps a file below the root out of the repository. */
  isIgnored: (file: string) => boolean;
}

const sameName = (one: string, other: string): boolean => one.normalize().toLowerCase() === other.normalize().toLowerCase();

type Loaded = { value: unknown } | { why: string } | undefined;

/** JSON with comments and commas at the end, as some of these files are written. */
function looseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return parseYaml(text.replaceAll(/("(?:[^"\\\n]|\\.)*")|\/\/.*$|\/\*[^]*?\*\//gmu, "$1").replaceAll("\t", " "));
  }
}

export class Source {
  readonly scope: Scope;
  readonly root: string;
  readonly shown: (file: string) => string;

  readonly #isIgnored: (file: string) => boolean;

  constructor({ scope, root, shown, isIgnored }: SourceOptions) {
    this.#isIgnored = isIgnored;
    this.scope = scope;
    this.root = root;
    this.shown = shown;
  }

  /** The bytes; a reason when it is there and cannot be read; undefined when it is not. */
  bytes(file: string): Uint8Array | { why: string } | undefined {
    if (fileSensitivity(file).handling === "skip") return this.#isThere(file) ? { why: "is a file for secrets" } : undefined;
    if (this.scope === "project") {
      const found = projectFile.read(this.root, file, { maxBytes: MAX_BYTES });
      if (found.kind === "none") return undefined;
      if (found.kind === "refused") return { why: found.reason };
      if (!sameName(found.real, path.normalize(file).split(path.sep).join("/"))) return { why: "is a link, and links are not followed" };
      if (this.#isIgnored(found.real)) return { why: "is ignored by git" };
      return found.cut ? { why: "is too large" } : found.bytes;
    }
    const full = path.resolve(this.root, file);
    const kind = systemPaths.kind(full);
    if (kind === undefined) return undefined;
    if (kind !== "file") return { why: "is not a regular file" };
    return statSync(full).size > MAX_BYTES ? { why: "is too large" } : readFileSync(full);
  }

  #isThere(file: string): boolean {
    return systemPaths.kind(path.resolve(this.root, file)) !== undefined;
  }

  text(file: string): string | { why: string } | undefined {
    const found = this.bytes(file);
    if (found === undefined || "why" in found) return found;
    const text = Buffer.from(found).toString("utf8");
    return text.includes("\0") ? { why: "is not text" } : text;
  }

  /** What a list of settings says, by the ending of its name. */
  data(file: string): Loaded {
    const text = this.text(file);
    if (text === undefined || typeof text !== "string") return text;
    const isToml = file.endsWith(".toml");
    try {
      return { value: isToml ? parseToml(text) : looseJson(text) };
    } catch {
      // What is wrong is not told: the message would quote the file.
      return { why: `is not ${isToml ? "TOML" : "JSON"}` };
    }
  }

  /** Files with this ending below a folder, relative to it. */
  names(folder: string, ending: RegExp, depth = 0): string[] {
    if (depth >= MAX_DEPTH) return [];
    return this.#entries(folder)
      .flatMap((entry) => {
        if (entry.isDirectory())
          return this.names(path.join(folder, entry.name), ending, depth + 1).map((below) => `${entry.name}/${below}`);
        return ending.test(entry.name) ? [entry.name] : [];
      })
      .slice(0, MAX_NAMES);
  }

  /** Folders that hold a SKILL.md, by name. */
  skills(folder: string): string[] {
    return this.#entries(folder)
      .filter((entry) => !entry.name.startsWith(".") && this.bytes(path.join(folder, entry.name, "SKILL.md")) !== undefined)
      .map(({ name }) => name)
      .slice(0, MAX_NAMES);
  }

  /** Everything of a skill; links in it are not followed. */
  skill(folder: string): { files: Files; executable: Executable } | { why: string } {
    const below = filesBelow(path.resolve(this.root, folder), 2 * MAX_SKILL_FILES);
    const files = new Map<string, Uint8Array>();
    const executable = new Set<string>();
    let size = 0;
    for (const name of below.files) {
      const found = this.bytes(path.join(folder, name));
      if (found === undefined || "why" in found) return { why: `${name} ${found?.why ?? "is gone"}` };
      files.set(name, found);
      const at = lstatSync(path.resolve(this.root, folder, name), { throwIfNoEntry: false });
      if (at?.isFile() === true && (at.mode & OWNER_MAY_RUN) !== 0) executable.add(name);
      size += found.length;
      if (files.size > MAX_SKILL_FILES || size > MAX_SKILL_BYTES) break;
    }
    return below.whole && files.size <= MAX_SKILL_FILES && size <= MAX_SKILL_BYTES
      ? { files, executable }
      : { why: `holds more than ${MAX_SKILL_FILES} files or ${MAX_SKILL_BYTES / 1e6} MB` };
  }

  #entries(folder: string) {
    try {
      return readdirSync(path.resolve(this.root, folder), { withFileTypes: true }).toSorted((a, b) => (a.name < b.name ? -1 : 1));
    } catch {
      // Not there, or no folder: it brings nothing.
      return [];
    }
  }
}
