/**
 * One live conversation with an MCP server: connected in the newest way both sides know, asked one thing at a time so
 * that what the server asks back belongs to that, within deadlines that progress extends. What it says is checked.
 */
import {
  Client,
  OAuthError,
  SdkHttpError,
  StreamableHTTPClientTransport,
  UnauthorizedError,
  type CallToolResult,
  type GetPromptResult,
  type JsonSchemaType,
  type ElicitRequest,
  type ElicitResult,
  type Prompt,
  type ReadResourceResult,
  type Resource,
  type Tool,
  type Transport,
} from "@modelcontextprotocol/client";
import { CfWorkerJsonSchemaValidator } from "@modelcontextprotocol/client/validators/cf-worker";
import { messageOf, SylkError, withDeadline, type Clock } from "../../kernel/index.ts";
import { boundedFetch, type Workspace } from "../../workspace/index.ts";
import { mcpBroken } from "./mcp-broken.ts";
import { StoredOAuth } from "./mcp-oauth.ts";
import type { Reach } from "./server-list.ts";
import type { SignIns } from "./sign-ins.ts";
import { TalkTransport } from "./talk-transport.ts";
import { untilAborted } from "./until-aborted.ts";

export interface McpLimits {
  startMs: number;
  /** Without a word about how far it is. */
  callMs: number;
  /** Whatever it says meanwhile. */
  longestMs: number;
  maxBytes: number;
}

/** A form to fill in, as the server words it; answered by the person. */
export type ElicitForm = ElicitRequest["params"];
export type Elicit = (form: ElicitForm) => Promise<ElicitResult>;

export interface ConnectionParts {
  name: string;
  reach: Reach;
  version: string;
  workspace: Workspace;
  clock: Clock;
  limits: McpLimits;
  /** Servers in this process that ended when they were asked in the newer way. */
  older: Set<string>;
  signIns: SignIns;
  signal: AbortSignal;
}

/** The library has timers of its own; ours decide. */
const NEVER_MS = 2_147_483_647;
/** A server that says nothing to the newer greeting is spoken to in the older way. */
const PROBE_MS = 10_000;
const NOBODY: Elicit = () => Promise.resolve({ action: "cancel" });

export class McpConnection {
  readonly #parts: ConnectionParts;
  readonly #client: Client;
  readonly #transport: Transport;
  readonly #over = new AbortController();
  /** Interprets a schema instead of making a program of it: schemas are somebody else's. */
  readonly #validator = new CfWorkerJsonSchemaValidator();
  #turn: Promise<unknown> = Promise.resolve();
  #elicit: Elicit = NOBODY;
  #heartbeat: () => void = () => undefined;
  #tools: Promise<Tool[]> | undefined;

  static async open(parts: ConnectionParts): Promise<McpConnection> {
    const first = new McpConnection(parts);
    try {
      await first.#connect(parts.older.has(parts.name));
      return first;
    } catch (error) {
      await first.end();
      const endedByGreeting = parts.reach.kind === "stdio" && first.#transport instanceof TalkTransport && !parts.older.has(parts.name);
      if (!endedByGreeting || parts.signal.aborted || SylkError.is(error, "DEADLINE_PASSED")) throw explained(parts, first, error);
    }
    // Servers of some older kinds end when they hear anything before their own greeting.
    parts.older.add(parts.name);
    const again = new McpConnection(parts);
    try {
      await again.#connect(true);
      return again;
    } catch (error) {
      await again.end();
      throw explained(parts, again, error);
    }
  }

  private constructor(parts: ConnectionParts) {
    this.#parts = parts;
    const { name, reach, workspace, limits, signal } = parts;
    this.#transport =
      reach.kind === "stdio"
        ? new TalkTransport({ name, reach, workspace, maxBytes: limits.maxBytes, signal })
        : new StreamableHTTPClientTransport(new URL(reach.url), {
            fetch: boundedFetch(limits.maxBytes),
            requestInit: { headers: { ...reach.headers } },
            ...(parts.signIns.of(reach.url)?.tokens === undefined ? {} : { authProvider: new StoredOAuth(parts.signIns, reach.url) }),
          });
    this.#client = new Client(
      { name: "sylk", version: parts.version },
      {
        capabilities: { elicitation: { form: { applyDefaults: true } } },
        jsonSchemaValidator: this.#validator,
        versionNegotiation: { mode: "auto", probe: { timeoutMs: PROBE_MS } },
        listChanged: { tools: { autoRefresh: false, debounceMs: 0, onChanged: () => this.#forget() } },
      },
    );
    this.#client.setRequestHandler("elicitation/create", ({ params }) => this.#asked(params));
    this.#client.onerror = () => undefined;
  }

  async #connect(older: boolean): Promise<void> {
    const { name, clock, limits, signal } = this.#parts;
    await withDeadline({ clock, timeoutMs: limits.startMs, what: `connecting to the MCP server ${name}`, signal }, (stop) =>
      this.#client.connect(this.#transport, { timeout: NEVER_MS, signal: stop, ...(older ? { prior: { kind: "legacy" } } : {}) }),
    );
    // The library's own handler is called as well: both sides learn that it is over.
    const before = this.#client.onclose;
    this.#client.onclose = () => {
      before?.();
      this.#over.abort(this.why ?? mcpBroken(name, "ended"));
    };
  }

  get isOver(): boolean {
    return this.#over.signal.aborted || this.why !== undefined;
  }

  /** Why its program ended. */
  get why(): Error | undefined {
    return this.#transport instanceof TalkTransport ? this.#transport.why : undefined;
  }

  get about(): { protocol: string; server: string } {
    const info = this.#client.getServerVersion();
    return {
      protocol: this.#client.getNegotiatedProtocolVersion() ?? "?",
      server: info === undefined ? "?" : `${info.name} ${info.version}`,
    };
  }

  #forget(): void {
    this.#tools = undefined;
  }

  async #asked(form: ElicitForm): Promise<ElicitResult> {
    const beat = this.#heartbeat;
    // While a person thinks, no time passes for the server.
    this.#heartbeat = () => undefined;
    beat();
    try {
      return await this.#elicit(form);
    } finally {
      this.#heartbeat = beat;
      beat();
    }
  }

  /** What it offers; asked again after it said that this changed. */
  async tools(signal: AbortSignal): Promise<Tool[]> {
    if (this.#client.getServerCapabilities()?.tools === undefined) return [];
    const asked = (this.#tools ??= this.#ask("list its tools", signal, async (stop) => {
      const { tools } = await this.#client.listTools({}, { timeout: NEVER_MS, signal: stop });
      return tools;
    }));
    try {
      return await asked;
    } catch (error) {
      this.#forget();
      throw error;
    }
  }

  /** Why arguments do not fit a tool's schema; throws when it is none. */
  misfit(tool: Tool, args: unknown): string | undefined {
    const read = this.#validator.getValidator(tool.inputSchema as JsonSchemaType)(args);
    return read.valid ? undefined : read.errorMessage;
  }

  async call(tool: string, args: Record<string, unknown>, elicit: Elicit, signal: AbortSignal): Promise<CallToolResult> {
    return this.#ask(
      `answer ${tool}`,
      signal,
      (stop, onprogress) => this.#client.callTool({ name: tool, arguments: args }, { timeout: NEVER_MS, signal: stop, onprogress }),
      elicit,
    );
  }

  async resources(signal: AbortSignal): Promise<Resource[]> {
    if (this.#client.getServerCapabilities()?.resources === undefined) return [];
    return (await this.#ask("list its resources", signal, (stop) => this.#client.listResources({}, { timeout: NEVER_MS, signal: stop })))
      .resources;
  }

  async read(uri: string, signal: AbortSignal): Promise<ReadResourceResult> {
    return this.#ask(`read ${uri}`, signal, (stop) => this.#client.readResource({ uri }, { timeout: NEVER_MS, signal: stop }));
  }

  async prompts(signal: AbortSignal): Promise<Prompt[]> {
    if (this.#client.getServerCapabilities()?.prompts === undefined) return [];
    return (await this.#ask("list its prompts", signal, (stop) => this.#client.listPrompts({}, { timeout: NEVER_MS, signal: stop })))
      .prompts;
  }

  async prompt(name: string, args: Record<string, string>, signal: AbortSignal): Promise<GetPromptResult> {
    return this.#ask(`give the prompt ${name}`, signal, (stop) =>
      this.#client.getPrompt({ name, arguments: args }, { timeout: NEVER_MS, signal: stop }),
    );
  }

  /** One after the other, each within its time; a word about progress gives it more. */
  async #ask<T>(
    what: string,
    signal: AbortSignal,
    work: (stop: AbortSignal, onprogress: () => void) => Promise<T>,
    elicit: Elicit = NOBODY,
  ): Promise<T> {
    const before = this.#turn;
    const turn = Promise.withResolvers<void>();
    this.#turn = turn.promise;
    try {
      await before;
      signal.throwIfAborted();
      if (this.isOver) throw this.why ?? mcpBroken(this.#parts.name, "ended");
      this.#elicit = elicit;
      return await this.#within(what, signal, work);
    } finally {
      this.#elicit = NOBODY;
      turn.resolve();
    }
  }

  async #within<T>(what: string, signal: AbortSignal, work: (stop: AbortSignal, onprogress: () => void) => Promise<T>): Promise<T> {
    const { name, clock, limits } = this.#parts;
    const late = new AbortController();
    const done = new AbortController();
    let wait = new AbortController();
    const after = (ms: number, stop: AbortSignal, why: string): void => {
      clock.sleep(ms, stop).then(
        () => late.abort(mcpBroken(name, why)),
        () => undefined,
      );
    };
    const beat = (): void => {
      wait.abort();
      wait = new AbortController();
      if (this.#heartbeat === beat) after(limits.callMs, wait.signal, `took more than ${limits.callMs / 1000} s to ${what}`);
    };
    this.#heartbeat = beat;
    beat();
    after(limits.longestMs, done.signal, `took more than ${limits.longestMs / 1000} s to ${what}`);
    const stop = AbortSignal.any([signal, late.signal, this.#over.signal]);
    try {
      return await untilAborted(
        work(stop, () => this.#heartbeat()),
        stop,
      );
    } catch (error) {
      signal.throwIfAborted();
      const why: unknown = late.signal.aborted ? late.signal.reason : (this.why ?? error);
      if (SylkError.is(why)) throw why;
      const told = wantsSignIn(why) ? `wants you to sign in: \`sylk mcp login ${name}\`` : `did not ${what}: ${messageOf(why)}`;
      throw mcpBroken(name, told, why);
    } finally {
      this.#heartbeat = () => undefined;
      wait.abort();
      done.abort();
    }
  }

  async end(): Promise<void> {
    try {
      await this.#client.close();
    } finally {
      await this.#transport.close();
    }
  }
}

function wantsSignIn(error: unknown): boolean {
  return OAuthError.isInstance(error) || UnauthorizedError.isInstance(error) || (SdkHttpError.isInstance(error) && error.status === 401);
}

function explained({ name, signal }: ConnectionParts, { why }: McpConnection, error: unknown): unknown {
  if (signal.aborted || SylkError.is(error)) return error;
  if (wantsSignIn(error)) return mcpBroken(name, `wants you to sign in: \`sylk mcp login ${name}\``, error);
  return why !== undefined && !messageOf(why).endsWith("was ended")
    ? why
    : mcpBroken(name, `cannot be reached: ${messageOf(error)}`, error);
}
