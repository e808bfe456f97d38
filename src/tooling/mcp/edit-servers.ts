/** Writes servers into the lists that hold them and takes them out again; whatever else stands in a list stays. */
import path from "node:path";
import { z } from "zod";
import { canonicalJson, SylkError, projectFile, writeFileAtomic } from "../../kernel/index.ts";
import { OWN_FILE, PROJECT_FILES, SERVER_NAME, type ListParts, type Reach } from "./server-list.ts";

export type ServerScope = "user" | "project";
type Places = Pick<ListParts, "configDir" | "projectDir">;

const listSchema = z.looseObject({ mcpServers: z.record(z.string(), z.unknown()).optional() });
const SHARED_FILE = ".mcp.json";

function wrong(message: string, fix: string): SylkError {
  return new SylkError({ code: "USAGE_MCP_SERVER", tier: "user_fixable", message, fix });
}

function read(root: string, file: string): z.output<typeof listSchema> | undefined {
  const found = projectFile.read(root, file);
  if (found.kind === "none") return undefined;
  const shown = path.join(root, file);
  if (found.kind === "refused") throw wrong(`${shown} ${found.reason}`, "put a regular file in its place");
  try {
    return listSchema.parse(JSON.parse(found.text));
  } catch (cause) {
    throw new SylkError({
      code: "USAGE_MCP_SERVER",
      tier: "user_fixable",
      message: `${shown} is not a list of MCP servers`,
      fix: "correct or delete it",
      cause,
    });
  }
}

function write({ configDir, projectDir }: Places, scope: ServerScope, file: string, list: object): void {
  const text = `${JSON.stringify(list, undefined, 2)}\n`;
  if (scope === "user") writeFileAtomic(path.join(configDir, file), text, { mode: 0o600 });
  else projectFile.write(projectDir, file, text);
}

/** As it is written down: without what is empty. */
function entryOf(reach: Reach): object {
  const some = (name: string, value: object): object => (Object.keys(value).length === 0 ? {} : { [name]: value });
  return reach.kind === "stdio"
    ? { command: reach.command, args: reach.args, ...some("env", reach.env) }
    : { type: "http", url: reach.url, ...some("headers", reach.headers) };
}

const listOf = (places: Places, scope: ServerScope): [string, string] =>
  scope === "user" ? [places.configDir, OWN_FILE] : [places.projectDir, SHARED_FILE];

/** Whether the list it would be written to has one of this name, and the very same. */
export function serverStanding(
  places: Places,
  scope: ServerScope,
  name: string,
  reach: Reach,
): { file: string; standing: "none" | "same" | "other" } {
  const [root, file] = listOf(places, scope);
  const now = read(root, file)?.mcpServers?.[name];
  const isSame = now !== undefined && canonicalJson(now) === canonicalJson(entryOf(reach));
  return { file: path.join(root, file), standing: now === undefined ? "none" : isSame ? "same" : "other" };
}

/** The file it stands in now. */
export function addServer(places: Places, scope: ServerScope, name: string, reach: Reach): string {
  if (!SERVER_NAME.test(name)) throw wrong(`${name} cannot be the name of a server`, "use a-z, 0-9, - and _");
  const [root, file] = listOf(places, scope);
  const list = read(root, file) ?? {};
  if (list.mcpServers?.[name] !== undefined)
    throw wrong(`${path.join(root, file)} has a server ${name} already`, `\`sylk mcp remove ${name}\` takes it out`);
  write(places, scope, file, { ...list, mcpServers: { ...list.mcpServers, [name]: entryOf(reach) } });
  return path.join(root, file);
}

/** The file it stood in: the user's own first. */
export function removeServer(places: Places, name: string): string {
  const lists = [
    { scope: "user" as const, root: places.configDir, file: OWN_FILE },
    ...PROJECT_FILES.map((file) => ({ scope: "project" as const, root: places.projectDir, file })),
  ];
  for (const { scope, root, file } of lists) {
    const list = read(root, file);
    if (list?.mcpServers?.[name] === undefined) continue;
    const { [name]: _gone, ...left } = list.mcpServers;
    write(places, scope, file, { ...list, mcpServers: left });
    return path.join(root, file);
  }
  throw wrong(`no list has a server ${name}`, "`sylk mcp list` shows them");
}
