/**
 * Programs that are spoken to as long as they live, such as language servers: input and output stay open.
 * Where there is a sandbox they only look: in it nothing can be written and nobody reached. None outlives this process:
 * the sandbox ends with it, and without one the system ends the program.
 */
import { existsSync } from "node:fs";
import type { Writable } from "node:stream";
import { must } from "../../kernel/index.ts";
import type { Refused } from "../gate.ts";
import { toCommandLine } from "./command-line.ts";
import { notStarted, prepareCommand, type NotStarted } from "./prepare-command.ts";
import { workingFolder, type RunContext } from "./run-process.ts";
import { spawnGroup, type ExitStatus, type ProcessGroup } from "./spawn-group.ts";

export interface TalkRequest {
  command: readonly string[];
  cwd?: string | undefined;
  /** What the user wrote down for it, beside what every command gets. */
  env?: Readonly<Record<string, string>> | undefined;
  /** What it writes to its standard output, as it comes. */
  onOutput(chunk: Buffer): void;
  /** What it says on the side; dropped when nobody listens. */
  onAside?: ((chunk: Buffer) => void) | undefined;
  signal?: AbortSignal | undefined;
}

export interface Talk {
  readonly pid: number;
  readonly input: Writable;
  readonly exited: Promise<ExitStatus>;
  /** Ends it at once, with everything it started. */
  end(): Promise<void>;
}

export type TalkOutcome = { kind: "started"; talk: Talk } | NotStarted | Refused;

export interface Talks {
  start(request: TalkRequest): Promise<TalkOutcome>;
  endAll(): Promise<void>;
}

/** Asks the system to end what it starts when its parent is gone. */
const SETPRIV = "/usr/bin/setpriv";
const AT_ONCE = { sigintGraceMs: 0, sigtermGraceMs: 0 };

export function createTalks(context: RunContext): Talks {
  const open = new Set<Talk>();
  return {
    async start(request) {
      const command = toCommandLine(request.command);
      if (command === undefined) return { kind: "not_started", reason: "empty_command", message: "the command is empty", fix: undefined };
      const folder = await workingFolder(request.cwd, context.boundary);
      if (folder.kind === "not_started") return folder;
      const cwd = folder.absolute;
      const decision = await context.gate.decide({ kind: "run", command, cwd, background: true, network: [] }, request.signal);
      if (decision.kind === "deny") return { kind: "refused", reason: decision.reason, rule: decision.rule };
      await context.registry.reap();
      const how = { looksOnly: true, grantedEnv: request.env, onlySandboxed: decision.onlySandboxed, signal: request.signal };
      const prepared = await prepareCommand(command, cwd, how, context);
      if (prepared.kind === "not_started") return prepared;
      const tied = prepared.sandbox === "none" && existsSync(SETPRIV) ? [SETPRIV, "--pdeathsig", "KILL", "--"] : [];
      const [file, ...args] = [...tied, ...prepared.argv];
      const spawned = await spawnGroup({
        file: must(file),
        args,
        cwd,
        env: prepared.env,
        clock: context.clock,
        talks: true,
        onData: (stream, chunk) => (stream === "stdout" ? request.onOutput(chunk) : request.onAside?.(chunk)),
      });
      if (spawned.kind === "failed") {
        await prepared.release();
        return notStarted(spawned.error, command);
      }
      const talk = watched(spawned.group, prepared.release, context, () => open.delete(talk));
      open.add(talk);
      return { kind: "started", talk };
    },
    async endAll() {
      await Promise.all([...open].map((talk) => talk.end()));
    },
  };
}

function watched(group: ProcessGroup, release: () => Promise<unknown>, context: RunContext, gone: () => void): Talk {
  const forget = context.registry.add(group.pid, group.mark);
  const over = group.exited.then(async () => {
    await group.settle(context.limits);
    forget();
    await release();
    gone();
  });
  return {
    pid: group.pid,
    input: must(group.input),
    exited: group.exited,
    async end() {
      await group.stop(AT_ONCE);
      await over;
    },
  };
}
