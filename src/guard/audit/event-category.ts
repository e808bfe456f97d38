/** Which events of other floors belong to the audit trail. */
import { must } from "../../kernel/index.ts";
import type { Payload } from "../../protocol/events/index.ts";

/** Events of other floors that belong to the trail, by the first part of their type. */
const CATEGORY_OF_PREFIX: Readonly<Record<string, Payload<"audit.recorded">["category"]>> = {
  model: "llm",
  session: "session",
  task: "session",
  step: "session",
  plan: "session",
  pipeline: "session",
  config: "config",
  credential: "config",
  git: "file",
  workspace: "file",
  sandbox: "process",
};

export function categoryOfEvent(type: string): Payload<"audit.recorded">["category"] | undefined {
  const prefix = must(type.split(".")[0]);
  return Object.hasOwn(CATEGORY_OF_PREFIX, prefix) ? CATEGORY_OF_PREFIX[prefix] : undefined;
}
