/** Every action by name, and how the model sees the ones it may use. */
import { z } from "zod";
import { SylkError } from "../../kernel/index.ts";
import type { ToolSpec } from "../../model/index.ts";
import type { RoleSpec } from "../../protocol/index.ts";
import type { Profile } from "../profiles.ts";
import type { TaskState } from "../task-state.ts";
import type { TaskType } from "../task-type.ts";
import type { Action } from "./action.ts";
import { endActions, shapedFor } from "./end-actions.ts";
import { memoryActions } from "./memory-actions.ts";
import { readActions } from "./read-actions.ts";
import { runActions } from "./run-actions.ts";
import { runTests } from "./run-tests.ts";
import { writeActions } from "./write-actions.ts";

/** Whose task it is decides what of it may be done. */
export interface ActionRights {
  type: TaskType;
  phase: string;
  role: Pick<RoleSpec, "actions" | "consults"> & { readonly capabilities: readonly RoleSpec["capabilities"][number][] };
  /** Actions of other floors are offered to it, or not. */
  task?: TaskState["created"] | undefined;
}

export interface ActionRegistry {
  get(name: string, type: Pick<TaskType, "outputs">): Action | undefined;
  /** What may be done, in the order in which it is shown; a type or role without a right never gets such an action. */
  allowed(rights: ActionRights): Action[];
}

/** Keywords of JSON Schema that a model does not need: every token here is paid at every step. */
const UNSEEN = new Set([
  "$schema",
  "additionalProperties",
  "minLength",
  "maxLength",
  "minimum",
  "maximum",
  "minItems",
  "maxItems",
  "description",
]);

/** Names of arguments are no keywords, whatever they are called. What another action shows already (`known`) is only named. */
function slim(node: unknown, within: "schema" | "names" = "schema"): unknown {
  if (Array.isArray(node)) return node.map((one) => slim(one));
  if (typeof node !== "object" || node === null) return node;
  if (within === "schema" && "known" in node) return { type: "object" };
  return Object.fromEntries(
    Object.entries(node)
      .filter(([key]) => within === "names" || !UNSEEN.has(key))
      .map(([key, value]) => [key, slim(value, within === "schema" && key === "properties" ? "names" : "schema")]),
  );
}

type Shown = Pick<Action, "name" | "summary" | "schema">;
const specs = new WeakMap<Shown, ToolSpec>();

/** What a model sees of an action, here and nowhere else. */
export function toolSpecOf(action: Shown): ToolSpec {
  const known = specs.get(action);
  if (known !== undefined) return known;
  const inputSchema = slim(z.toJSONSchema(action.schema, { io: "input" })) as Record<string, unknown>;
  const spec = { name: action.name, description: action.summary, inputSchema };
  specs.set(action, spec);
  return spec;
}

/** With the limits that follow the profile. */
export function withLimits(tool: ToolSpec, { items }: Pick<Profile, "items">): ToolSpec {
  return tool.description.includes("{reads}") ? { ...tool, description: tool.description.replace("{reads}", String(items)) } : tool;
}

/** Names a task type may use for many actions; which they are follows from what each does. */
const GROUPS: Readonly<Record<string, (action: Action) => boolean>> = {
  read: ({ effect, ends }) => (effect === "none" || effect === "memory") && ends === undefined,
  write: ({ effect }) => effect === "files",
  run: ({ effect }) => effect === "process",
  end: ({ ends }) => ends !== undefined,
};

const NEEDS: Readonly<Record<Action["effect"], readonly RoleSpec["capabilities"][number][]>> = {
  none: [],
  memory: [],
  record: [],
  files: ["file_write"],
  process: ["execute", "execute_inspection"],
};

function isAllowed({ effect }: Action, { type, role }: ActionRights): boolean {
  const needs = NEEDS[effect];
  return needs.length === 0 || (type.writes && needs.some((capability) => role.capabilities.includes(capability)));
}

export function createRegistry(extra: readonly Action[] = []): ActionRegistry {
  const own = [...readActions, ...memoryActions, ...writeActions, ...runActions, runTests, ...endActions];
  const byName = new Map([...own, ...extra].map((action) => [action.name, action]));
  const named = (name: string): readonly Action[] => {
    const group = Object.hasOwn(GROUPS, name) ? GROUPS[name] : undefined;
    if (group !== undefined) return own.filter(group);
    const action = byName.get(name);
    if (action !== undefined) return [action];
    throw new SylkError({
      code: "TASK_TYPE_INVALID",
      tier: "user_fixable",
      message: `a task type allows the action ${name}, which does not exist`,
    });
  };
  return {
    get(name, { outputs }) {
      const action = byName.get(name);
      return action === undefined ? undefined : shapedFor(action, outputs);
    },
    allowed(rights) {
      const { type, phase, role, task } = rights;
      const listed = (type.phases[phase]?.actions ?? []).flatMap(named);
      const offered = task === undefined ? [] : extra.filter((action) => action.offeredTo?.(task, role) === true);
      const may = [...new Set([...listed, ...offered])].filter(
        (action) => isAllowed(action, rights) && (action.ends === undefined || type.ends.includes(action.ends)),
      );
      return may
        .filter(({ leadsTo }) => leadsTo === undefined || may.some(({ name }) => name === leadsTo))
        .map((action) => shapedFor(action.shownTo?.(role) ?? action, type.outputs));
    },
  };
}
