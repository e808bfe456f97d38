/**
 * A list of hooks, or of servers, as one thing to be trusted: what it would run, and every file of the folder that its
 * commands name or that stands in a folder for hooks. A yes is bound to all of it; what such a file loads in turn is not
 * followed.
 */
import { readdirSync } from "node:fs";
import path from "node:path";
import { canonicalJson, projectFile, sha256, wording, type Json } from "../../kernel/index.ts";
import type { Brought } from "./trust-record.ts";

/** The first is Sylk's own; of the other only its hooks are looked at. */
export const HOOK_LISTS: readonly string[] = [".sylk/hooks.json", ".claude/settings.json"];

const FOLDERS: readonly string[] = [".sylk/hooks", ".claude/hooks"];
const MAX_FILES = 200;
/** By these names commands find the folder they work for. */
const FOLDER_NAME = /^\$\{?(?:CLAUDE_PROJECT_DIR|SYLK_PROJECT_DIR|PWD)\}?\/+/u;

interface ShownThing extends Brought {
  shown: string;
}

/** `text` is the list's; `folder` is where its commands would run. Undefined: it is a file with other settings and holds no hooks. */
export function hookThing(folder: string, file: string, text: string): ShownThing | undefined {
  const hooks = hooksIn(text);
  if (hooks === undefined && file !== HOOK_LISTS[0]) return undefined;
  const commands = commandsIn(hooks ?? null);
  const named = commands.flatMap((command) => filesNamed(folder, command));
  const files = [...new Set([...named, ...FOLDERS.flatMap((below) => filesBelow(folder, below))])].toSorted();
  const contents = files.map((name) => [name, contentOf(folder, name)]);
  return {
    kind: "hook",
    name: file,
    hash: sha256(canonicalJson([hooks ?? text, ...contents])),
    shown: wording.oneLine(commands.join("; ")),
  };
}

/** A list of servers, with every file of the folder that a word of it names: these would be started. */
export function serverThing(folder: string, file: string, text: string): ShownThing {
  const value = valueOf(text);
  const files = [...new Set(stringsIn(value).flatMap((word) => filesNamed(folder, word)))].toSorted();
  const contents = files.filter((name) => name !== file).map((name) => [name, contentOf(folder, name)]);
  return {
    kind: "mcp_server",
    name: file,
    hash: contents.length === 0 ? sha256(text) : sha256(canonicalJson([text, ...contents])),
    shown: wording.oneLine(startsIn(value).join("; ")),
  };
}

/** What each server would start, and with which environment, or reach; nothing beside it hides what stands deeper. */
function startsIn(value: Json): string[] {
  if (typeof value !== "object" || value === null) return [];
  if (Array.isArray(value)) return value.flatMap(startsIn);
  const { command, args, env, url, serverUrl } = value;
  const named =
    typeof env === "object" && env !== null
      ? Object.entries(env).map(([name, set]) => `${name}=${typeof set === "string" ? set : JSON.stringify(set)}`)
      : [];
  const words = [command, args, url, serverUrl].flatMap((one) => stringsIn(one ?? null));
  return [...(words.length === 0 ? [] : [[...named, ...words].join(" ")]), ...Object.values(value).flatMap(startsIn)];
}

function valueOf(text: string): Json {
  try {
    return JSON.parse(text) as Json;
  } catch {
    // Nothing of it can be used; it is shown all the same.
    return null;
  }
}

function stringsIn(value: Json): string[] {
  if (typeof value === "string") return [value];
  return typeof value === "object" && value !== null ? Object.values(value).flatMap((one) => stringsIn(one)) : [];
}

function hooksIn(text: string): Json | undefined {
  const value = valueOf(text);
  return typeof value === "object" && value !== null && !Array.isArray(value) ? value["hooks"] : undefined;
}

function commandsIn(value: Json): string[] {
  if (typeof value !== "object" || value === null) return [];
  if (Array.isArray(value)) return value.flatMap(commandsIn);
  const { command } = value;
  return [...(typeof command === "string" ? [command] : []), ...Object.values(value).flatMap(commandsIn)];
}

/** Every word of a command that is a file of the folder, whatever it is there for. */
function filesNamed(folder: string, command: string): string[] {
  const words = command.replaceAll(/["']/gu, "").split(/[\s;|&()<>=,`]+/u);
  return words.flatMap((word) => {
    const below = path.relative(folder, path.resolve(folder, word.replace(FOLDER_NAME, "")));
    if (below === "" || below.startsWith("..") || path.isAbsolute(below)) return [];
    const name = below.split(path.sep).join("/");
    return projectFile.read(folder, name, { maxBytes: 1 }).kind === "read" ? [name] : [];
  });
}

function filesBelow(folder: string, below: string): string[] {
  try {
    return readdirSync(path.join(folder, below), { recursive: true, withFileTypes: true })
      .filter((entry) => !entry.isDirectory())
      .slice(0, MAX_FILES)
      .map((entry) => path.relative(folder, path.join(entry.parentPath, entry.name)).split(path.sep).join("/"));
  } catch {
    // Not there, or no folder: it holds nothing.
    return [];
  }
}

function contentOf(folder: string, name: string): string {
  const read = projectFile.read(folder, name);
  return read.kind === "read" && !read.cut ? sha256(read.text) : `${read.kind} ${read.kind === "refused" ? read.reason : ""}`;
}
