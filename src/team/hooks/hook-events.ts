/** The moments at which a hook may run, under the names other agents gave them, and what a hook is told then. */

export const HOOK_EVENTS = [
  "SessionStart",
  "UserPromptSubmit",
  "TaskCreated",
  "PreToolUse",
  "PostToolUse",
  "TaskCompleted",
  "Stop",
  "SubagentStop",
  "SessionEnd",
] as const;
export type HookEvent = (typeof HOOK_EVENTS)[number];

interface EventRules {
  /** What a matcher is compared with; absent: it has none. */
  matches?: "tool" | "source";
  /** A hook may say no. */
  blocks: boolean;
  /** What it prints without being JSON is for the agent. */
  textCounts: boolean;
}

export const EVENT_RULES: Readonly<Record<HookEvent, EventRules>> = {
  SessionStart: { matches: "source", blocks: false, textCounts: true },
  UserPromptSubmit: { blocks: true, textCounts: true },
  TaskCreated: { blocks: true, textCounts: false },
  PreToolUse: { matches: "tool", blocks: true, textCounts: false },
  PostToolUse: { matches: "tool", blocks: true, textCounts: false },
  TaskCompleted: { blocks: true, textCounts: false },
  Stop: { blocks: true, textCounts: false },
  SubagentStop: { blocks: true, textCounts: false },
  SessionEnd: { blocks: false, textCounts: false },
};

export function isHookEvent(name: string): name is HookEvent {
  return (HOOK_EVENTS as readonly string[]).includes(name);
}

/** What a hook is told beside what every one is told. */
export type HookFacts = Readonly<Record<string, unknown>>;

/** For trying a hook: what it might be told. */
export function sampleFacts(event: HookEvent): HookFacts {
  const task = { task_id: "task_sample", task_subject: "a sample task", task_type: "implement_feature", agent_type: "engineer" };
  switch (event) {
    case "SessionStart":
      return { source: "startup" };
    case "SessionEnd":
      return { reason: "other" };
    case "UserPromptSubmit":
      return { prompt: "a sample request" };
    case "TaskCreated":
      return task;
    case "TaskCompleted":
    case "Stop":
    case "SubagentStop":
      return { ...task, stop_hook_active: false, report: "a sample report" };
    case "PreToolUse":
    case "PostToolUse":
      return task;
  }
}
