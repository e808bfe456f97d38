/** Every action by name, and how the model sees the ones it may use. */
import { z } from "zod";
import { SylkError } from "../../kernel/index.ts";
import type { ToolSpec } from "../../model/index.ts";
import type { TaskState } from "../task-state.ts";
import type { Action } from "./action.ts";
import { endActions } from "./end-actions.ts";
import { memoryActions } from "./memory-actions.ts";
import { readActions } from "./read-actions.ts";
import { runActions } from "./run-actions.ts";
import { writeActions } from "./write-actions.ts";

export interface ActionRegistry {
  get(name: string): Action | undefined;
  /** Tool descriptions for these names, in this order; an unknown name is a broken task type. */
  tools(names: readonly string[]): ToolSpec[];
  /** Further actions for this task. */
  offered(task: TaskState["created"]): string[];
}

/** JSON Schema without what a model does not need: every token here is paid at every step. */
function slim(node: unknown): unknown {
  if (Array.isArray(node)) return node.map(slim);
  if (typeof node !== "object" || node === null) return node;
  const drop = new Set(["$schema", "additionalProperties", "minLength", "maxLength", "minimum", "maximum", "minItems", "description"]);
  return Object.fromEntries(
    Object.entries(node)
      .filter(([key]) => !drop.has(key))
      .map(([key, value]) => [key, slim(value)]),
  );
}

export function createRegistry(extra: readonly Action[] = []): ActionRegistry {
  const byName = new Map(
    [...readActions, ...memoryActions, ...writeActions, ...runActions, ...endActions, ...extra].map((action) => [action.name, action]),
  );
  const specs = new Map<string, ToolSpec>();
  return {
    get: (name) => byName.get(name),
    offered: (task) => extra.filter((action) => action.offeredTo?.(task) === true).map((action) => action.name),
    tools: (names) =>
      names.map((name) => {
        const action = byName.get(name);
        if (action === undefined)
          throw new SylkError({
            code: "TASK_TYPE_INVALID",
            tier: "user_fixable",
            message: `a task type allows the action ${name}, which does not exist`,
          });
        let spec = specs.get(name);
        if (spec === undefined)
          specs.set(
            name,
            (spec = {
              name,
              description: action.summary,
              inputSchema: slim(z.toJSONSchema(action.schema, { io: "input" })) as Record<string, unknown>,
            }),
          );
        return spec;
      }),
  };
}
