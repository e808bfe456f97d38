/**
 * The MCP servers that are written down: the user's own, and those a project brings. What a project brings counts once
 * the user trusts that very text, and only then are variables put into it. A name is the user's before it is a project's:
 * permissions are kept by name.
 */
import path from "node:path";
import { z } from "zod";
import { projectFile, wording } from "../../kernel/index.ts";

/** Files of a project, in the form that other agents use too; the first that has a name has it. */
export const PROJECT_FILES = [".mcp.json", ".agents/mcp_config.json", ".sylk/mcp.json"];
export const OWN_FILE = "mcp.json";
const MAX_LIST_BYTES = 1024 * 1024;
export const SERVER_NAME = /^[a-z0-9_-]{1,64}$/u;

const words = z.record(z.string(), z.string()).default({});
const stdioSchema = z.looseObject({
  type: z.literal("stdio").optional(),
  command: z.string().min(1),
  args: z.array(z.string()).default([]),
  env: words,
});
const httpSchema = z.looseObject({
  type: z.enum(["http", "streamable-http"]).optional(),
  url: z.string().optional(),
  /** What some call the address. */
  serverUrl: z.string().optional(),
  headers: words,
});
const listSchema = z.looseObject({ mcpServers: z.record(z.string(), z.unknown()).default({}) });

/** How a server is reached. */
export type Reach =
  | { kind: "stdio"; command: string; args: readonly string[]; env: Readonly<Record<string, string>> }
  | { kind: "http"; url: string; headers: Readonly<Record<string, string>> };

export interface ListedServer {
  name: string;
  from: "user" | "project";
  /** Below the project, or the user's own. */
  file: string;
  /** Undefined when it cannot be read. */
  reach: Reach | undefined;
  /** Why it is not used; undefined: it is. */
  idle: string | undefined;
}

export interface ListParts {
  configDir: string;
  projectDir: string;
  env: Readonly<Record<string, string | undefined>>;
  /** Whether the user trusts this text of a file of the project, and what it names, as it would be used in a folder. */
  trusts: (file: string, text: string, folder?: string) => boolean;
}

/** Where a task works: the user's own servers start elsewhere. */
const FOLDER = "SYLK_PROJECT_DIR";
const VARIABLE = /\$\{([A-Za-z_][A-Za-z0-9_]*)(?::-([^}]*))?\}/gu;

/** `${NAME}` and `${NAME:-otherwise}`; what is not set is told. */
function filled(reach: Reach, env: ListParts["env"]): { reach: Reach } | { missing: string[] } {
  const missing = new Set<string>();
  const fill = (text: string): string =>
    text.replaceAll(VARIABLE, (_all, name: string, otherwise: string | undefined) => {
      const value = env[name] ?? otherwise;
      if (value === undefined) missing.add(name);
      return value ?? "";
    });
  const all = (given: Readonly<Record<string, string>>) =>
    Object.fromEntries(Object.entries(given).map(([name, value]) => [name, fill(value)]));
  const done: Reach =
    reach.kind === "stdio"
      ? { kind: "stdio", command: fill(reach.command), args: reach.args.map(fill), env: all(reach.env) }
      : { kind: "http", url: fill(reach.url), headers: all(reach.headers) };
  return missing.size === 0 ? { reach: done } : { missing: [...missing] };
}

function reachOf(value: unknown): Reach | string {
  const isLocal = typeof value === "object" && value !== null && "command" in value;
  const read = isLocal ? stdioSchema.safeParse(value) : httpSchema.safeParse(value);
  if (!read.success) return wording.issues(read.error);
  if ("command" in read.data) {
    const { command, args, env } = stdioSchema.parse(value);
    return { kind: "stdio", command, args, env };
  }
  const { url, serverUrl, headers } = httpSchema.parse(value);
  const address = url ?? serverUrl;
  return address === undefined ? "it has neither a command nor a url" : { kind: "http", url: address, headers };
}

type Place = Pick<ListedServer, "from" | "file"> & { trusted: boolean };

function serverOf(name: string, value: unknown, place: Place, env: ListParts["env"]): ListedServer {
  const found = { name, from: place.from, file: place.file };
  const reach = reachOf(value);
  if (typeof reach === "string") return { ...found, reach: undefined, idle: reach };
  if (!SERVER_NAME.test(name)) return { ...found, reach, idle: "its name is not made of a-z, 0-9, - and _" };
  if (!place.trusted) return { ...found, reach, idle: "not trusted, or changed since: `sylk trust` shows it and asks" };
  const known = filled(reach, env);
  if ("missing" in known) return { ...found, reach, idle: `${known.missing.join(", ")} is not set in the environment` };
  if (known.reach.kind === "http" && !/^https?:\/\//u.test(known.reach.url)) return { ...found, reach, idle: "its url is no http address" };
  return { ...found, reach: known.reach, idle: undefined };
}

function serversIn(text: string, place: Place, env: ListParts["env"]): ListedServer[] {
  const broken = (idle: string): ListedServer[] => [{ name: "?", from: place.from, file: place.file, reach: undefined, idle }];
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return broken("is not JSON");
  }
  const list = listSchema.safeParse(value);
  if (!list.success) return broken(wording.issues(list.error));
  return Object.entries(list.data.mcpServers).map(([name, one]) => serverOf(name, one, place, env));
}

function fileOf({ trusts, env }: ListParts, root: string, name: string, folder: string | undefined): ListedServer[] {
  const from = folder === undefined ? "user" : "project";
  const file = from === "user" ? path.join(root, name) : name;
  const read = projectFile.read(root, name, { maxBytes: MAX_LIST_BYTES });
  if (read.kind === "none") return [];
  if (read.kind === "refused" || read.cut)
    return [{ name: "?", from, file, reach: undefined, idle: read.kind === "refused" ? read.reason : "is too large" }];
  return serversIn(read.text, { from, file, trusted: folder === undefined || trusts(name, read.text, folder) }, env);
}

/** Every server that is written down, the ones that do not count with the reason; `folder`: where it would be started. */
export function listServers(given: ListParts, folder: string): ListedServer[] {
  const parts = { ...given, env: { ...given.env, [FOLDER]: folder } };
  const all = [
    ...fileOf(parts, parts.configDir, OWN_FILE, undefined),
    ...PROJECT_FILES.flatMap((file) => fileOf(parts, parts.projectDir, file, folder)),
  ];
  const first = new Map<string, ListedServer>();
  return all.map((one) => {
    const before = first.get(one.name);
    // A name that the user wrote down is the user's, even where the entry is of no use: permissions are kept by name.
    if (before === undefined && (one.reach !== undefined || one.from === "user")) first.set(one.name, one);
    return before === undefined || one.idle !== undefined ? one : { ...one, idle: `${before.file} has one of this name` };
  });
}
