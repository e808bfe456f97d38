/**
 * What is written and not yet on disk. When the power goes, the newest changes of folders come undone from some point
 * on, and files that were written and not synced are empty. Whoever syncs a file or a folder is safe.
 */
import path from "node:path";
import type { Random } from "../../fuzz/random.ts";
import { real, type Change } from "./system-fate.ts";

interface Entry {
  folder: string;
  undo: () => void;
}

const bytesOf = (file: string): Buffer | undefined =>
  real.statSync(file, { throwIfNoEntry: false })?.isFile() === true ? real.readFileSync(file) : undefined;

const putBack = (file: string, bytes: Buffer | undefined): void => {
  if (bytes === undefined) real.rmSync(file, { force: true, recursive: true });
  else if (real.existsSync(path.dirname(file))) real.writeFileSync(file, bytes);
};

/** A folder with something in it has come to stay. */
const unmake = (file: string): void => {
  const isFolder = real.statSync(file, { throwIfNoEntry: false })?.isDirectory() === true;
  if (!isFolder) putBack(file, undefined);
  else if (real.readdirSync(file).length === 0) real.rmdirSync(file);
};

export class Unsynced {
  /** Changes of folders, in order. */
  #entries: Entry[] = [];
  readonly #contents = new Set<string>();

  /** Does a change and remembers how it comes undone. */
  during<T>({ call, file, from }: Change, work: () => T): T {
    const before = ["rename", "rm", "unlink", "open", "writeFile"].includes(call) ? bytesOf(file) : undefined;
    const isNew = !real.existsSync(file);
    const value = work();
    const folder = path.dirname(file);
    if (call === "write" || call === "writeFile" || call === "appendFile") this.#contents.add(file);
    if (call === "sync") this.#synced(file);
    if (call === "rename") {
      this.#entries.push({ folder, undo: () => this.#unrename(from as string, file, before) });
      if (this.#contents.delete(from as string)) this.#contents.add(file);
    } else if ((call === "rm" || call === "unlink") && before !== undefined)
      this.#entries.push({ folder, undo: () => (real.existsSync(file) ? undefined : putBack(file, before)) });
    else if (isNew && real.existsSync(file)) this.#entries.push({ folder, undo: () => unmake(file) });
    return value;
  }

  /** A process wrote it and did not care. */
  wrote(file: string): void {
    this.#contents.add(file);
  }

  #unrename(from: string, to: string, before: Buffer | undefined): void {
    const moved = bytesOf(to);
    if (moved === undefined) return;
    putBack(from, moved);
    putBack(to, before);
  }

  #synced(file: string): void {
    this.#contents.delete(file);
    this.#entries = this.#entries.filter(({ folder }) => folder !== file);
  }

  /** Forgets what the user's editor, or git, brought to disk itself. */
  settled(file: string): void {
    this.#contents.delete(file);
    this.#entries = this.#entries.filter(({ folder }) => folder !== path.dirname(file));
  }

  powerLost(random: Random): void {
    const kept = Math.floor(random() * (this.#entries.length + 1));
    for (const { undo } of this.#entries.slice(kept).toReversed()) undo();
    for (const file of this.#contents) if (bytesOf(file) !== undefined && random() < 0.7) real.truncateSync(file, 0);
    this.#entries = [];
    this.#contents.clear();
  }
}
