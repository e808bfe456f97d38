/**
 * One running language server. It may hang, die, flood or lie: every answer has a deadline and a schema, what it
 * writes is bounded, and an unreadable one is ended. Texts are sent whole; the server never writes a file.
 */
import { PassThrough } from "node:stream";
import { fileURLToPath, pathToFileURL } from "node:url";
import {
  createProtocolConnection,
  StreamMessageReader,
  StreamMessageWriter,
  CancellationTokenSource,
  type ProtocolConnection,
} from "vscode-languageserver-protocol/node";
import type { z } from "zod";
import { sha256, SylkError, withDeadline, type Clock } from "../../kernel/index.ts";
import type { Workspace } from "../../workspace/index.ts";
import { initializedSchema, publishedSchema, pulledSchema, type ServerDiagnostic } from "./answers.ts";
import type { FoundServer } from "./find-servers.ts";

type Talk = Extract<Awaited<ReturnType<Workspace["processes"]["talks"]["start"]>>, { kind: "started" }>["talk"];

interface Document {
  version: number;
  hash: string;
  /** What was said of this very version. */
  said: ServerDiagnostic[] | undefined;
  heard: { version: number | undefined; diagnostics: ServerDiagnostic[] } | undefined;
  wake: () => void;
}

/** What one may write between two questions. */
const MAX_BYTES = 32 * 1024 * 1024;
const START_MS = 20_000;
/** Servers tell what they find in parts; this long nothing more came. */
const QUIET_MS = 120;
const MAX_OPEN = 12;
const MAX_RECHECKED = 6;

const CAPABILITIES = {
  general: { positionEncodings: ["utf-16"] },
  workspace: { workspaceFolders: true, configuration: true, workspaceEdit: { documentChanges: true }, didChangeWatchedFiles: {} },
  textDocument: {
    synchronization: {},
    publishDiagnostics: { versionSupport: true },
    diagnostic: {},
    definition: { linkSupport: true },
    references: {},
    rename: { prepareSupport: false },
  },
};

function broken(id: string, what: string, cause?: unknown): SylkError {
  return new SylkError({ code: "LANGUAGE_SERVER_BROKEN", tier: "transient", message: `${id} ${what}`, cause });
}

export class ServerConnection {
  readonly server: FoundServer;
  readonly #talk: Talk;
  readonly #output: PassThrough;
  readonly #connection: ProtocolConnection;
  readonly #clock: Clock;
  readonly #documents = new Map<string, Document>();
  readonly #over = new AbortController();
  #pulls = false;
  #bytes = 0;

  /** Started and greeted, or thrown. */
  static async open(server: FoundServer, workspace: Workspace, clock: Clock, signal: AbortSignal): Promise<ServerConnection> {
    const output = new PassThrough();
    const early: { on?: (chunk: Buffer) => void } = {};
    const started = await workspace.processes.talks.start({
      command: server.command,
      cwd: server.root,
      signal,
      onOutput: (chunk) => (early.on === undefined ? output.write(chunk) : early.on(chunk)),
    });
    if (started.kind !== "started")
      throw broken(server.id, started.kind === "refused" ? `is not allowed: ${started.reason}` : started.message);
    const made = new ServerConnection(server, started.talk, output, clock);
    early.on = (chunk) => made.#heard(chunk);
    try {
      await made.#greet(workspace.root, signal);
      return made;
    } catch (error) {
      await made.end();
      throw error;
    }
  }

  private constructor(server: FoundServer, talk: Talk, output: PassThrough, clock: Clock) {
    this.server = server;
    this.#talk = talk;
    this.#clock = clock;
    const quiet = { error: () => undefined, warn: () => undefined, info: () => undefined, log: () => undefined };
    const reader = new StreamMessageReader(output);
    // It would wake itself for ever after half a message, also once it is disposed of; each question has its own deadline.
    reader.partialMessageTimeout = 0;
    this.#output = output;
    this.#connection = createProtocolConnection(reader, new StreamMessageWriter(talk.input), quiet);
    this.#connection.onError(() => this.#giveUp("said something unreadable"));
    this.#connection.onNotification("textDocument/publishDiagnostics", (said: unknown) => this.#published(said));
    this.#connection.onRequest("workspace/configuration", ({ items }: { items?: unknown[] }) => (items ?? []).map(() => null));
    this.#connection.onRequest("client/registerCapability", () => null);
    this.#connection.onRequest("client/unregisterCapability", () => null);
    this.#connection.onRequest("window/workDoneProgress/create", () => null);
    this.#connection.onRequest("workspace/workspaceFolders", () => [{ uri: pathToFileURL(server.root).href, name: "project" }]);
    // Nobody but the file tools changes files.
    this.#connection.onRequest("workspace/applyEdit", () => ({ applied: false }));
    this.#connection.listen();
    void talk.exited.then(() => this.#giveUp("ended"));
  }

  get isOver(): boolean {
    return this.#over.signal.aborted;
  }

  #heard(chunk: Buffer): void {
    this.#bytes += chunk.length;
    if (this.#bytes > MAX_BYTES) this.#giveUp("floods");
    else if (!this.isOver) this.#output.write(chunk);
  }

  #giveUp(what: string): void {
    if (this.isOver) return;
    this.#over.abort(broken(this.server.id, what));
    this.#connection.dispose();
    this.#output.destroy();
    void this.#talk.end();
  }

  async end(): Promise<void> {
    this.#giveUp("was ended");
    await this.#talk.end();
  }

  async #greet(folder: string, signal: AbortSignal): Promise<void> {
    const uri = pathToFileURL(this.server.root).href;
    const greeting = {
      // It lives in its own space of processes, where ours has no number.
      processId: null,
      clientInfo: { name: "sylk" },
      rootUri: uri,
      rootPath: this.server.root,
      workspaceFolders: [{ uri, name: folder }],
      capabilities: CAPABILITIES,
      ...(this.server.initOptions === undefined ? {} : { initializationOptions: this.server.initOptions }),
    };
    const { capabilities } = await withDeadline(
      { clock: this.#clock, timeoutMs: START_MS, what: `starting ${this.server.id}`, signal },
      (stop) => this.ask("initialize", greeting, initializedSchema, stop),
    );
    this.#pulls = capabilities.diagnosticProvider !== undefined && capabilities.diagnosticProvider !== null;
    await this.#connection.sendNotification("initialized", {});
    // Some answer nothing before they were told that there are no settings.
    await this.#connection.sendNotification("workspace/didChangeConfiguration", { settings: {} });
  }

  /** One question with its answer, checked. */
  async ask<T extends z.ZodType>(method: string, params: object, schema: T, signal: AbortSignal): Promise<z.output<T>> {
    this.#bytes = 0;
    const source = new CancellationTokenSource();
    const stop = AbortSignal.any([signal, this.#over.signal]);
    const cancel = (): void => source.cancel();
    stop.throwIfAborted();
    stop.addEventListener("abort", cancel, { once: true });
    try {
      const aborted = new Promise<never>((_, reject) => stop.addEventListener("abort", () => reject(stop.reason as Error), { once: true }));
      const answer: unknown = await Promise.race([this.#connection.sendRequest(method, params, source.token), aborted]);
      const read = schema.safeParse(answer);
      if (!read.success) throw broken(this.server.id, `answered ${method} with something else`, read.error);
      return read.data;
    } finally {
      stop.removeEventListener("abort", cancel);
      source.dispose();
    }
  }

  #published(said: unknown): void {
    const read = publishedSchema.safeParse(said);
    if (!read.success) return;
    const document = this.#documents.get(normal(read.data.uri));
    if (document === undefined) return;
    document.heard = { version: read.data.version ?? undefined, diagnostics: read.data.diagnostics };
    document.wake();
  }

  /** The server knows this text of the file, whatever stands on the disk. */
  async show(file: string, text: string): Promise<string> {
    const uri = pathToFileURL(file).href;
    const hash = sha256(text);
    const known = this.#documents.get(uri);
    if (known?.hash === hash) return uri;
    this.#documents.delete(uri);
    const version = (known?.version ?? 0) + 1;
    this.#documents.set(uri, { version, hash, said: undefined, heard: undefined, wake: () => undefined });
    if (known === undefined) {
      const textDocument = { uri, languageId: this.server.languageId, version, text };
      await this.#connection.sendNotification("textDocument/didOpen", { textDocument });
      await this.#forgetOldest();
    } else {
      await this.#connection.sendNotification("textDocument/didChange", { textDocument: { uri, version }, contentChanges: [{ text }] });
    }
    return uri;
  }

  async #forgetOldest(): Promise<void> {
    const oldest = this.#documents.size > MAX_OPEN ? this.#documents.keys().next().value : undefined;
    if (oldest === undefined) return;
    this.#documents.delete(oldest);
    await this.#connection.sendNotification("textDocument/didClose", { textDocument: { uri: oldest } });
  }

  /** Files that changed on the disk. */
  async tellChanged(files: readonly { file: string; type: 1 | 2 | 3 }[]): Promise<void> {
    const changes = files.map(({ file, type }) => ({ uri: pathToFileURL(file).href, type }));
    await this.#connection.sendNotification("workspace/didChangeWatchedFiles", { changes });
  }

  /** What it says of this text, once it has looked at it. */
  async diagnose(file: string, text: string, signal: AbortSignal): Promise<ServerDiagnostic[]> {
    const uri = await this.show(file, text);
    const document = this.#documents.get(uri);
    if (document?.said !== undefined) return document.said;
    const said = this.#pulls
      ? (await this.ask("textDocument/diagnostic", { textDocument: { uri } }, pulledSchema, signal)).items
      : await this.#waitFor(uri, signal);
    const now = this.#documents.get(uri);
    if (now !== undefined && now === document) now.said = said;
    return said;
  }

  /** Files it knows besides these, with what it said of them before and says now. */
  async recheck(
    besides: readonly string[],
    signal: AbortSignal,
  ): Promise<{ file: string; before: ServerDiagnostic[]; after: ServerDiagnostic[] }[]> {
    const skipped = new Set(besides.map((file) => pathToFileURL(file).href));
    const found: { file: string; before: ServerDiagnostic[]; after: ServerDiagnostic[] }[] = [];
    for (const [uri, document] of [...this.#documents].slice(-MAX_RECHECKED)) {
      const before = document.said;
      if (skipped.has(uri) || before === undefined) continue;
      const after = this.#pulls
        ? (await this.ask("textDocument/diagnostic", { textDocument: { uri } }, pulledSchema, signal)).items
        : (document.heard?.diagnostics ?? before);
      document.said = after;
      found.push({ file: fileURLToPath(uri), before, after });
    }
    return found;
  }

  async #waitFor(uri: string, signal: AbortSignal): Promise<ServerDiagnostic[]> {
    this.#bytes = 0;
    const stop = AbortSignal.any([signal, this.#over.signal]);
    for (;;) {
      const document = this.#documents.get(uri);
      if (document === undefined) throw broken(this.server.id, "was asked for another file meanwhile");
      const told = document.heard;
      const next = new Promise<void>((resolve) => (document.wake = resolve));
      const isOfNow = told !== undefined && (told.version === undefined || told.version >= document.version);
      const more = isOfNow ? await this.#within(next, stop) : await until(next, stop);
      if (isOfNow && !more) return told.diagnostics;
    }
  }

  /** Whether something came before it was quiet long enough. */
  async #within(next: Promise<void>, signal: AbortSignal): Promise<boolean> {
    const come = withDeadline({ clock: this.#clock, timeoutMs: QUIET_MS, what: "quiet", signal }, () => next);
    try {
      await come;
      return true;
    } catch (error) {
      signal.throwIfAborted();
      if (SylkError.is(error, "DEADLINE_PASSED")) return false;
      throw error;
    }
  }
}

async function until(event: Promise<void>, signal: AbortSignal): Promise<true> {
  signal.throwIfAborted();
  await Promise.race([
    event,
    new Promise<never>((_, reject) => signal.addEventListener("abort", () => reject(signal.reason as Error), { once: true })),
  ]);
  return true;
}

/** Servers write the same address in several ways. */
function normal(uri: string): string {
  try {
    return new URL(uri).href;
  } catch {
    return uri;
  }
}
