/** Who writes the skill's text: the template alone, or a model with repair rounds (SKF-003, SKF-004). */
import { existsSync, readFileSync } from "node:fs";
import { z } from "zod";
import { systemPaths, projectFile } from "../kernel/index.ts";
import type { ModelGate, ModelRequest } from "../model/index.ts";
import { JUDGED_BY_READING, type Judgement, type SkillReport } from "./check-skill.ts";
import { forgeError } from "./forge-error.ts";
import { MAX_NAME_CHARS, NAME_PATTERN, parseSkill, renderSkill } from "./read-skill.ts";
import { deriveDescription, deriveName, shortenAtWord, titleOf, requestPhrase } from "./understand-request.ts";
import type { InputWindow } from "./windows.ts";
import { DEFAULT_SESSION } from "../protocol/events/index.ts";

export interface Draft {
  name: string;
  text: string;
  by: "template" | "model";
}

export interface SkillWriter {
  write(input: InputWindow, wantedName: string | null, problem: string | undefined, signal: AbortSignal): Promise<Draft>;
  /** A corrected text, or undefined when this writer cannot repair. */
  repair(text: string, report: SkillReport, signal: AbortSignal): Promise<string | undefined>;
  /** Changes a text as a user asked; undefined when this writer cannot. */
  change(text: string, instruction: string, signal: AbortSignal): Promise<string | undefined>;
  judge(text: string, signal: AbortSignal): Promise<Judgement[]>;
}

/** Where templates may come from beside the package. */
export interface TemplateSource {
  project: string;
  /** Whether the user trusts this text of a file of the project. */
  trusts(file: string, text: string): boolean;
}

export function readTemplate(name: string, source: TemplateSource): string {
  if (!/^[a-z0-9][a-z0-9-]*$/.test(name)) throw forgeError("E-CREATE-003", `there is no skill template ${name}`);
  const own = `.sylk/skill-templates/${name}.md`;
  const text = projectFile.text(source.project, own);
  if (text !== undefined && source.trusts(own, text)) return text;
  const file = systemPaths.shipped("prompts", "skill-templates", `${name}.md`);
  if (existsSync(file)) return readFileSync(file, "utf8");
  throw forgeError(
    "E-CREATE-003",
    text === undefined ? `there is no skill template ${name}` : `${own} is not trusted; read it, then \`sylk trust\``,
  );
}

/** Refuses a name the standard does not allow. */
export function mustBeName(name: string): string {
  if (name.length > MAX_NAME_CHARS)
    throw forgeError("E-CREATE-005", `the name has ${name.length} characters; at most ${MAX_NAME_CHARS} are allowed`);
  if (!NAME_PATTERN.test(name)) throw forgeError("E-CREATE-005", `${JSON.stringify(name)} cannot be a skill's name`);
  return name;
}

function renderTemplate(template: string, values: Record<string, string>): string {
  // `{{args}}` and anything else unknown stays as it is.
  return template.replaceAll(/\{\{(\w+)\}\}/g, (whole, key: string) => values[key] ?? whole);
}

function fromTemplate(input: InputWindow, wantedName: string | null, source: TemplateSource): { name: string; text: string } {
  const name = wantedName ?? deriveName(input.understanding);
  if (input.source !== null) return fromSource(input, name);
  const phrase = requestPhrase(input.description);
  const task = input.understanding.kind === "action" ? phrase : `apply ${phrase}`;
  const body = renderTemplate(readTemplate(input.template_name, source), {
    title: titleOf(name),
    summary: `${phrase.charAt(0).toUpperCase()}${phrase.slice(1)}.`,
    task: shortenAtWord(task, 80),
    step: input.understanding.kind === "action" ? `Then ${phrase}.` : `Apply what is known about ${phrase}.`,
  });
  return { name, text: renderSkill({ name, description: deriveDescription(input.description), body }) };
}

/** An existing text keeps its words; only its frame is made to fit. */
function fromSource(input: InputWindow, name: string): { name: string; text: string } {
  const { text } = input.source as NonNullable<InputWindow["source"]>;
  const source = parseSkill(text);
  // What carries further fields of the standard keeps them.
  if (source.name === name && Object.keys(source.fields).length > 2) return { name, text };
  const description = source.description === "" ? deriveDescription(input.description) : source.description;
  return { name, text: renderSkill({ name, description, body: source.body }) };
}

export function createTemplateWriter(source: TemplateSource): SkillWriter {
  return {
    write: (input, wantedName) => Promise.resolve({ ...fromTemplate(input, wantedName, source), by: "template" }),
    repair: () => Promise.resolve(undefined),
    change: () => Promise.resolve(undefined),
    judge: () => Promise.resolve([]),
  };
}

const draftSchema = z.object({ name: z.string(), description: z.string(), body: z.string() });
const judgementSchema = z.object({ verdicts: z.array(z.object({ number: z.int(), passed: z.boolean(), detail: z.string() })) });
const MAX_OUTPUT = 6_000;

export function createModelWriter(
  gate: () => Promise<ModelGate>,
  { model, run }: { model: string; run: string },
  source: TemplateSource,
): SkillWriter {
  const prompt = (name: string): string => readFileSync(systemPaths.shipped("prompts", `${name}.md`), "utf8");
  const ask = async <T>(
    purpose: string,
    system: string,
    user: string,
    schema: z.ZodType<T>,
    step: number,
    signal: AbortSignal,
  ): Promise<T> => {
    const request: ModelRequest = {
      model,
      system,
      user,
      tools: [],
      maxOutputTokens: MAX_OUTPUT,
      role: "forge",
      session: DEFAULT_SESSION,
      task: "forge",
      run,
      step,
      phase: purpose,
      purpose: `skill_${purpose}`,
      priority: 100,
      lane: "user",
    };
    const answer = await (await gate()).object(request, schema, signal);
    if (answer.kind === "ok") return answer.value;
    signal.throwIfAborted();
    const why = "error" in answer ? answer.error : undefined;
    throw forgeError("E-CREATE-004", `the model gave no usable text (${why?.message ?? answer.kind})`, { cause: why });
  };
  let rounds = 0;
  const rewrite = async (text: string, task: string, signal: AbortSignal): Promise<string> => {
    const { name } = parseSkill(text);
    const user = `${task}\n\nThe skill as it is now:\n\n${text}`;
    rounds += 1;
    const draft = await ask("repair", prompt("skill.generate"), user, draftSchema, rounds, signal);
    return renderSkill({ ...draft, name });
  };
  return {
    async write(input, wantedName, problem, signal) {
      const base = fromTemplate(input, wantedName, source);
      const user = [
        `The wish, in the person's words:\n${input.description}`,
        `Audience: ${input.understanding.audience}`,
        wantedName === null ? `A name that would do: ${base.name}` : `The name, which is fixed: ${wantedName}`,
        input.source === null ? `The frame to fill:\n\n${base.text}` : `The text it starts from:\n\n${input.source.text}`,
        ...(problem === undefined ? [] : [`The last attempt could not be used: ${problem}`]),
      ].join("\n\n");
      rounds += 1;
      const draft = await ask("generate", prompt("skill.generate"), user, draftSchema, rounds, signal);
      const name = mustBeName(wantedName ?? draft.name);
      return { name, text: renderSkill({ ...draft, name }), by: "model" };
    },
    repair(text, report, signal) {
      const failures = report.checks.filter((check) => check.result === "failed").map((check) => `- ${check.title}: ${check.detail}`);
      return rewrite(text, `Correct what these checks found and change nothing else:\n${failures.join("\n")}`, signal);
    },
    change: (text, instruction, signal) => rewrite(text, `Make this change and no other:\n${instruction}`, signal),
    async judge(text, signal) {
      const points = JUDGED_BY_READING.map(({ number, title }) => `${number}. ${title}`).join("\n");
      rounds += 1;
      const { verdicts } = await ask(
        "judge",
        prompt("skill.judge"),
        `Points:\n${points}\n\nThe skill:\n\n${text}`,
        judgementSchema,
        rounds,
        signal,
      );
      return verdicts.filter(({ number }) => JUDGED_BY_READING.some((point) => point.number === number));
    },
  };
}
