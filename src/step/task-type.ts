/**
 * Task types are data (CTX-009): a folder with `type.yaml`, and one prompt per phase. A project the person
 * trusts may add its own under `.sylk/task-types` and override prompts under `.sylk/prompts`; they steer an
 * agent, and a repository may be hostile. What ships keeps its name and its rights in every project.
 */
import { existsSync, readdirSync, readFileSync } from "node:fs";
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

/** Where a type may come from beside the package. */
export interface TypeSource {
  projectDir: string;
  /** Whether the person trusts what this project says to agents. */
  trustsProject(): boolean;
}

const NAME = /^[a-z][a-z0-9_]*$/;

const ownTypes = (source: TypeSource): string => path.join(source.projectDir, ".sylk", "task-types");
const ownPrompts = (source: TypeSource): string => path.join(source.projectDir, ".sylk", "prompts");
const shipped = (name: string): string => packageFile("task-types", name, "type.yaml");

function namesIn(folder: string): string[] {
  return existsSync(folder) ? readdirSync(folder).toSorted() : [];
}

/** What the project has for agents that is not used, and why. */
export function ignoredOverrides(source: TypeSource): { files: string[]; reason: string } | undefined {
  const types = namesIn(ownTypes(source)).filter((name) => existsSync(path.join(ownTypes(source), name, "type.yaml")));
  const prompts = namesIn(ownPrompts(source)).filter((name) => name.endsWith(".md"));
  const trusted = source.trustsProject();
  const files = [
    ...types.filter((name) => !trusted || existsSync(shipped(name))).map((name) => `.sylk/task-types/${name}`),
    ...(trusted ? [] : prompts.map((name) => `.sylk/prompts/${name}`)),
  ];
  if (files.length === 0) return undefined;
  return {
    files,
    reason: trusted
      ? "not used: built-in types stay as they are; give yours another name"
      : "not used before you read them and run `sylk skill trust`",
  };
}

function readPrompt(name: string, source: TypeSource): string | undefined {
  const own = path.join(ownPrompts(source), name);
  const file = existsSync(own) && source.trustsProject() ? own : packageFile("prompts", name);
  return existsSync(file) ? readFileSync(file, "utf8").trim() : undefined;
}

function typeFile(name: string, source: TypeSource): string {
  const own = path.join(ownTypes(source), name, "type.yaml");
  if (NAME.test(name) && existsSync(shipped(name))) return shipped(name);
  const there = NAME.test(name) && existsSync(own);
  if (there && source.trustsProject()) return own;
  throw new SylkError({
    code: there ? "TASK_TYPE_NOT_TRUSTED" : "USAGE_UNKNOWN_TASK_TYPE",
    tier: "user_fixable",
    message: there ? `task type ${name} comes from this project, which is not trusted` : `there is no task type ${name}`,
    fix: there
      ? `read .sylk/task-types/${name} and .sylk/prompts, then \`sylk skill trust\``
      : "one of implement_feature, fix_violation, write_tests, refactor, review, discover, or a folder under .sylk/task-types",
  });
}

/** The type as it holds for a task: whoever may write is held to the checks that were named, whatever the type says. */
export function taskTypeOf(task: { type: string; checks: readonly unknown[] }, source: TypeSource): TaskType {
  const type = loadTaskType(task.type, source);
  return type.verify === "report" && type.writes && task.checks.length > 0 ? { ...type, verify: "passing" } : type;
}

function loadTaskType(name: string, source: TypeSource): TaskType {
  const file = typeFile(name, source);
  try {
    const definition = typeSchema.parse(parse(readFileSync(file, "utf8")));
    const base = [readPrompt("base.md", source), definition.writes ? readPrompt("writing.md", source) : readPrompt("reading.md", source)]
      .filter((text) => text !== undefined)
      .join("\n");
    const prompts = Object.fromEntries(
      Object.keys(definition.phases).map((phase) => {
        const text = readPrompt(`${name}.${phase}.md`, source);
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
