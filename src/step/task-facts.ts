/** Parts of what is recorded about a task, by the names this floor uses. */
import type { Payload } from "../protocol/events/index.ts";

export type CheckResult = Payload<"task.verified">["checks"][number];
export type Problem = NonNullable<CheckResult["problems"]>[number];
export type Cut = Payload<"task.stepped">["context"]["cuts"][number];
export type Decision = Payload<"task.decided">["decision"];
export type DecidedWhy = Payload<"task.decided">["why"];
export type Evidence = NonNullable<Payload<"task.decided">["evidence"]>;
export type RecordedChange = Payload<"task.acted">["files"][number];
export type MemoryEffect = Payload<"task.acted">["effects"][number];
export type MemoryItem = Extract<MemoryEffect, { op: "put" }>["item"];
export type Assessment = Payload<"goal.assessed">["assessment"];
export type ImpasseType = NonNullable<Assessment["type"]>;
export type MonitorSteps = NonNullable<Payload<"goal.assessed">["steps"]>;

/** How an action ends a task's turn. */
export const END_KINDS = ["complete", "ask_user", "escalate"] as const;
export type EndKind = (typeof END_KINDS)[number];
