/**
 * One MCP server as a program that is spoken to: a line of JSON each way. What it says is bounded, and it ends with
 * everything it started when the connection does.
 */
import type { JSONRPCMessage, Transport } from "@modelcontextprotocol/client";
import { deserializeMessage, serializeMessage } from "@modelcontextprotocol/client";
import { must } from "../../kernel/index.ts";
import type { Workspace } from "../../workspace/index.ts";
import type { Reach } from "./server-list.ts";
import { mcpBroken } from "./mcp-broken.ts";

/** Of what it says on the side, for whoever asks why it ended. */
const ASIDE_CHARS = 2_000;
const NEWLINE = 0x0a;
const WRONG = /error|cannot|fail|not found|denied|no such/iu;

type Started = Extract<Awaited<ReturnType<Workspace["processes"]["talks"]["start"]>>, { kind: "started" }>["talk"];

export interface TalkParts {
  name: string;
  reach: Extract<Reach, { kind: "stdio" }>;
  workspace: Workspace;
  /** What it may say, in bytes, until it is spoken to again. */
  maxBytes: number;
  signal: AbortSignal;
}

export class TalkTransport implements Transport {
  readonly #parts: TalkParts;
  #talk: Started | undefined;
  #held: Buffer[] = [];
  #bytes = 0;
  #aside = "";
  #over: Error | undefined;
  onclose?: (() => void) | undefined;
  onerror?: ((error: Error) => void) | undefined;
  onmessage?: ((message: JSONRPCMessage) => void) | undefined;

  constructor(parts: TalkParts) {
    this.#parts = parts;
  }

  /** Why it is over; undefined while it is not. */
  get why(): Error | undefined {
    return this.#over;
  }

  async start(): Promise<void> {
    const { name, reach, workspace, signal } = this.#parts;
    const started = await workspace.processes.talks.start({
      command: [reach.command, ...reach.args],
      cwd: workspace.root,
      env: reach.env,
      signal,
      onOutput: (chunk) => this.#heard(chunk),
      onAside: (chunk) => (this.#aside = `${this.#aside}${chunk.toString("utf8")}`.slice(-ASIDE_CHARS)),
    });
    if (started.kind !== "started")
      throw mcpBroken(name, started.kind === "refused" ? `is not allowed: ${started.reason}` : started.message);
    this.#talk = started.talk;
    started.talk.input.on("error", () => undefined);
    void started.talk.exited.then(({ code, signal: by }) => this.#end(mcpBroken(name, `ended (${code ?? by ?? "?"})${this.#said()}`)));
  }

  /** The line that names what is wrong; below it programs print where it happened, and their version. */
  #said(): string {
    const lines = this.#aside.split("\n").flatMap((line) => (/^\s*(?:at\s|$)/u.test(line) ? [] : [line.trim()]));
    const said = lines.find((line) => WRONG.test(line)) ?? lines.at(-1);
    return said === undefined ? "" : `, saying: ${said.slice(0, 300)}`;
  }

  #heard(chunk: Buffer): void {
    if (this.#over !== undefined) return;
    this.#bytes += chunk.length;
    if (this.#bytes > this.#parts.maxBytes)
      return this.#end(mcpBroken(this.#parts.name, `floods: more than ${this.#parts.maxBytes} bytes unasked; it was ended`));
    let rest = chunk;
    for (let at = rest.indexOf(NEWLINE); at !== -1; at = rest.indexOf(NEWLINE)) {
      this.#line(Buffer.concat([...this.#held, rest.subarray(0, at)]).toString("utf8"));
      this.#held = [];
      rest = rest.subarray(at + 1);
    }
    this.#held.push(rest);
  }

  #line(line: string): void {
    if (this.#over !== undefined || line.trim() === "") return;
    try {
      this.onmessage?.(deserializeMessage(line));
    } catch (error) {
      // Some print what is no message; who waits for an answer has a deadline.
      this.onerror?.(error as Error);
    }
  }

  #end(why: Error): void {
    if (this.#over !== undefined) return;
    this.#over = why;
    this.#held = [];
    void this.#talk?.end();
    this.onclose?.();
  }

  send(message: JSONRPCMessage): Promise<void> {
    if (this.#over !== undefined) return Promise.reject(this.#over);
    this.#bytes = 0;
    const talk = must(this.#talk);
    return new Promise((resolve, reject) => {
      talk.input.write(serializeMessage(message), (error) => {
        if (error === null || error === undefined) resolve();
        // The pipe of one that ends breaks before its end is told, which says why.
        else void talk.end().finally(() => reject(this.#over ?? error));
      });
    });
  }

  async close(): Promise<void> {
    this.#end(mcpBroken(this.#parts.name, "was ended"));
    await this.#talk?.end();
  }
}
