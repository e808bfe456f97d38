/** What counts as the project's checks: what a task that asks for them would be held to. */
import type { Payload } from "../protocol/events/index.ts";
import type { FlowParts } from "./parts.ts";

export async function ownChecks(
  parts: FlowParts,
  { created }: { created: Payload<"task.created"> },
  signal: AbortSignal,
): Promise<Payload<"task.created">["checks"]> {
  const engine = await parts.engine();
  // Without its words: what these name (a resource of an MCP server) is fetched for who works on them.
  const task = { ...created, goal: "", checks: "own" as const, maxSteps: undefined, folder: ".", inputs: {}, signal };
  for (const extension of engine.extensions) {
    const { checks } = (await extension.given?.(task)) ?? {};
    if (checks !== undefined && checks.length > 0) return checks;
  }
  return [];
}
