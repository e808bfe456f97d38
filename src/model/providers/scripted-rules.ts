/**
 * The rule file of the `scripted` provider. The first rule that matches answers. Which answer of a
 * list is given depends only on the request (task, step, attempt), so a resumed process hears the
 * same words again.
 */
import { parse } from "yaml";
import { z } from "zod";
import { SylkError, messageOf, wording } from "../../kernel/index.ts";
import type { ProviderCall } from "./types.ts";
import { readNamedFile } from "../read-named-file.ts";

const text = z.string().refine((pattern) => compiles(pattern), "not a valid regular expression");

const answerSchema = z.strictObject({
  text: z.string().optional(),
  reasoning: z.string().optional(),
  tool_calls: z.array(z.strictObject({ name: z.string(), input: z.unknown() })).default([]),
  /** Sent as is, to try malformed arguments. */
  raw_tool_calls: z.array(z.strictObject({ name: z.string(), arguments: z.string() })).default([]),
  usage: z.strictObject({ input: z.int(), output: z.int(), cache_read: z.int().default(0), cache_write: z.int().default(0) }).optional(),
  /** Waited before the first part. */
  delay_ms: z.number().nonnegative().default(0),
  /** Waited between parts. */
  drip_ms: z.number().nonnegative().default(0),
  stop: z.enum(["end_turn", "max_tokens", "tool_use", "content_filter"]).optional(),
  error: z
    .strictObject({ status: z.int().optional(), message: z.string().default("scripted error"), retry_after: z.number().optional() })
    .optional(),
  /** Break off after the parts above: no end, no usage. */
  cut: z.boolean().default(false),
});
export type ScriptedAnswer = z.output<typeof answerSchema>;

const ruleSchema = z
  .strictObject({
    when: z
      .strictObject({
        role: text.optional(),
        phase: text.optional(),
        task: text.optional(),
        purpose: text.optional(),
        session: text.optional(),
        pipeline: text.optional(),
        /** `3`, `"2-5"`, `">=4"`. */
        step: z.union([z.int(), z.string().regex(/^(\d+-\d+|>=\d+)$/, 'must be a number, a range such as "1-3", or ">=3"')]).optional(),
        attempt: z.int().optional(),
        /** Found in the newest user message; its groups can be used as {{1}} or {{name}}. */
        text: text.optional(),
        system: text.optional(),
        /** A tool that must be on offer. */
        tool: z.string().optional(),
      })
      .default({}),
    answer: answerSchema.optional(),
    /** One per step, counted from the rule's first step. */
    answers: z.array(answerSchema).min(1).optional(),
    /** What follows the last of `answers`. */
    repeat: z.enum(["last", "cycle", "none"]).default("last"),
    /** One per attempt of the same call; the last one stays. */
    attempts: z.array(answerSchema).min(1).optional(),
  })
  .refine(
    (rule) => [rule.answer, rule.answers, rule.attempts].filter((one) => one !== undefined).length === 1,
    "give exactly one of answer, answers, attempts",
  );
type Rule = z.output<typeof ruleSchema>;

const fileSchema = z.strictObject({ rules: z.array(ruleSchema).min(1) });

function compiles(pattern: string): boolean {
  try {
    new RegExp(pattern, "s").exec("");
    return true;
  } catch {
    return false;
  }
}

export function loadRules(file: string): readonly Rule[] {
  let source: unknown;
  try {
    source = parse(readNamedFile(file));
  } catch (error) {
    throw new SylkError({
      code: "MODEL_SCRIPT_UNREADABLE",
      tier: "user_fixable",
      message: `cannot read rule file ${file}: ${messageOf(error)}`,
      fix: "give the path of a YAML or JSON rule file as scripted/<path>",
      cause: error,
    });
  }
  const parsed = fileSchema.safeParse(source);
  if (parsed.success) return parsed.data.rules;
  throw new SylkError({
    code: "MODEL_SCRIPT_INVALID",
    tier: "user_fixable",
    message: `rule file ${file}: ${wording.issues(parsed.error)}`,
    fix: "correct the named fields",
  });
}

function whole(pattern: string | undefined, value: string): boolean {
  return pattern === undefined || pattern === value || new RegExp(`^(?:${pattern})$`, "s").test(value);
}

function stepRange(step: number | string | undefined): { from: number; to: number } {
  if (step === undefined) return { from: 1, to: Number.MAX_SAFE_INTEGER };
  if (typeof step === "number") return { from: step, to: step };
  if (step.startsWith(">=")) return { from: Number(step.slice(2)), to: Number.MAX_SAFE_INTEGER };
  const [from, to] = step.split("-").map(Number);
  return { from: from as number, to: to as number };
}

function newestUser(call: ProviderCall): string {
  return call.messages.findLast((message) => message.role === "user")?.content ?? "";
}

type Groups = Record<string, string>;

/** The groups captured by `text`, or undefined when the rule does not match. */
function match(rule: Rule, call: ProviderCall): Groups | undefined {
  const { when } = rule;
  const { facts } = call;
  const range = stepRange(when.step);
  if (when.step !== undefined && (facts.step < range.from || facts.step > range.to)) return undefined;
  if (when.attempt !== undefined && when.attempt !== call.attempt) return undefined;
  if (when.tool !== undefined && !call.tools.some((tool) => tool.name === when.tool)) return undefined;
  if (!whole(when.role, facts.role) || !whole(when.phase, facts.phase) || !whole(when.task, facts.task)) return undefined;
  if (!whole(when.purpose, facts.purpose) || !whole(when.session, facts.session) || !whole(when.pipeline, facts.pipeline ?? ""))
    return undefined;
  if (when.system !== undefined && !new RegExp(when.system, "s").test(call.messages.find((m) => m.role === "system")?.content ?? ""))
    return undefined;
  if (when.text === undefined) return {};
  const found = new RegExp(when.text, "s").exec(newestUser(call));
  if (found === null) return undefined;
  return { ...Object.fromEntries(found.map((group, index) => [String(index), group ?? ""])), ...found.groups };
}

function pick(rule: Rule, call: ProviderCall): ScriptedAnswer | undefined {
  if (rule.answer !== undefined) return rule.answer;
  if (rule.attempts !== undefined) return rule.attempts[Math.min(call.attempt, rule.attempts.length) - 1];
  const answers = rule.answers ?? [];
  const index = Math.max(0, call.facts.step - stepRange(rule.when.step).from);
  if (index < answers.length) return answers[index];
  if (rule.repeat === "none") return undefined;
  return rule.repeat === "cycle" ? answers[index % answers.length] : answers.at(-1);
}

function fill<T>(value: T, words: Groups): T {
  if (typeof value === "string") return value.replaceAll(/\{\{(\w+)\}\}/g, (whole, name: string) => words[name] ?? whole) as T;
  if (Array.isArray(value)) return value.map((item: unknown) => fill(item, words)) as T;
  if (value !== null && typeof value === "object")
    return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, fill(item as unknown, words)])) as T;
  return value;
}

export function answerFor(rules: readonly Rule[], call: ProviderCall): ScriptedAnswer | undefined {
  for (const rule of rules) {
    const groups = match(rule, call);
    const answer = groups === undefined ? undefined : pick(rule, call);
    if (answer === undefined) continue;
    const { role, phase, task, step, session, purpose } = call.facts;
    return fill(answer, { ...groups, role, phase, task, session, purpose, step: String(step), attempt: String(call.attempt) });
  }
  return undefined;
}
