/**
 * Files that are data (JSON, YAML, TOML) are read as data: the merge has what each side changed, key by
 * key, and no key twice. How a file is written down does not matter here.
 */
import path from "node:path";
import { isDeepStrictEqual } from "node:util";
import type { MergeTexts } from "./tokens.ts";

type Read = (text: string) => unknown;

async function readerOf(file: string): Promise<Read | undefined> {
  switch (path.extname(file).toLowerCase()) {
    case ".json":
      return (text) => JSON.parse(text) as unknown;
    case ".yaml":
    case ".yml": {
      const { parseAllDocuments } = await import("yaml");
      return (text) => {
        const documents = parseAllDocuments(text);
        const error = documents.flatMap((document) => document.errors)[0];
        if (error !== undefined) throw error;
        return documents.map((document): unknown => document.toJS());
      };
    }
    case ".toml": {
      const { parse } = await import("smol-toml");
      return parse;
    }
    default:
      return undefined;
  }
}

const isMap = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value) && !(value instanceof Date);

/** The result is what both changes make of the base. Lists that both changed are left to the tokens. */
function explained(base: unknown, ours: unknown, theirs: unknown, result: unknown): boolean {
  if (isDeepStrictEqual(ours, theirs) || isDeepStrictEqual(theirs, base)) return isDeepStrictEqual(result, ours);
  if (isDeepStrictEqual(ours, base)) return isDeepStrictEqual(result, theirs);
  const before = base ?? {};
  if (isMap(before) && isMap(ours) && isMap(theirs) && isMap(result)) {
    const keys = new Set([before, ours, theirs, result].flatMap((map) => Object.keys(map)));
    return [...keys].every((key) => explained(before[key], ours[key], theirs[key], result[key]));
  }
  if (!Array.isArray(base) || !Array.isArray(ours) || !Array.isArray(theirs) || !Array.isArray(result)) return false;
  const same = [ours, theirs, result].every((list) => list.length === base.length);
  return !same || base.every((item, i) => explained(item, ours[i], theirs[i], result[i]));
}

/** False: the result is no longer readable, has a key twice, or has not what both sides changed. */
export async function dataHolds(texts: MergeTexts, result: string): Promise<boolean> {
  const read = await readerOf(texts.path);
  if (read === undefined) return true;
  let sources: unknown[];
  try {
    sources = [texts.base, texts.ours, texts.theirs].map(read);
  } catch {
    return true;
  }
  try {
    return explained(sources[0], sources[1], sources[2], read(result));
  } catch {
    return false;
  }
}
