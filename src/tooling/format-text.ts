/**
 * Gives a text that is about to be written the form the project has configured. The formatter reads the text from its
 * input and only looks: it can change no file, so what is recorded of a change is what will stand on the disk. One that
 * fails or hangs leaves the text as it is, and is told once.
 */
import { sha256, wording } from "../kernel/index.ts";
import { mayHaveTool } from "./discover/discover-tools.ts";
import { toolCommand, toolFor } from "./discover/tool-command.ts";
import type { ToolDiscovery } from "./discover/types.ts";
import { LookingWorkspaces, type LookingParts } from "./looking-workspace.ts";

export interface FormatterParts extends LookingParts {
  discoverIn(folder: string): Promise<ToolDiscovery>;
  timeoutMs: () => number;
}

export interface Formatter {
  /** What a file is to have instead of `after`, and what to say of it; undefined: nothing is configured, or nothing to do. */
  format(
    folder: string,
    file: string,
    text: { before: string | undefined; after: string },
    signal: AbortSignal | undefined,
  ): Promise<{ text: string; note?: string | undefined } | undefined>;
  close(): Promise<void>;
}

type Tool = { id: string; argv: string[]; cwd: string };
type Run = { kind: "formatted"; text: string } | { kind: "failed"; why: string };

const MAX_CHARS = 500_000;
const REMEMBERED = 64;
/** A project's tools are not looked for again within this time. */
const FRESH_MS = 30_000;
const MAX_HANGS = 2;

export function createFormatter(parts: FormatterParts): Formatter {
  const workspaces = new LookingWorkspaces(parts, "the project's formatter, which only looks");
  const found = new Map<string, { at: number; discovery: Promise<ToolDiscovery> }>();
  const runs = new Map<string, Promise<Run>>();
  const hangs = new Map<string, number>();
  const told = new Set<string>();

  const toolOf = async (folder: string, file: string): Promise<Tool | undefined> => {
    if (!mayHaveTool(folder, "formatter", file)) return undefined;
    const known = found.get(folder);
    const now = parts.clock.monotonic();
    const fresh = known !== undefined && now - known.at < FRESH_MS ? known : { at: now, discovery: parts.discoverIn(folder) };
    found.set(folder, fresh);
    const choice = toolFor(await fresh.discovery, "formatter", file);
    if (choice === undefined || choice.requiresUser || !choice.tool.installed || choice.tool.source === "language_default")
      return undefined;
    const command = choice.tool.extensions.some((ending) => file.endsWith(ending)) ? toolCommand(choice, "stdin", { file }) : undefined;
    return command === undefined ? undefined : { id: choice.tool.id, argv: command.argv, cwd: command.cwd };
  };

  const run = async (folder: string, tool: Tool, text: string, signal: AbortSignal | undefined): Promise<Run> => {
    const outcome = await workspaces.in(folder).processes.run({
      command: tool.argv,
      cwd: tool.cwd,
      stdin: text,
      looksOnly: true,
      timeoutMs: parts.timeoutMs(),
      maxTimeoutMs: parts.timeoutMs(),
      signal,
    });
    signal?.throwIfAborted();
    switch (outcome.kind) {
      case "exited":
        if (outcome.exitCode === 0 && !outcome.partial && (outcome.stdout !== "" || text === ""))
          return { kind: "formatted", text: outcome.stdout };
        return {
          kind: "failed",
          why: wording.oneLine(outcome.stderr.trim() || `it ended with ${outcome.exitCode ?? outcome.signal}`, 160),
        };
      case "timed_out":
        hangs.set(`${folder} ${tool.id}`, (hangs.get(`${folder} ${tool.id}`) ?? 0) + 1);
        return { kind: "failed", why: `no answer within ${parts.timeoutMs() / 1000} s` };
      case "cancelled":
        return { kind: "failed", why: "it was stopped" };
      case "not_started":
        return { kind: "failed", why: outcome.message };
      case "refused":
        return { kind: "failed", why: outcome.reason };
    }
  };

  /** The same text is formatted once, however often a change is planned. */
  const runOnce = (folder: string, file: string, tool: Tool, text: string, signal: AbortSignal | undefined): Promise<Run> => {
    const key = `${folder} ${file} ${tool.argv.join(" ")} ${sha256(text)}`;
    const known = runs.get(key);
    if (known !== undefined) return known;
    const running = run(folder, tool, text, signal);
    runs.set(key, running);
    running.catch(() => runs.delete(key));
    const oldest = runs.size > REMEMBERED ? runs.keys().next().value : undefined;
    if (oldest !== undefined) runs.delete(oldest);
    return running;
  };

  const once = (note: string): string | undefined => {
    if (told.has(note)) return undefined;
    told.add(note);
    return note;
  };

  return {
    async format(folder, file, { before, after }, signal) {
      if (parts.mode() === "off" || after.length > MAX_CHARS) return undefined;
      const tool = await toolOf(folder, file);
      if (tool === undefined || (hangs.get(`${folder} ${tool.id}`) ?? 0) >= MAX_HANGS) return undefined;
      const now = await runOnce(folder, file, tool, after, signal);
      if (now.kind === "failed") return { text: after, note: once(`${file} was not formatted: ${tool.id}: ${now.why}`) };
      if (now.text === after) return undefined;
      const was = before === undefined ? undefined : await runOnce(folder, file, tool, before, signal);
      // A file that never had the form would change where nobody touched it.
      if (was !== undefined && (was.kind === "failed" || was.text !== before)) return undefined;
      return { text: now.text, note: `formatted by ${tool.id}` };
    },
    close: () => workspaces.close(),
  };
}
