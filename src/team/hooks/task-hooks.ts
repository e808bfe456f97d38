/**
 * Users' hooks in every task: asked before a call is kept and after it was done, when a task is made, begins or wants
 * to be complete, and when Sylk ends. They come after the checks of the call itself, and what they let pass is judged
 * by the permissions like everything else: a hook can refuse, never permit.
 */
import path from "node:path";
import { SylkError } from "../../kernel/index.ts";
import { DEFAULT_SESSION, EVENTS, SYSTEM, type Payload } from "../../protocol/events/index.ts";
import { placeFolder, type NewTask, type StepExtension, type TaskState } from "../../step/index.ts";
import type { Fired, Firing, HookPlace, HookRunner } from "./fire-hooks.ts";
import type { HookFacts } from "./hook-events.ts";
import type { HookNotice } from "./hook-health.ts";
import { changedInput, namesOf, shownInputs } from "./tool-names.ts";

type Extension = Required<StepExtension>;
type Call = Parameters<Extension["allows"]>[0];
type Allowed = Awaited<ReturnType<Extension["allows"]>>;

/** A hook that is asked while a task is made has nobody to stop it but its own deadline. */
const NEVER = new AbortController().signal;
/** All that hooks may take when Sylk ends. */
const CLOSING_MS = 10_000;

const saidBy = (reason: string): string => `a hook says: ${reason}`;
const noteOf = ({ context }: Fired): string | undefined => (context.length === 0 ? undefined : `a hook adds: ${context.join("\n")}`);

export class TaskHooks {
  readonly #runner: HookRunner;
  readonly #projectDir: string;
  readonly #sessions = new Map<string, HookPlace>();
  /** What is to be told with the next facts of a task; `""`: of whichever comes first. */
  readonly #notices = new Map<string, HookNotice[]>();
  readonly #advice = new Map<string, string[]>();
  readonly #held = new Set<string>();

  constructor(runner: HookRunner, projectDir: string) {
    this.#runner = runner;
    this.#projectDir = projectDir;
  }

  extension(): StepExtension {
    return {
      name: "hooks",
      given: (task) => this.#given(task),
      begins: (task) => this.#begins(task),
      allows: (call, task, signal) => this.#allows(call, task, signal),
      reviews: async (call, result, task, signal) => {
        if (call.action.ends !== undefined) return {};
        const { ok, outcome, summary } = result;
        const facts = { tool_response: { success: ok, outcome, summary } };
        const fired = await this.#aboutCall("PostToolUse", call, task, facts, signal);
        return { failed: fired.block === undefined ? undefined : saidBy(fired.block), note: noteOf(fired) };
      },
      after: async (task, append) => {
        const { id } = task.created;
        const notices = this.#take(this.#notices, id);
        if (notices.length > 0) await append(EVENTS.task.noticed.create({ step: task.step, notices }, { actor: SYSTEM.engine }));
        for (const text of this.#take(this.#advice, id)) await append(EVENTS.task.advised.create({ text }, { actor: SYSTEM.engine }));
      },
      rests: async ({ created }) => {
        this.#held.delete(created.id);
        return { notices: this.#take(this.#notices, created.id), facts: [] };
      },
    };
  }

  /** The sessions of this process end with it. */
  async close(): Promise<void> {
    const signal = AbortSignal.timeout(CLOSING_MS);
    for (const at of this.#sessions.values())
      await this.#runner.fire({ event: "SessionEnd", at, facts: { reason: "other" } }, signal).catch(() => undefined);
  }

  async #given(task: NewTask): ReturnType<Extension["given"]> {
    const tree = task.tree ?? task.sharedTree;
    const folder = path.join(tree?.path ?? this.#projectDir, task.folder);
    const at: HookPlace = { folder, session: task.session, task: task.id, role: task.role };
    const isFirst = this.#isFirst(at);
    const fired: Fired[] = [];
    if (isFirst) fired.push(await this.#start(at, "startup", NEVER));
    if (isFirst || task.session === DEFAULT_SESSION)
      fired.push(await this.#mustPass({ event: "UserPromptSubmit", at, facts: { prompt: task.goal } }));
    fired.push(await this.#mustPass({ event: "TaskCreated", at, facts: factsOf({ ...task, id: task.id ?? "" }) }));
    for (const { notices } of fired) this.#keep(this.#notices, task.id ?? "", notices);
    const said = fired.flatMap(({ context }) => context);
    return said.length === 0 ? {} : { inputs: { "what hooks add": said.join("\n") } };
  }

  async #begins({ created, step }: TaskState): ReturnType<Extension["begins"]> {
    const at = this.#placeOf(created);
    if (step > 0 && this.#isFirst(at)) {
      const fired = await this.#start(at, "resume", NEVER);
      this.#keep(this.#notices, created.id, fired.notices);
      this.#keep(this.#advice, created.id, fired.context);
    }
    return [...this.#take(this.#notices, ""), ...this.#take(this.#notices, created.id)];
  }

  async #allows(call: Call, task: TaskState, signal: AbortSignal): Promise<Allowed> {
    const { action } = call;
    if (action.ends === "complete") return this.#ends(call, task, signal);
    if (action.ends !== undefined) return { kind: "allowed" };
    let args = call.args;
    const { folder } = this.#placeOf(task.created);
    const takes = (shown: HookFacts): Firing["takes"] => {
      return (input) => {
        const parsed = action.schema.safeParse(changedInput(args, shown, input, folder));
        if (!parsed.success)
          return { problem: parsed.error.issues.map(({ path: at, message }) => `${at.join(".")}: ${message}`).join("; ") };
        args = parsed.data;
        return {
          facts: { ...toolFacts(namesOf(action.name, args), action.name, task), tool_input: shownInputs(action.name, args, folder)[0] },
        };
      };
    };
    const fired = await this.#aboutCall("PreToolUse", call, task, {}, signal, takes);
    if (fired.block !== undefined) return { kind: "refused", reason: saidBy(fired.block) };
    return { kind: "allowed", args: args === call.args ? undefined : args, note: noteOf(fired) };
  }

  /** Once for each file that the call touches; the first no counts. */
  async #aboutCall(
    event: "PreToolUse" | "PostToolUse",
    { action, args }: Call,
    task: TaskState,
    more: HookFacts,
    signal: AbortSignal,
    takes?: (shown: HookFacts) => Firing["takes"],
  ): Promise<Fired> {
    const at = this.#placeOf(task.created);
    const inputs = shownInputs(action.name, args, at.folder);
    const names = namesOf(action.name, args);
    const all: Fired = { context: [], notices: [], ran: [] };
    for (const tool_input of inputs) {
      const facts = { ...toolFacts(names, action.name, task), tool_input, ...more };
      // What stands for a part of a call cannot replace the whole.
      const fired = await this.#runner.fire(
        { event, at, facts, names, takes: inputs.length === 1 ? takes?.(tool_input) : undefined },
        signal,
      );
      this.#keep(this.#notices, at.task ?? "", fired.notices);
      all.context.push(...fired.context);
      if (fired.block !== undefined) return { ...all, block: fired.block };
    }
    return all;
  }

  async #ends({ args }: Call, task: TaskState, signal: AbortSignal): Promise<Allowed> {
    const { created } = task;
    const at = this.#placeOf(created);
    const report = typeof args === "object" && args !== null && "summary" in args ? args.summary : "";
    const facts = { ...factsOf(created), stop_hook_active: this.#held.has(created.id), report };
    const notes: string[] = [];
    for (const event of ["TaskCompleted", created.session === DEFAULT_SESSION ? "Stop" : "SubagentStop"] as const) {
      const fired = await this.#runner.fire({ event, at, facts }, signal);
      this.#keep(this.#notices, created.id, fired.notices);
      if (fired.block !== undefined) {
        this.#held.add(created.id);
        return { kind: "refused", reason: saidBy(fired.block) };
      }
      const note = noteOf(fired);
      if (note !== undefined) notes.push(note);
    }
    return { kind: "allowed", note: notes.length === 0 ? undefined : notes.join("\n") };
  }

  async #mustPass(firing: Firing): Promise<Fired> {
    const fired = await this.#runner.fire(firing, NEVER);
    if (fired.block === undefined) return fired;
    const [by] = fired.ran.slice(-1);
    throw new SylkError({
      code: "HOOK_REFUSED",
      tier: "user_fixable",
      message: `a hook does not let this begin: ${fired.block}`,
      fix: `the hook stands in ${by?.hook.file ?? "your configuration"}; \`sylk hooks list\` shows it`,
    });
  }

  /** Nothing depends on it: whatever happens, the work begins. */
  async #start(at: HookPlace, source: "startup" | "resume", signal: AbortSignal): Promise<Fired> {
    return this.#runner.fire({ event: "SessionStart", at, facts: { source }, names: [source] }, signal);
  }

  /** Whether this process sees the session for the first time; a task that belongs to none is one by itself. */
  #isFirst(at: HookPlace): boolean {
    const key = at.session === DEFAULT_SESSION ? this.#projectDir : at.session;
    if (this.#sessions.has(key)) return false;
    this.#sessions.set(key, { folder: this.#projectDir, session: at.session });
    return true;
  }

  #placeOf(created: Payload<"task.created">): HookPlace {
    const { id, session, role, place } = created;
    return { folder: placeFolder(this.#projectDir, place), session, task: id, role };
  }

  #keep<T>(where: Map<string, T[]>, task: string, what: readonly T[]): void {
    if (what.length > 0) where.set(task, [...(where.get(task) ?? []), ...what]);
  }

  #take<T>(where: Map<string, T[]>, task: string): T[] {
    const kept = where.get(task) ?? [];
    where.delete(task);
    return kept;
  }
}

const toolFacts = (names: readonly string[], action: string, { created }: TaskState): HookFacts => ({
  ...factsOf(created),
  tool_name: names[0],
  action,
});

const factsOf = ({ id, goal, type, role }: { id: string; goal: string; type: string; role: string }): HookFacts => ({
  task_id: id,
  task_subject: goal,
  task_type: type,
  agent_type: role,
});
