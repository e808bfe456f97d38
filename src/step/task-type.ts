/**
 * Task types are data (CTX-009): a folder with `type.yaml`, and one prompt per phase. The project
 * may add its own under `.sylk/task-types` and override prompts under `.sylk/prompts`.
 */
import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import { parse } from "yaml";
import { z } from "zod";
import { SUBJECTS } from "./context/subject-fragments.ts";
import { packageFile, SylkError, messageOf } from "../kernel/index.ts";

const GUARDS = ["file_changed", "ready", "not_ready"] as const;
const PROGRESS = ["file_changed", "check_passed", "news"] as const;

const GROUPS: Record<string, readonly string[]> = {
  read: ["read_file", "list_files", "search", "load_context", "pin_context", "clear_context", "note_fact", "scratchpad"],
  write: ["edit_file", "multi_edit", "write_file", "move_file", "delete_file"],
  run: ["run_command", "run_checks", "run_tests"],
  end: ["ask_user", "escalate", "complete"],
};

const phaseSchema = z.strictObject({
  /** Names of actions, or of the groups above. */
  actions: z.array(z.string()).min(1),
  next: z.array(z.strictObject({ to: z.string(), when: z.enum(GUARDS) })),
});

const typeSchema = z
  .strictObject({
    name: z.string().regex(/^[a-z][a-z0-9_]*$/),
    summary: z.string(),
    /** Rights live in code: a type that does not write cannot, whatever the model says. */
    writes: z.boolean(),
    initial: z.string(),
    phases: z.record(z.string(), phaseSchema),
    progress: z.array(z.enum(PROGRESS)).min(1),
    /** What its context holds beside what every task's does. */
    shows: z.array(z.enum(SUBJECTS)).default([]),
    /** What makes the work done: checks pass, the named finding is gone and nothing new came, new tests fail, or a report is written. */
    verify: z.enum(["passing", "target_gone", "failing_tests", "report"]),
  })
  .check((context) => {
    const type = context.value;
    const missing = [type.initial, ...Object.values(type.phases).flatMap((phase) => phase.next.map((next) => next.to))].filter(
      (name) => !(name in type.phases),
    );
    for (const name of missing) context.issues.push({ code: "custom", message: `phase ${name} is not defined`, input: type });
  });

type Definition = z.output<typeof typeSchema>;

export interface TaskType extends Definition {
  /** Prompt text by phase, base included, `{{role}}` still open. */
  prompts: Record<string, string>;
}

const SIDE_EFFECTS = new Set([...(GROUPS["write"] as string[]), ...(GROUPS["run"] as string[])]);

/** Actions allowed in a phase. A type without rights never gets a side effect, whatever its data says. */
export function allowedActions(type: TaskType, phase: string): string[] {
  const names = (type.phases[phase]?.actions ?? []).flatMap((name) => GROUPS[name] ?? [name]);
  return type.writes ? names : names.filter((name) => !SIDE_EFFECTS.has(name));
}

export function moveTo(type: TaskType, from: string, to: string): string {
  if (from === to || type.phases[from]?.next.some((next) => next.to === to) === true) return to;
  throw new SylkError({
    code: "TASK_ILLEGAL_TRANSITION",
    tier: "permanent",
    message: `${type.name}: a task cannot go from ${from} to ${to}`,
  });
}

function readPrompt(name: string, projectRoot: string): string | undefined {
  const own = path.join(projectRoot, ".sylk", "prompts", name);
  const file = existsSync(own) ? own : packageFile("prompts", name);
  return existsSync(file) ? readFileSync(file, "utf8").trim() : undefined;
}

export function loadTaskType(name: string, projectRoot: string): TaskType {
  const own = path.join(projectRoot, ".sylk", "task-types", name, "type.yaml");
  const file = existsSync(own) ? own : packageFile("task-types", name, "type.yaml");
  if (!/^[a-z][a-z0-9_]*$/.test(name) || !existsSync(file)) {
    throw new SylkError({
      code: "USAGE_UNKNOWN_TASK_TYPE",
      tier: "user_fixable",
      message: `there is no task type ${name}`,
      fix: "one of implement_feature, fix_violation, write_tests, refactor, review, discover, or a folder under .sylk/task-types",
    });
  }
  try {
    const definition = typeSchema.parse(parse(readFileSync(file, "utf8")));
    const base = [
      readPrompt("base.md", projectRoot),
      definition.writes ? readPrompt("writing.md", projectRoot) : readPrompt("reading.md", projectRoot),
    ]
      .filter((text) => text !== undefined)
      .join("\n");
    const prompts = Object.fromEntries(
      Object.keys(definition.phases).map((phase) => {
        const text = readPrompt(`${name}.${phase}.md`, projectRoot);
        if (text === undefined) throw new Error(`prompts/${name}.${phase}.md is missing`);
        return [phase, `${base}\n\n${text}`];
      }),
    );
    return { ...definition, prompts };
  } catch (error) {
    throw new SylkError({
      code: "TASK_TYPE_INVALID",
      tier: "user_fixable",
      message: `task type ${name} (${file}): ${error instanceof z.ZodError ? z.prettifyError(error).replaceAll("\n", " ") : messageOf(error)}`,
      fix: "correct the file",
      cause: error,
    });
  }
}
