/**
 * The language servers that run in this process: started when first needed, one for each server and folder, ended when
 * nobody asked for a while, when there are too many, and with the process. One that breaks twice is not started again.
 */
import { messageOf } from "../../kernel/index.ts";
import { LookingWorkspaces, type LookingParts } from "../looking-workspace.ts";
import type { FoundServer } from "./find-servers.ts";
import type { ServerConnection } from "./server-connection.ts";

const IDLE_MS = 5 * 60_000;
const MAX_SERVERS = 6;
const MAX_FAILURES = 2;

interface Entry {
  opening: Promise<ServerConnection>;
  used: AbortController;
  stop: AbortController;
}

export class ServerPool {
  readonly #parts: LookingParts;
  readonly #workspaces: LookingWorkspaces;
  readonly #entries = new Map<string, Entry>();
  readonly #failures = new Map<string, { count: number; reason: string }>();
  #closed = false;

  constructor(parts: LookingParts) {
    this.#parts = parts;
    this.#workspaces = new LookingWorkspaces(parts, "a language server, which only looks");
  }

  /** Why it is not started any more. */
  trouble(folder: string, server: FoundServer): string | undefined {
    const failed = this.#failures.get(`${folder} ${server.key}`);
    return failed !== undefined && failed.count >= MAX_FAILURES ? failed.reason : undefined;
  }

  /** Running, or started now; undefined when it cannot be had. */
  async get(folder: string, server: FoundServer): Promise<ServerConnection | undefined> {
    const key = `${folder} ${server.key}`;
    if (this.#closed || this.#parts.mode() === "off" || this.trouble(folder, server) !== undefined) return undefined;
    const known = this.#entries.get(key);
    const entry = known ?? this.#open(folder, server);
    this.#entries.delete(key);
    this.#entries.set(key, entry);
    this.#watch(key, entry);
    if (known === undefined) this.#endOldest();
    try {
      const connection = await entry.opening;
      if (!connection.isOver) return connection;
      this.failed(folder, server, "it ended");
    } catch (error) {
      this.failed(folder, server, messageOf(error));
    }
    if (this.#entries.get(key) === entry) this.#drop(key, entry);
    return undefined;
  }

  #open(folder: string, server: FoundServer): Entry {
    const stop = new AbortController();
    const open = async (): Promise<ServerConnection> => {
      // The protocol is loaded with the first server: most commands need none.
      const { ServerConnection: Connection } = await import("./server-connection.ts");
      return Connection.open(server, this.#workspaces.in(folder), this.#parts.clock, stop.signal);
    };
    return { opening: open(), used: new AbortController(), stop };
  }

  failed(folder: string, server: FoundServer, reason: string): void {
    const key = `${folder} ${server.key}`;
    this.#failures.set(key, { count: (this.#failures.get(key)?.count ?? 0) + 1, reason });
  }

  async close(): Promise<void> {
    this.#closed = true;
    const entries = [...this.#entries];
    for (const [key, entry] of entries) this.#drop(key, entry);
    await Promise.allSettled(entries.map(async ([, { opening }]) => (await opening).end()));
    await this.#workspaces.close();
  }

  #watch(key: string, entry: Entry): void {
    entry.used.abort();
    entry.used = new AbortController();
    this.#parts.clock.sleep(IDLE_MS, entry.used.signal).then(
      () => this.#drop(key, entry),
      () => undefined,
    );
  }

  #endOldest(): void {
    const oldest = this.#entries.size > MAX_SERVERS ? [...this.#entries][0] : undefined;
    if (oldest !== undefined) this.#drop(...oldest);
  }

  #drop(key: string, entry: Entry): void {
    entry.used.abort();
    entry.stop.abort();
    this.#entries.delete(key);
    entry.opening.then(
      (connection) => connection.end(),
      () => undefined,
    );
  }
}
