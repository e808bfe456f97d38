/**
 * Task types are data (CTX-009): a folder with `type.yaml`, and one prompt per phase. A project the user
 * trusts may add its own under `.sylk/task-types` and override prompts under `.sylk/prompts`; they steer an
 * agent, and a repository may be hostile. What ships keeps its name and its rights in every project.
 */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { parse } from "yaml";
import { z } from "zod";
import { END_KINDS } from "./task-facts.ts";
import { SUBJECTS } from "./context/subject-fragments.ts";
import type { RoleSpec } from "../protocol/index.ts";
import { messageOf, SylkError, systemPaths, projectFile } from "../kernel/index.ts";

const GUARDS = ["file_changed", "ready", "not_ready"] as const;
const PROGRESS = ["file_changed", "check_passed", "news"] as const;

const phaseSchema = z.strictObject({
  /** Names of actions, or of groups: `read`, `write`, `run`, `end`. */
  actions: z.array(z.string()).min(1),
  next: z.array(z.strictObject({ to: z.string(), when: z.enum(GUARDS) })),
});

const FIELD = z.string().regex(/^[a-z][a-z0-9_]*$/);

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
    /** What a task of this type starts from, by the name it is given under. */
    inputs: z.record(FIELD, z.strictObject({ summary: z.string(), required: z.boolean().default(true) })).default({}),
    /** What it hands over beside its report when it is complete. */
    outputs: z.record(FIELD, z.strictObject({ is: z.enum(["text", "list"]), required: z.boolean().default(true) })).default({}),
    /** How it may end. */
    ends: z
      .array(z.enum(END_KINDS))
      .refine((ends) => ends.includes("complete"), { message: "a task must be able to complete" })
      .default([...END_KINDS]),
    /** It is to change how something is made and not what it does; what is said when nothing shows its goal. */
    keeps_behaviour: z.boolean().default(false),
    /** What makes the work done: checks pass, the named finding is gone and nothing new came, new tests fail, or a report is written. */
    verify: z.enum(["passing", "target_gone", "failing_tests", "report"]),
  })
  .check((context) => {
    const type = context.value;
    const missing = [type.initial, ...Object.values(type.phases).flatMap((phase) => phase.next.map((next) => next.to))].filter(
      (name) => !(name in type.phases),
    );
    for (const name of missing) context.issues.push({ code: "custom", message: `phase ${name} is not defined`, input: type });
    if ("summary" in type.outputs) context.issues.push({ code: "custom", message: "the report is called summary already", input: type });
  });

type Definition = z.output<typeof typeSchema>;

export interface TaskType extends Definition {
  /** Its end is a plan that waits for approval. */
  plans?: true;
  /** Prompt text by phase, base included, `{{role_prompt}}` and `{{role}}` still open. */
  prompts: Record<string, string>;
}

/** What a model is told first in a phase: who it is, and how it works. */
export function systemPrompt(type: TaskType, phase: string, role: Pick<RoleSpec, "id" | "prompt">): string {
  return (type.prompts[phase] ?? "").replaceAll("{{role_prompt}}", () => role.prompt).replaceAll("{{role}}", () => role.id);
}

export function moveTo(type: TaskType, from: string, to: string): string {
  if (from === to || type.phases[from]?.next.some((next) => next.to === to) === true) return to;
  throw new SylkError({
    code: "TASK_ILLEGAL_TRANSITION",
    tier: "permanent",
    message: `${type.name}: a task cannot go from ${from} to ${to}`,
  });
}

/** What it must be given and was not is told before anything is spent. */
export function mustHaveInputs(type: TaskType, given: Readonly<Record<string, string>>): void {
  const missing = Object.entries(type.inputs).filter(([name, { required }]) => required && (given[name] ?? "").trim() === "");
  if (missing.length === 0) return;
  throw new SylkError({
    code: "USAGE_INPUT_MISSING",
    tier: "user_fixable",
    message: `a task of type ${type.name} starts from ${missing.map(([name, { summary }]) => `${name} (${summary})`).join(", ")}`,
    fix: missing.map(([name]) => `--given ${name}="…"`).join(" "),
  });
}

/** Where a type may come from beside the package. */
export interface TypeSource {
  projectDir: string;
  /** Whether the user trusts this text of a file of the project. */
  trusts(file: string, text: string): boolean;
}

const NAME = /^[a-z][a-z0-9_]*$/;

const OWN_TYPES = ".sylk/task-types";
const OWN_PROMPTS = ".sylk/prompts";
const shipped = (name: string): string => systemPaths.shipped("task-types", name, "type.yaml");

function namesIn({ projectDir }: TypeSource, folder: string): string[] {
  try {
    return readdirSync(path.join(projectDir, folder)).toSorted();
  } catch {
    // Not there, or no folder: it holds nothing.
    return [];
  }
}

/** A file of the project, and whether it may be used; undefined when there is none that could be. */
function ownFile(source: TypeSource, file: string): { text: string; trusted: boolean } | undefined {
  const text = projectFile.text(source.projectDir, file);
  return text === undefined ? undefined : { text, trusted: source.trusts(file, text) };
}

/** What the project has for agents that is not used, and why. */
export function ignoredOverrides(source: TypeSource): { files: string[]; reason: string } | undefined {
  const types = namesIn(source, OWN_TYPES).map((name) => ({ name, file: `${OWN_TYPES}/${name}/type.yaml` }));
  const prompts = namesIn(source, OWN_PROMPTS).filter((name) => name.endsWith(".md"));
  const untrusted = [...types.map(({ file }) => file), ...prompts.map((name) => `${OWN_PROMPTS}/${name}`)].filter(
    (file) => ownFile(source, file)?.trusted === false,
  );
  if (untrusted.length > 0) return { files: untrusted, reason: "not used before you read them and run `sylk trust`" };
  const builtIn = types.filter(({ name, file }) => existsSync(shipped(name)) && ownFile(source, file) !== undefined);
  if (builtIn.length === 0) return undefined;
  return {
    files: builtIn.map(({ name }) => `${OWN_TYPES}/${name}`),
    reason: "not used: built-in types stay as they are; give yours another name",
  };
}

function readPrompt(name: string, source: TypeSource): string | undefined {
  const own = ownFile(source, `${OWN_PROMPTS}/${name}`);
  if (own?.trusted === true) return own.text.trim();
  const file = systemPaths.shipped("prompts", name);
  return existsSync(file) ? readFileSync(file, "utf8").trim() : undefined;
}

function typeText(name: string, source: TypeSource): { file: string; text: string } {
  if (NAME.test(name) && existsSync(shipped(name))) return { file: shipped(name), text: readFileSync(shipped(name), "utf8") };
  const file = `${OWN_TYPES}/${name}/type.yaml`;
  const own = NAME.test(name) ? ownFile(source, file) : undefined;
  if (own?.trusted === true) return { file, text: own.text };
  const there = own !== undefined;
  throw new SylkError({
    code: there ? "TASK_TYPE_NOT_TRUSTED" : "USAGE_UNKNOWN_TASK_TYPE",
    tier: "user_fixable",
    message: there ? `task type ${name} comes from this project, which is not trusted` : `there is no task type ${name}`,
    fix: there
      ? `read .sylk/task-types/${name} and .sylk/prompts, then \`sylk trust\``
      : "one of implement_feature, fix_bug, fix_violation, write_tests, refactor, review, discover, or a folder under .sylk/task-types",
  });
}

/** The type as it holds for a task: whoever may write is held to the checks that were named, whatever the type says. */
export function taskTypeOf(task: { type: string; checks: readonly unknown[] }, source: TypeSource): TaskType {
  const type = loadTaskType(task.type, source);
  return type.verify === "report" && type.writes && task.checks.length > 0 ? { ...type, verify: "passing" } : type;
}

/** The same type while it plans: it looks, and its report is the plan. */
export function planning(type: TaskType, source: TypeSource): TaskType {
  const prompt = ["base.md", "reading.md", "plan.md"].flatMap((name) => readPrompt(name, source) ?? []).join("\n\n");
  const phases = Object.keys(type.phases);
  return {
    ...type,
    plans: true,
    writes: false,
    verify: "report",
    outputs: {},
    shows: [],
    phases: Object.fromEntries(phases.map((phase) => [phase, { actions: ["read", "end"], next: [] }])),
    prompts: Object.fromEntries(phases.map((phase) => [phase, prompt])),
  };
}

function loadTaskType(name: string, source: TypeSource): TaskType {
  const { file, text: written } = typeText(name, source);
  try {
    const definition = typeSchema.parse(parse(written));
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
