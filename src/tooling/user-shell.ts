/**
 * A line that the user types to be run as it is: in the project's folder, with the user's own environment, as in their
 * shell. Nobody is asked, as it is the user's word; that it ran is kept in the trail, what it says is kept nowhere.
 */
import { openAudit } from "../guard/index.ts";
import type { Store } from "../journal/index.ts";
import type { Clock } from "../kernel/index.ts";
import type { Result } from "../protocol/api/index.ts";
import { USER } from "../protocol/events/index.ts";
import { gateByRule, openWorkspace } from "../workspace/index.ts";

export interface UserShellParts {
  projectDir: string;
  env: Readonly<Record<string, string | undefined>>;
  clock: Clock;
  redact: (text: string) => string;
  store: () => Promise<Store>;
  /** Its output, as it comes. */
  live: (part: { type: "output"; task: string; stream: "stdout" | "stderr"; text: string }) => void;
}

export interface UserShell {
  /** `id`: under which its output is heard live. */
  run(request: { id: string; command: string }, signal: AbortSignal): Promise<Result<"project.shell">>;
  /** What a program of the user's says of what it is given; null: it failed, or took too long. */
  say(command: string, given: string, signal: AbortSignal): Promise<string | null>;
}

const RULE = "the user's own line";
/** A line that is drawn again and again is worth so long; what it says beyond the first lines is nobody's. */
const SAY_MS = 2_000;
const SAID_CHARS = 4_000;
/** A program that says nothing may still be at work; whoever typed it stops it. */
const MOST_MS = 24 * 60 * 60_000;

export function createUserShell({ projectDir, env, clock, redact, store, live }: UserShellParts): UserShell {
  return {
    async run({ id, command }, signal) {
      const { journal } = await store();
      const audit = openAudit({ journal, redact, actor: USER, sessionId: undefined, taskId: undefined, off: new Set() });
      await audit.record({
        category: "process",
        eventType: "user_shell",
        severity: "info",
        outcome: "allowed",
        action: "shell",
        target: command,
        rule: RULE,
        role: undefined,
        details: { cwd: projectDir },
      });
      await using workspace = openWorkspace({
        root: projectDir,
        gate: gateByRule(RULE, ["run"]),
        // Shown to whoever typed it, and to nobody else.
        redact: (text) => text,
        clock,
        parentEnv: env,
        passedEnv: Object.keys(env),
        live: { heard: () => true, tell: (part) => (part.type === "output" ? live({ ...part, task: id }) : undefined) },
      });
      const outcome = await workspace.processes.run({ command, timeoutMs: MOST_MS, maxTimeoutMs: MOST_MS, signal });
      if (outcome.kind === "refused") return { kind: "not_started", why: outcome.reason };
      if (outcome.kind === "not_started") return { kind: "not_started", why: outcome.message };
      return { kind: "ended", exit_code: outcome.exitCode, signal: outcome.signal };
    },
    async say(command, given, signal) {
      await using workspace = openWorkspace({
        root: projectDir,
        gate: gateByRule("the user's own program", ["run"]),
        redact: (text) => text,
        clock,
        parentEnv: env,
        passedEnv: Object.keys(env),
      });
      const outcome = await workspace.processes.run({ command, stdin: given, timeoutMs: SAY_MS, maxTimeoutMs: SAY_MS, signal });
      return outcome.kind === "exited" && outcome.exitCode === 0 ? outcome.stdout.slice(0, SAID_CHARS) : null;
    },
  };
}
