/**
 * The MCP servers of this process. None starts before something of it is wanted; one for each server and folder, ended
 * with the process. Whether a tool may be called is not decided here: whoever calls one has asked the guard.
 */
import { messageOf, SylkError, wording, systemPaths, type Clock } from "../../kernel/index.ts";
import { gateByRule, openWorkspace, type Sandbox, type Workspace } from "../../workspace/index.ts";
import type { Elicit, McpConnection, McpLimits } from "./mcp-connection.ts";
import { mcpBroken } from "./mcp-broken.ts";
import { mcpText, type KeepBytes } from "./mcp-text.ts";
import { listServers, type ListedServer, type ListParts, type Reach } from "./server-list.ts";
import type { SignIns } from "./sign-ins.ts";
import { untilAborted } from "./until-aborted.ts";

export interface McpTool {
  server: string;
  tool: string;
  description: string;
  inputSchema: Record<string, unknown>;
}

/** A tool as it stands, or why the call cannot be made as it is. */
export type CheckedCall = { kind: "fits" } | { kind: "unknown_server" | "unknown_tool" | "bad_arguments" | "bad_schema"; why: string };

export interface CallAnswer {
  /** The server says that it went well. */
  ok: boolean;
  text: string;
}

export interface McpServers {
  /** Names of those that count in a folder, the project's own when none is named; nothing is started. */
  names(folder?: string): string[];
  listed(folder?: string): ListedServer[];
  tools(folder: string, server: string, signal: AbortSignal): Promise<McpTool[]>;
  /** Looks at the tool's own schema before anything is sent. */
  check(folder: string, call: McpCall, signal: AbortSignal): Promise<CheckedCall>;
  call(folder: string, call: McpCall, how: { elicit: Elicit; keep: KeepBytes; signal: AbortSignal }): Promise<CallAnswer>;
  /** The text of one that the server lists. */
  resource(folder: string, wanted: { server: string; uri: string }, signal: AbortSignal): Promise<string>;
  about(folder: string, server: string, signal: AbortSignal): Promise<{ server: string; protocol: string; tools: number }>;
  /** Words for a person to say; arguments are `name=value` or stand in their order. */
  prompt(folder: string, wanted: { server: string; prompt: string; words: readonly string[] }, signal: AbortSignal): Promise<string>;
  /** Where the user agrees, to be sent back to the given address afterwards; null: there is nothing to agree to. */
  beginLogin(server: string, login: LoginWish, signal: AbortSignal): Promise<string | null>;
  /** With what stood behind that address. */
  endLogin(server: string, callback: URLSearchParams): Promise<void>;
  /** False when nobody was signed in. */
  logout(server: string): boolean;
  close(): Promise<void>;
}

/** Where the user is sent back to, and as whom Sylk is known there, where it was registered by hand. */
export interface LoginWish {
  redirectUrl: string;
  client?: { client_id: string; client_secret?: string | undefined } | undefined;
}

export interface McpCall {
  server: string;
  tool: string;
  arguments: Record<string, unknown>;
}

export interface McpParts extends ListParts {
  clock: Clock;
  version: string;
  redact: (text: string) => string;
  /** Told values that must not be shown, such as those of headers. */
  onSecret: (value: string) => void;
  /** Values in an environment that are secrets. */
  secretsIn: (env: Readonly<Record<string, string>>) => Iterable<string>;
  limits: () => McpLimits;
  /** Around what a project brings. */
  sandbox: () => Sandbox;
  isSandboxed: () => Promise<boolean>;
  signIns: SignIns;
}

const RULE = "an MCP server the user wrote down or trusts";
const BEARER = /^bearer\s+/iu;

export function createMcpServers(parts: McpParts): McpServers {
  return new PooledServers(parts);
}

/** How programs say that they reach nobody. */
const NO_NETWORK =
  /\b(?:ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ENETUNREACH|EHOSTUNREACH)\b|fetch failed|network is unreachable|could not resolve/iu;

/** Of a program that the project brings: what it cannot do where it runs, and what to do about it. */
function shutIn({ name, from, reach }: ListedServer): string | undefined {
  if (from !== "project" || reach?.kind !== "stdio") return undefined;
  return `the project brings it, so it runs inside the sandbox, where it reaches no network and writes nothing; if you trust it, make it yours: \`sylk mcp add ${name} -- …\` with its command`;
}

class PooledServers implements McpServers {
  readonly #parts: McpParts;
  readonly #open = new Map<string, { opening: Promise<McpConnection>; key: string }>();
  readonly #workspaces = new Map<string, Workspace>();
  readonly #older = new Set<string>();
  readonly #logins = new Map<string, (callback: URLSearchParams) => Promise<void>>();
  readonly #stop = new AbortController();

  constructor(parts: McpParts) {
    this.#parts = parts;
  }

  listed(folder = this.#parts.projectDir): ListedServer[] {
    return listServers(this.#parts, folder);
  }

  names(folder?: string): string[] {
    return this.listed(folder)
      .filter(({ idle }) => idle === undefined)
      .map(({ name }) => name);
  }

  /** Whoever is stopped does not wait for a server to greet; the next who asks finds it. */
  async #connection(folder: string, server: string, signal: AbortSignal): Promise<McpConnection> {
    const found = this.listed(folder).find(({ name, idle }) => name === server && idle === undefined);
    if (found?.reach === undefined) throw noServer(server, this.names(folder));
    const place = `${folder} ${server}`;
    // Another text of its entry is another server.
    const key = JSON.stringify(found.reach);
    const known = this.#open.get(place);
    if (known !== undefined && known.key === key) {
      const connection = await untilAborted(
        known.opening.catch(() => undefined),
        signal,
      );
      if (connection?.isOver === false) return connection;
    }
    if (known !== undefined) void known.opening.then((old) => old.end()).catch(() => undefined);
    const entry = { key, opening: this.#start(folder, found, found.reach) };
    this.#open.set(place, entry);
    return untilAborted(entry.opening, signal);
  }

  async #start(folder: string, server: ListedServer, reach: NonNullable<ListedServer["reach"]>): Promise<McpConnection> {
    const { clock, version, limits, onSecret, secretsIn } = this.#parts;
    if (reach.kind === "stdio") for (const value of secretsIn(reach.env)) onSecret(value);
    else for (const value of Object.values(reach.headers)) onSecret(value.replace(BEARER, ""));
    // The protocol is loaded with the first server: most commands need none.
    const { McpConnection: Connection } = await import("./mcp-connection.ts");
    const workspace = await this.#workspaceFor(server, reach, folder);
    try {
      return await Connection.open({
        name: server.name,
        reach,
        version,
        workspace,
        clock,
        limits: limits(),
        older: this.#older,
        signIns: this.#parts.signIns,
        signal: this.#stop.signal,
      });
    } catch (error) {
      const hint = shutIn(server);
      if (hint === undefined || !SylkError.is(error, "MCP_SERVER_BROKEN")) throw error;
      throw new SylkError({ code: error.code, tier: error.tier, message: `${error.message}; ${hint}`, cause: error });
    }
  }

  /**
   * The user's own starts in the user's own folder, where nothing of the project can pose as its program, and may do what
   * the user may. A project's starts where it works and inside the sandbox: what it loads may be an agent's text.
   */
  async #workspaceFor({ name, from }: ListedServer, reach: Reach, folder: string): Promise<Workspace> {
    const { clock, env, redact, configDir, projectDir, sandbox, isSandboxed } = this.#parts;
    if (from === "project" && reach.kind === "stdio" && !(await isSandboxed()))
      throw mcpBroken(name, "is the project's and starts only inside a sandbox, which is not there; `sylk mcp add` makes it yours");
    const root = from === "user" ? configDir : folder;
    const known = this.#workspaces.get(root);
    if (known !== undefined) return known;
    const own =
      from === "user"
        ? { parentEnv: { ...env, PATH: systemPaths.machine.without(env["PATH"] ?? "", [projectDir]) } }
        : { parentEnv: env, sandbox: sandbox() };
    const made = openWorkspace({ root, gate: gateByRule(RULE, ["run"]), redact, clock, ...own });
    this.#workspaces.set(root, made);
    return made;
  }

  async tools(folder: string, server: string, signal: AbortSignal): Promise<McpTool[]> {
    const connection = await this.#connection(folder, server, signal);
    return (await connection.tools(signal)).map(({ name, description, inputSchema }) => ({
      server,
      tool: name,
      description: description ?? "",
      inputSchema,
    }));
  }

  async check(folder: string, call: McpCall, signal: AbortSignal): Promise<CheckedCall> {
    const names = this.names(folder);
    if (!names.includes(call.server)) return { kind: "unknown_server", why: messageOf(noServer(call.server, names)) };
    const connection = await this.#connection(folder, call.server, signal);
    const tools = await connection.tools(signal);
    // A rule for all of a server is written so.
    const found = tools.find(({ name }) => name === call.tool && name !== "*");
    if (found === undefined) {
      const near = wording.nearest(
        call.tool,
        tools.map(({ name }) => name),
      );
      return { kind: "unknown_tool", why: `${call.server} has no tool ${call.tool}${near === undefined ? "" : `; did you mean ${near}?`}` };
    }
    try {
      const misfit = connection.misfit(found, call.arguments);
      return misfit === undefined ? { kind: "fits" } : { kind: "bad_arguments", why: this.#parts.redact(misfit) };
    } catch (error) {
      return { kind: "bad_schema", why: `what ${call.server} says of the arguments of ${call.tool} is no schema: ${messageOf(error)}` };
    }
  }

  async call(folder: string, { server, tool, arguments: args }: McpCall, { elicit, keep, signal }: Parameters<McpServers["call"]>[2]) {
    const connection = await this.#connection(folder, server, signal);
    const result = await connection.call(tool, args, elicit, signal);
    const ok = result.isError !== true;
    const text = this.#parts.redact(await mcpText.ofCall(result, keep));
    const found = ok || !NO_NETWORK.test(text) ? undefined : this.listed(folder).find(({ name }) => name === server);
    const hint = found === undefined ? undefined : shutIn(found);
    return { ok, text: hint === undefined ? text : `${text}\n(${server}: ${hint})` };
  }

  async resource(folder: string, { server, uri }: { server: string; uri: string }, signal: AbortSignal): Promise<string> {
    const connection = await this.#connection(folder, server, signal);
    const listed = await connection.resources(signal);
    // An address made up by whoever wrote the words could tell the server something.
    if (!listed.some((one) => one.uri === uri)) throw noResource(server, uri);
    return this.#parts.redact(await mcpText.ofResource(await connection.read(uri, signal), () => Promise.resolve("not shown")));
  }

  async about(folder: string, server: string, signal: AbortSignal) {
    const connection = await this.#connection(folder, server, signal);
    return { ...connection.about, tools: (await connection.tools(signal)).length };
  }

  async prompt(folder: string, { server, prompt, words }: Parameters<McpServers["prompt"]>[1], signal: AbortSignal): Promise<string> {
    const connection = await this.#connection(folder, server, signal);
    const prompts = await connection.prompts(signal);
    const found = prompts.find(({ name }) => name === prompt);
    if (found === undefined) throw noPrompt(server, prompt, prompts);
    const got = await connection.prompt(prompt, argumentsOf(found, words), signal);
    return this.#parts.redact(await mcpText.ofPrompt(got, () => Promise.resolve("not shown")));
  }

  #remote(server: string): Extract<Reach, { kind: "http" }> {
    const found = this.listed().find(({ name, idle }) => name === server && idle === undefined);
    if (found?.reach === undefined) throw noServer(server, this.names());
    if (found.reach.kind === "http") return found.reach;
    throw noLogin(server, "is a program of this machine: there is nowhere to sign in");
  }

  async beginLogin(server: string, { redirectUrl, client }: LoginWish, signal: AbortSignal): Promise<string | null> {
    const reach = this.#remote(server);
    const { signIns, version, clock, limits } = this.#parts;
    const { beginLogin } = await import("./mcp-oauth.ts");
    const begun = await beginLogin({ name: server, reach, signIns, redirectUrl, client, version, clock, limits: limits(), signal });
    if (begun.kind === "signed_in") return null;
    this.#logins.set(server, begun.end);
    return begun.url;
  }

  async endLogin(server: string, callback: URLSearchParams): Promise<void> {
    const end = this.#logins.get(server);
    if (end === undefined) throw noLogin(server, "waits for no sign-in");
    await end(callback);
    this.#logins.delete(server);
  }

  logout(server: string): boolean {
    return this.#parts.signIns.forget(this.#remote(server).url);
  }

  async close(): Promise<void> {
    this.#stop.abort();
    await Promise.allSettled([...this.#open.values()].map(async ({ opening }) => (await opening).end()));
    await Promise.all([...this.#workspaces.values()].map((workspace) => workspace[Symbol.asyncDispose]()));
  }
}

type Prompt = Awaited<ReturnType<McpConnection["prompts"]>>[number];

/** Words without a name fill what is still open, in order; the last takes all that are left. */
function argumentsOf({ arguments: wanted = [] }: Prompt, words: readonly string[]): Record<string, string> {
  const given: Record<string, string> = {};
  const plain: string[] = [];
  for (const word of words) {
    const name = word.slice(0, Math.max(0, word.indexOf("=")));
    if (wanted.some((one) => one.name === name)) given[name] = word.slice(name.length + 1);
    else plain.push(word);
  }
  const open = wanted.map(({ name }) => name).filter((name) => !(name in given));
  for (const [at, name] of open.entries()) {
    const last = at === open.length - 1;
    if (plain.length > 0) given[name] = last ? plain.splice(0).join(" ") : (plain.shift() ?? "");
  }
  return given;
}

function noLogin(server: string, why: string): SylkError {
  return new SylkError({ code: "USAGE_MCP_SERVER", tier: "user_fixable", message: `${server} ${why}` });
}

function noResource(server: string, uri: string): SylkError {
  return new SylkError({ code: "USAGE_NO_MCP_RESOURCE", tier: "user_fixable", message: `${server} lists no resource ${uri}` });
}

function noPrompt(server: string, name: string, known: readonly Prompt[]): SylkError {
  return new SylkError({
    code: "USAGE_NO_MCP_PROMPT",
    tier: "user_fixable",
    message: `${server} has no prompt ${name}`,
    fix: `it has ${known.map((one) => one.name).join(", ") || "none"}`,
  });
}

function noServer(name: string, known: readonly string[]): SylkError {
  return new SylkError({
    code: "USAGE_NO_MCP_SERVER",
    tier: "user_fixable",
    message: `there is no MCP server ${name}; there are ${known.join(", ") || "none"}`,
    fix: "`sylk mcp list` shows every server that is written down and why one is not used",
  });
}
