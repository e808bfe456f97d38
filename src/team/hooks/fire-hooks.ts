/**
 * Runs the hooks of an event, one after the other, each with what the one before it made of the input; the first no
 * ends it. They run through the workspace's door: the user's own on the user's word, a trusted project's inside the
 * sandbox where there is one. Time and output are bounded, and nothing of them is left running.
 */
import type { Clock, Log } from "../../kernel/index.ts";
import { openAudit } from "../../guard/index.ts";
import type { Store } from "../../journal/index.ts";
import { SYSTEM } from "../../protocol/events/index.ts";
import { gateByRule, openWorkspace, type Sandbox, type Workspace } from "../../workspace/index.ts";
import { hookAnswer, type HookHeard } from "./hook-answer.ts";
import { EVENT_RULES, type HookEvent, type HookFacts } from "./hook-events.ts";
import { HookHealth, noticeOf, type HookNotice } from "./hook-health.ts";
import { readHooks, usable, type HookSources, type UsableHook } from "./read-hooks.ts";

export interface HookParts extends HookSources {
  env: Record<string, string | undefined>;
  /** Names of further variables the user lets commands have. */
  passedEnv: () => readonly string[];
  clock: Clock;
  log: Log;
  redact: (text: string) => string;
  /** Around what a project brings. */
  sandbox: () => Promise<Sandbox>;
  store: () => Promise<Store>;
  /** Whether started processes are kept in the audit trail. */
  logsProcesses: () => boolean;
}

/** Where and for whom. */
export interface HookPlace {
  folder: string;
  session: string;
  task?: string | undefined;
  role?: string | undefined;
}

export interface Firing {
  event: HookEvent;
  at: HookPlace;
  facts: HookFacts;
  /** What matchers are compared with. */
  names?: readonly string[] | undefined;
  /** Other arguments that a hook gives: the facts for the next hook, or why they cannot be used. */
  takes?: ((input: Readonly<Record<string, unknown>>) => { facts: HookFacts } | { problem: string }) | undefined;
}

/** One hook that was run. */
export interface Ran {
  hook: UsableHook;
  heard: HookHeard;
}

export interface Fired {
  /** The reason of the hook that said no. */
  block?: string | undefined;
  context: string[];
  notices: HookNotice[];
  ran: Ran[];
}

const MAX_SPILL_BYTES = 1024 * 1024;

export class HookRunner {
  readonly #parts: HookParts;
  readonly #health = new HookHealth();
  readonly #open = new Map<string, Promise<Workspace>>();

  constructor(parts: HookParts) {
    this.#parts = parts;
  }

  async fire({ event, at, facts, names = [], takes }: Firing, signal: AbortSignal): Promise<Fired> {
    const fired: Fired = { context: [], notices: [], ran: [] };
    const byName = EVENT_RULES[event].matches !== undefined;
    let told = facts;
    for (const hook of usable(readHooks(this.#parts, at.folder), event)) {
      if (this.#health.isStopped(hook) || (byName && !names.some((name) => hook.matches(name)))) continue;
      let heard = await this.#run(hook, at, told, signal);
      signal.throwIfAborted();
      if (heard.kind === "answered" && heard.input !== undefined && takes !== undefined) {
        const taken = takes(heard.input);
        if ("problem" in taken) heard = { kind: "failed", why: `its other arguments cannot be used: ${taken.problem}` };
        else told = taken.facts;
      }
      fired.ran.push({ hook, heard });
      if (heard.kind === "failed") {
        this.#parts.log.warn("a hook failed", { event, file: hook.file, why: heard.why });
        const notice = this.#health.failed(hook, heard.why);
        if (notice !== undefined) fired.notices.push(notice);
        continue;
      }
      this.#health.worked(hook);
      if (heard.message !== undefined) fired.notices.push(noticeOf(hook, "said", heard.message));
      if (heard.context !== undefined) fired.context.push(heard.context);
      if (heard.block !== undefined) return { ...fired, block: heard.block };
    }
    return fired;
  }

  async close(): Promise<void> {
    for (const workspace of this.#open.values()) await (await workspace)[Symbol.asyncDispose]();
  }

  async #run(hook: UsableHook, at: HookPlace, facts: HookFacts, signal: AbortSignal): Promise<HookHeard> {
    const { folder, session, task, role } = at;
    const { journal } = await this.#parts.store();
    const off = new Set(this.#parts.logsProcesses() ? [] : (["process"] as const));
    const audit = openAudit({ journal, redact: this.#parts.redact, actor: SYSTEM.engine, sessionId: session, taskId: task, off });
    await audit.record({
      category: "process",
      eventType: "hook_run",
      severity: "info",
      outcome: "allowed",
      action: "hook",
      target: hook.command,
      rule: hook.from === "user" ? `the user's own hook: ${hook.file}` : `a hook of a trusted folder: ${hook.file}`,
      role,
      details: { event: hook.event, cwd: folder },
    });
    const workspace = await this.#workspace(hook.from, folder);
    const outcome = await workspace.processes.run({
      command: hook.command,
      stdin: `${JSON.stringify({ session_id: session, cwd: folder, hook_event_name: hook.event, ...facts })}\n`,
      env: { SYLK_PROJECT_DIR: folder, CLAUDE_PROJECT_DIR: folder },
      timeoutMs: hook.timeoutMs,
      maxTimeoutMs: hook.timeoutMs,
      signal,
    });
    return hookAnswer(hook.event, outcome);
  }

  #workspace(from: UsableHook["from"], folder: string): Promise<Workspace> {
    const key = JSON.stringify([from, folder]);
    const known = this.#open.get(key) ?? this.#openIn(from, folder);
    this.#open.set(key, known);
    return known;
  }

  async #openIn(from: UsableHook["from"], folder: string): Promise<Workspace> {
    const { redact, clock, env } = this.#parts;
    return openWorkspace({
      root: folder,
      gate: gateByRule(from === "user" ? "the user's own hook" : "a hook of a trusted folder", ["run"]),
      redact,
      clock,
      parentEnv: env,
      passedEnv: this.#parts.passedEnv(),
      sandbox: from === "user" ? undefined : await this.#parts.sandbox(),
      limits: { maxSpillBytes: MAX_SPILL_BYTES },
    });
  }
}
