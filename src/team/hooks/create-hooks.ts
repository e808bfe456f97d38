/** Users' hooks, for the step and for surfaces. */
import { oneOf } from "../../kernel/index.ts";
import { DEFAULT_SESSION } from "../../protocol/events/index.ts";
import type { StepExtension } from "../../step/index.ts";
import { HookRunner, type HookParts, type Ran } from "./fire-hooks.ts";
import { HOOK_EVENTS, sampleFacts, type HookEvent } from "./hook-events.ts";
import { readHooks } from "./read-hooks.ts";
import { actionNamed, namesOf, shownInputs } from "./tool-names.ts";
import { TaskHooks } from "./task-hooks.ts";

export interface HookLine {
  event: string;
  matcher?: string | undefined;
  command: string;
  timeout_ms: number;
  from: "user" | "project";
  file: string;
  counts: boolean;
  /** Why not. */
  why?: string | undefined;
}

export interface HookTrial {
  event: HookEvent;
  /** What they were told. */
  input: Record<string, unknown>;
  hooks: {
    command: string;
    file: string;
    /** What would become of the work. */
    would: "go_on" | "block" | "fail";
    says?: string | undefined;
    context?: string | undefined;
    updated_input?: Record<string, unknown> | undefined;
  }[];
}

export interface HookApi {
  list(): HookLine[];
  /** Runs what counts, with a made-up input; nothing else happens. */
  test(event: string, options: { tool?: string | undefined }, signal: AbortSignal): Promise<HookTrial>;
}

export interface Hooks {
  extension: StepExtension;
  api: HookApi;
  close(): Promise<void>;
}

const SAMPLES: Readonly<Record<string, Record<string, unknown>>> = {
  run_command: { command: "echo hello" },
  reproduce: { command: "echo hello" },
  search: { pattern: "hello" },
  edit_file: { path: "sample.txt", find: "hello", replace: "hi" },
  multi_edit: { edits: [{ path: "sample.txt", find: "hello", replace: "hi" }] },
  write_file: { path: "sample.txt", content: "hello\n" },
  move_file: { from: "sample.txt", to: "other.txt" },
};
const SAMPLE = { path: "sample.txt" };

export function createHooks(parts: HookParts): Hooks {
  const runner = new HookRunner(parts);
  const tasks = new TaskHooks(runner, parts.projectDir);
  return {
    extension: tasks.extension(),
    api: createHookApi(parts, runner),
    async close() {
      await tasks.close();
      await runner.close();
    },
  };
}

function createHookApi(parts: HookParts, runner: HookRunner): HookApi {
  const { projectDir: folder } = parts;
  return {
    list: () =>
      readHooks(parts, folder).map(({ timeoutMs, idle, matcher, ...hook }) => ({
        ...hook,
        ...(matcher === undefined ? {} : { matcher }),
        timeout_ms: timeoutMs,
        counts: idle === undefined,
        ...(idle === undefined ? {} : { why: idle }),
      })),
    async test(typed, { tool = "run_command" }, signal) {
      const event = oneOf("the event", typed, HOOK_EVENTS);
      const isTool = event === "PreToolUse" || event === "PostToolUse";
      const action = actionNamed(tool) ?? tool;
      const names = isTool ? namesOf(action) : ["startup"];
      const input = {
        ...sampleFacts(event),
        ...(isTool ? { tool_name: names[0], action, tool_input: shownInputs(action, SAMPLES[action] ?? SAMPLE, folder)[0] } : {}),
        ...(event === "PostToolUse" ? { tool_response: { success: true, outcome: "done", summary: "a sample result" } } : {}),
      };
      const { ran } = await runner.fire({ event, at: { folder, session: DEFAULT_SESSION }, facts: input, names }, signal);
      return { event, input, hooks: ran.map(trialOf) };
    },
  };
}

function trialOf({ hook: { command, file }, heard }: Ran): HookTrial["hooks"][number] {
  if (heard.kind === "failed") return { command, file, would: "fail", says: heard.why };
  const { block, message, context, input } = heard;
  return { command, file, would: block === undefined ? "go_on" : "block", says: block ?? message, context, updated_input: input };
}
