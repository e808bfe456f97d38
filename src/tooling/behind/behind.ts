/**
 * What stands behind a check: lines that change with every file that decides what runs by its name, or why that
 * cannot be said. Who does not understand a part says `cannot`; silence would be read as permission.
 */
import { lstatSync, realpathSync, statSync } from "node:fs";
import path from "node:path";
import { projectFile, sha256 } from "../../kernel/index.ts";
import type { shellLines } from "../../guard/index.ts";

const MAX_BYTES = 64 * 1024 * 1024;
const INSTALLED = "node_modules/.bin";

/** One command as the guard reads it. */
export type Invocation = Extract<ReturnType<typeof shellLines.unwrap>, { kind: "clear" }>["invocations"][number];
export type Word = Invocation["args"][number];

/** Where a command may stand: its possible folders, and the package whose installed programs come first. */
export interface Stand {
  at: readonly string[];
  home: string;
}

/** One command of a line, without its wrappers. */
export interface Run {
  name: string;
  args: readonly Word[];
  stand: Stand;
}

/** How a follower hands on what it found inside: whole lines, and commands as words. */
export interface Reader {
  readonly behind: Behind;
  line(text: string, stand: Stand): void;
  words(words: readonly Word[], stand: Stand): void;
}

export type Taken = "taken" | "none" | "folder";

export function realPath(file: string): string | undefined {
  try {
    return realpathSync.native(file);
  } catch {
    return undefined;
  }
}

function isThere(file: string): boolean {
  return lstatSync(file, { throwIfNoEntry: false }) !== undefined;
}

export class Behind {
  readonly root: string;
  readonly #lines = new Set<string>();
  readonly #taken = new Set<string>();
  readonly #made = new Set<string>();
  readonly #once = new Set<string>();
  #unclear: string | undefined;

  constructor(root: string) {
    this.root = root;
  }

  cannot(reason: string): void {
    this.#unclear ??= reason;
  }

  says(line: string): void {
    this.#lines.add(line);
  }

  /** True for the first to ask. */
  once(key: string): boolean {
    if (this.#once.has(key)) return false;
    this.#once.add(key);
    return true;
  }

  relative(file: string): string {
    return path.relative(this.root, file) || ".";
  }

  isInside(file: string): boolean {
    return !/^\.\.(?:\/|$)/u.test(path.relative(this.root, file));
  }

  /** The line puts something there while it runs; a number of bytes known now says nothing about what runs then. */
  makes(file: string): void {
    if (file.includes("node_modules")) this.cannot(`it writes ${this.relative(file)}`);
    this.#made.add(file);
  }

  take(file: string): Taken {
    const at = realPath(file);
    const installed = path.dirname(file).endsWith(INSTALLED);
    if (!installed && !this.isInside(file)) this.cannot(`${file} lies outside the project`);
    if (at === undefined) {
      if (isThere(file)) this.cannot(`${this.relative(file)} is a link to nowhere`);
      return "none";
    }
    if (statSync(at, { throwIfNoEntry: false })?.isDirectory() === true) return "folder";
    const found = projectFile.read(path.dirname(at), path.basename(at), { maxBytes: MAX_BYTES });
    const label = installed && !this.isInside(file) ? path.basename(file) : this.relative(file);
    if (found.kind !== "read") this.cannot(`${label} ${found.kind === "none" ? "went away" : found.reason}`);
    else if (found.cut) this.cannot(`${label} is too large`);
    else {
      // Beside its folder, so that a work tree with linked dependencies has the same.
      const leads = path.relative(realPath(path.dirname(file)) ?? this.root, at);
      this.says(`${label}: ${leads === path.basename(file) ? "" : `${leads} `}${sha256(found.bytes)}`);
      this.#taken.add(file).add(at);
    }
    return "taken";
  }

  has(file: string): boolean {
    return this.#taken.has(file);
  }

  /** It would be run if it were there. */
  misses(file: string): void {
    this.#taken.add(file);
  }

  /** A file that decides by its name alone: it counts when it is there, and when it comes. */
  takeIfThere(file: string): void {
    if (this.take(file) === "folder") this.cannot(`${this.relative(file)} is a folder`);
  }

  /** Package managers put these in front of everything, the nearest first. */
  takeInstalled(name: string, stand: Stand): boolean {
    let found = false;
    for (const from of new Set([stand.home, ...stand.at]))
      for (let dir = from; ; dir = path.dirname(dir)) {
        const file = path.join(dir, INSTALLED, name);
        if (isThere(file)) {
          if (this.take(file) !== "taken") this.cannot(`${name} under node_modules/.bin is no program`);
          found = true;
        }
        // One that cannot be started is passed over: inside the project all of them count.
        if (dir === path.dirname(dir) || (found && !this.isInside(path.dirname(dir)))) break;
      }
    return found;
  }

  result(): { lines: string[]; unclear: string | undefined } {
    const made = [...this.#made].find((place) => [...this.#taken].some((file) => file === place || file.startsWith(`${place}${path.sep}`)));
    if (made !== undefined) this.cannot(`it writes ${this.relative(made)}, and runs what is there`);
    return { lines: [...this.#lines], unclear: this.#unclear };
  }
}

export const places = (word: string, stand: Stand): string[] => stand.at.map((from) => path.resolve(from, word));

/**
 * A script or program that a word names, in one of the folders the command may stand in. One that is not there counts
 * as missing; whatever comes by that name, with one of the endings, changes what is said.
 */
export function takeNamed(behind: Behind, word: Word | undefined, stand: Stand, endings: readonly string[] = []): void {
  const name = word?.value;
  if (word === undefined || name === undefined || word.tilde || name === "" || name === "-") {
    behind.cannot(word === undefined || name === "-" ? "a program is read from its input" : `${word.source} is decided when it runs`);
    return;
  }
  let found = false;
  for (const file of places(name, stand)) {
    const looked: Taken[] = [];
    for (const candidate of [file, ...endings.map((ending) => file + ending)]) {
      looked.push(behind.take(candidate));
      if (looked.at(-1) === "taken") break;
    }
    if (looked.includes("taken")) found = true;
    else if (looked.includes("folder")) behind.cannot(`${name} is a folder`);
  }
  if (found) return;
  // A bare word may be one of the program's own.
  if (!/[./]/u.test(name)) behind.cannot(`${name} is no file that is there`);
  behind.says(`${name}: not there`);
  for (const file of places(name, stand)) behind.misses(file);
}
