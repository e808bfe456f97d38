/**
 * Does a search of whole folders reach a file whose contents never leave the machine? Such a file is named by no word of
 * the line: patterns of the line (`-g '.e*'`) and ignore files of the project (`!.env`) bring hidden and ignored ones in.
 * Where no sandbox hides them, one that lies there is enough for a question.
 */
import { readdirSync } from "node:fs";
import path from "node:path";
import type { Word } from "../shell/types.ts";
import { fileSensitivity } from "../secrets/sensitive-files.ts";
import { isFolder } from "./decide-path.ts";
import { expandHome, type Place } from "./decide-reads.ts";

const MAX_ENTRIES = 20_000;
/** Git's own, and what others wrote: examples of keys lie there. */
const NOT_LOOKED_AT: ReadonlySet<string> = new Set([".git", "node_modules", ".venv", "venv"]);
/** Options without a value: with these alone the second plain word is the first place. */
const FLAGS = /^(?:-[nivwclohHsSFxN]+|--)$/u;

/** What is searched; with the folder the command stands in, unless the line surely names others. */
function searchedPlaces({ context }: Place, args: readonly Word[]): string[] {
  const texts = args.map((word) => expandHome(word, context.home));
  const [, ...named] = texts.filter((text) => text !== undefined && !FLAGS.test(text));
  const isTold = named.length > 0 && texts.every((text) => text !== undefined && (!text.startsWith("-") || FLAGS.test(text)));
  return [...(isTold ? [] : ["."]), ...(isTold ? named : texts)].filter((text) => text !== undefined);
}

function secretBelow(folder: string): string | undefined {
  let left = MAX_ENTRIES;
  const folders = [folder];
  for (let at = folders.pop(); at !== undefined; at = folders.pop()) {
    for (const entry of readdirSync(at, { withFileTypes: true })) {
      left -= 1;
      const file = path.join(at, entry.name);
      if (left < 0) return `${folder}, which holds too much to look through`;
      if (entry.isDirectory()) {
        if (!NOT_LOOKED_AT.has(entry.name)) folders.push(file);
      } else if (fileSensitivity(file).handling === "skip") return file;
    }
  }
  return undefined;
}

/** A file that the search may show, or why that cannot be told; undefined when there is none. */
export function searchedSecret(place: Place, args: readonly Word[]): string | undefined {
  for (const cwd of place.folders)
    for (const name of searchedPlaces(place, args)) {
      const folder = path.resolve(cwd, name);
      if (!isFolder(folder)) continue;
      try {
        const found = secretBelow(folder);
        if (found !== undefined) return path.relative(cwd, found);
      } catch {
        return path.relative(cwd, folder);
      }
    }
  return undefined;
}
