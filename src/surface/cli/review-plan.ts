/**
 * A plan before the user's eyes: approved, rejected, or sent back with comments on single steps, which are collected
 * and become one answer. Undefined is the answer of somebody who pressed Ctrl+C.
 */
import { wording } from "../../kernel/index.ts";
import type { Input } from "../../protocol/api/index.ts";
import { optionsOf, type Question } from "../../protocol/index.ts";
import type { CliContext } from "./command.ts";
import type { Choice } from "./typed-choice.ts";

type GivenAnswer = Input<"question.answer">["answer"];
type PlanAsk = Extract<Question["ask"], { kind: "plan" }>;

interface Comment {
  step: string;
  words: string;
}

const SEND = "send";
const ON = "on ";
const SHOWN = 70;

/** What has a name of its own in it: what will be true (`A1`), a piece of work (`n1`), a numbered step (`1.`). */
const STEP = /^\s*(?:(?<name>A\d+|n\d+)(?:[:.)]|(?=\s))|(?<number>\d+)[.)])\s+(?<text>\S.*)$/u;

function stepsOf({ plan }: PlanAsk): { id: string; text: string }[] {
  const found = new Map<string, string>();
  for (const line of plan.split("\n")) {
    const { name, number, text } = STEP.exec(line)?.groups ?? {};
    const id = name ?? number;
    if (id !== undefined && text !== undefined && !found.has(id)) found.set(id, text);
  }
  return [...found].map(([id, text]) => ({ id, text }));
}

const count = (comments: readonly Comment[]): string => `${comments.length} comment${comments.length === 1 ? "" : "s"}`;

function choicesOf(ask: PlanAsk, comments: readonly Comment[]): Choice<string>[] {
  const [approve, ...others] = optionsOf(ask).map(({ value, label, hint }) => ({ value, label, hint }));
  const lost = comments.length === 0 ? undefined : `your ${count(comments)} not sent`;
  return [
    ...(comments.length === 0 ? [] : [{ value: SEND, label: `send ${count(comments)}`, hint: "it is planned again with them" }]),
    ...(approve === undefined ? [] : [{ ...approve, hint: lost, also: ["yes", "allow"] }]),
    ...stepsOf(ask).map(({ id, text }) => ({
      value: `${ON}${id}`,
      label: `comment on ${id}`,
      hint: wording.oneLine(comments.find(({ step }) => step === id)?.words ?? text, SHOWN),
      also: [id],
    })),
    ...others.map((one) => (one.value === "reject" ? { ...one, hint: lost, also: ["no", "deny"] } : one)),
  ];
}

/** The newest one on a step counts; empty words take it back. */
function withComment(comments: readonly Comment[], step: string, words: string): Comment[] {
  const others = comments.filter((one) => one.step !== step);
  return words.trim() === "" ? others : [...others, { step, words: words.trim() }];
}

const said = (comments: readonly Comment[], more = ""): string =>
  [...comments.map(({ step, words }) => `On ${step}: ${words}`), ...(more === "" ? [] : [more])].join("\n");

export async function reviewPlan(
  message: string,
  plan: PlanAsk,
  { ask, out }: Pick<CliContext, "ask" | "out">,
  signal: AbortSignal,
): Promise<GivenAnswer | undefined> {
  const needsWords = new Set(optionsOf(plan).flatMap(({ value, words }) => (words === "needed" ? [value] : [])));
  let comments: Comment[] = [];
  // What may run is nothing to agree to by habit.
  const first = (plan.allows ?? []).length === 0 ? "approve" : "reject";
  let initial: string = first;
  for (;;) {
    const standing = comments.length === 0 ? "" : ` (${count(comments)}: ${comments.map(({ step }) => step).join(", ")})`;
    const picked = await ask.choice({
      message: `${message}${standing}`,
      options: choicesOf(plan, comments),
      initial,
      unknown: "reject",
      signal,
    });
    if (picked === undefined) return undefined;
    if (picked === SEND) return { kind: "chosen", value: "edit", words: said(comments) };
    const step = picked.startsWith(ON) ? picked.slice(ON.length) : undefined;
    if (step === undefined && !needsWords.has(picked)) return { kind: "chosen", value: picked };
    const before = comments.find((one) => one.step === step)?.words;
    const words = await ask.text({
      message: step === undefined ? "In your words" : `What about ${step}? (empty: no comment)`,
      ...(before === undefined ? {} : { initialValue: before }),
      signal,
    });
    if (words === undefined) return undefined;
    if (step !== undefined) {
      comments = withComment(comments, step, words);
      out.note(out.style("dim", words.trim() === "" ? `  no comment on ${step}` : `  on ${step}: ${words.trim()}`));
      initial = comments.length === 0 ? first : SEND;
    } else if (words.trim() !== "") {
      return { kind: "chosen", value: picked, words: picked === "edit" ? said(comments, words.trim()) : words };
    }
  }
}
