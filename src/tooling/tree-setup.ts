/**
 * Makes a new work tree ready by the command of `worktree.setup`. Nobody is asked: it is the user's own word, or that of a
 * project the user trusts. It runs inside the sandbox wherever there is one, whoever named it, as the programs it
 * starts may be what an agent wrote into the tree; where there is none, only the user's own runs. A tree in which it
 * fails is not used.
 */
import { openAudit } from "../guard/index.ts";
import type { Store } from "../journal/index.ts";
import { SylkError, wording, type Clock } from "../kernel/index.ts";
import { SYSTEM } from "../protocol/events/index.ts";
import { gateByRule, openWorkspace, type Sandbox, type SetUpTree } from "../workspace/index.ts";
import { treeEnvironment } from "./tree-environment.ts";

export interface TreeSetupParts {
  /** Null: trees are ready as they are. */
  settings: () => { setup: string | null; setup_timeout: number };
  /** It stands in the project's own configuration, which counts only where the folder is trusted. */
  isProjects: () => boolean;
  env: Readonly<Record<string, string | undefined>>;
  /** Names of further variables the user lets commands have. */
  passedEnv: () => readonly string[];
  sandbox: () => Sandbox;
  isSandboxed: () => Promise<boolean>;
  clock: Clock;
  redact: (text: string) => string;
  store: () => Promise<Store>;
  /** Whether started processes are kept in the audit trail. */
  logsProcesses: () => boolean;
}

/** The end of what it said is where the reason stands. */
const SHOWN_LINES = 8;

const tail = (text: string): string => text.trimEnd().split("\n").slice(-SHOWN_LINES).join("\n");

function failed(command: string, why: string, fix: string): SylkError {
  return new SylkError({
    code: "WORKTREE_SETUP_FAILED",
    tier: "user_fixable",
    message: `a new work tree could not be made ready: \`${command}\` (worktree.setup) ${why}`,
    fix,
  });
}

const MEND = "mend what it names, or set another command: sylk config set worktree.setup <command>";

export function createTreeSetup(parts: TreeSetupParts): SetUpTree {
  const { env, clock, redact } = parts;
  return async ({ id, folder }, signal) => {
    const { setup: command, setup_timeout: timeoutMs } = parts.settings();
    if (command === null) return;
    const isProjects = parts.isProjects();
    if (isProjects && !(await parts.isSandboxed()))
      throw failed(
        command,
        "is the project's, and there is no sandbox for it",
        `\`sylk sandbox status\` tells why; to run it all the same, make it yours: sylk config set worktree.setup ${wording.shellWord(command)}`,
      );
    const rule = isProjects ? "worktree.setup of a trusted folder" : "the user's own worktree.setup";
    const off = new Set(parts.logsProcesses() ? [] : (["process"] as const));
    const { journal } = await parts.store();
    await openAudit({ journal, redact, actor: SYSTEM.engine, sessionId: undefined, taskId: undefined, off }).record({
      category: "process",
      eventType: "tree_setup",
      severity: "info",
      outcome: "allowed",
      action: "setup",
      target: command,
      rule,
      role: undefined,
      details: { cwd: folder },
    });
    const own = treeEnvironment({ kind: "tree", tree: id, folder });
    await using workspace = openWorkspace({
      root: folder,
      gate: gateByRule(rule, ["run"]),
      redact,
      clock,
      parentEnv: { ...env, ...own },
      passedEnv: [...parts.passedEnv(), ...Object.keys(own)],
      sandbox: parts.sandbox(),
    });
    const outcome = await workspace.processes.run({ command, timeoutMs, maxTimeoutMs: timeoutMs, signal });
    switch (outcome.kind) {
      case "refused":
        throw failed(command, `was refused: ${outcome.reason}`, MEND);
      case "not_started":
        throw failed(command, `did not start: ${outcome.message}`, outcome.fix ?? MEND);
      case "timed_out":
        throw failed(
          command,
          `took longer than ${Math.round(timeoutMs / 1000)} s\n${tail(outcome.output.text)}`,
          "allow more: sylk config set worktree.setup_timeout <duration>",
        );
      case "cancelled":
        signal?.throwIfAborted();
        throw failed(command, "was stopped", MEND);
      case "exited":
        if (outcome.exitCode !== 0)
          throw failed(command, `ended with ${outcome.exitCode ?? outcome.signal}\n${tail(outcome.output.text)}`, MEND);
    }
  };
}
