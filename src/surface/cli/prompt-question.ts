/** Asks the user at the terminal one question. Undefined is the answer of somebody who pressed Ctrl+C. */
import { optionsOf, type Question } from "../../protocol/index.ts";
import type { Input } from "../../protocol/api/index.ts";
import type { CliContext } from "./command.ts";
import { messageLines, renderAsk, renderParts } from "./render-question.ts";
import { reviewPlan } from "./review-plan.ts";
import type { Choice } from "./typed-choice.ts";
import { visibleLine } from "./visible-text.ts";

type GivenAnswer = Input<"question.answer">["answer"];

type Asking = Pick<CliContext, "out" | "ask" | "cwd">;

const WITH_WORDS = " words";

const YES = ["yes", "allow", "approve"];
const NO = ["no", "deny", "reject"];
/** What people type for it. */
const ALSO: Readonly<Record<string, readonly string[]>> = { once: YES, approve: YES, deny: NO, reject: NO };

/** The whole of it stands there, or is one word away, and it can be taken back: Enter agrees. Anything else begins at its no. */
const isShown = (ask: Question["ask"]): boolean => ask.kind === "choice" && ask.diff !== undefined;

/** The end of a path tells a file from its folder: in a narrow window it must not be what is cut off. */
const fromHere = (label: string, cwd: string): string =>
  label.endsWith(` ${cwd}`) ? `${label.slice(0, -cwd.length)}in this folder` : label.replaceAll(` ${cwd}/`, " ");

/** What may be said with words or without: Enter says it as it is, Tab asks for the words first. */
function choicesOf({ ask }: Question, { out, cwd }: Asking): Choice<string>[] {
  return optionsOf(ask).map(({ value, label: whole, hint: given, words }) => {
    const label = ask.kind === "permission" ? fromHere(whole, cwd) : whole;
    const choice = { value, label, also: ALSO[value] };
    const hint = given ?? (value === "yes" && isShown(ask) ? `\`${out.word("task undo")}\` takes it back` : undefined);
    if (words !== "possible") return hint === undefined ? choice : { ...choice, hint };
    const about = value === "deny" ? "Tab: say why" : "Tab: say more";
    return { ...choice, tab: `${value}${WITH_WORDS}`, hint: hint === undefined || value === "deny" ? about : `${hint} (${about})` };
  });
}

/** Its first line; the others stand above it. */
function messageOf({ ask, message }: Question): string {
  return ask.kind === "permission"
    ? "Allow it? Type yes or no, or move to an answer. (Ctrl+C stops the task, which can be resumed)"
    : messageLines(message).first;
}

async function chosen(question: Question, asking: Asking, signal: AbortSignal): Promise<GivenAnswer | undefined> {
  const { out, ask } = asking;
  const parts = renderParts(question, out);
  const expand = {
    value: "expand",
    label: "expand",
    hint: question.ask.kind === "choice" ? "show the change" : "show everything",
    also: ["diff", "show"],
  };
  const options = [...choicesOf(question, asking), ...(parts.length === 0 ? [] : [expand])];
  const no = options.find(({ value }) => NO.includes(value))?.value;
  const initial = isShown(question.ask) ? undefined : no;
  for (;;) {
    const picked = await ask.choice({ message: messageOf(question), options, initial, unknown: no, signal });
    if (picked === undefined) return undefined;
    if (picked === expand.value && parts.length > 0) {
      for (const part of parts) out.note(part);
      continue;
    }
    const value = picked.endsWith(WITH_WORDS) ? picked.slice(0, -WITH_WORDS.length) : picked;
    const wanted = optionsOf(question.ask).find((option) => option.value === value)?.words;
    const needs = wanted === "needed" || wanted === "amount";
    if (!needs && picked === value) return { kind: "chosen", value };
    const words = await ask.text({
      message: value === "deny" ? "What should it know?" : wanted === "amount" ? "How much?" : "In your words",
      signal,
    });
    if (words === undefined) return undefined;
    if (words.trim() !== "" || !needs) return { kind: "chosen", value, ...(words.trim() === "" ? {} : { words }) };
  }
}

/** In words, as it is to be read later; what its own lines tell anyway is not told again. */
function traceOf({ ask }: Question, answer: GivenAnswer): string | undefined {
  if (answer.kind === "said") return answer.text;
  if (answer.kind !== "chosen" || (ask.kind !== "choice" && ask.kind !== "permission")) return undefined;
  const label = optionsOf(ask).find(({ value }) => value === answer.value)?.label ?? answer.value;
  return answer.words === undefined ? label : `${label}: ${answer.words}`;
}

export async function promptQuestion(question: Question, asking: Asking, signal: AbortSignal): Promise<GivenAnswer | undefined> {
  const { out, ask } = asking;
  const answer = await prompted(question, asking, signal);
  const trace = answer === undefined || ask.leavesTrace ? undefined : traceOf(question, answer);
  const asked = question.ask.kind === "permission" ? "Allow it?" : messageOf(question);
  if (trace !== undefined) out.note(`${out.style("yellow", "?")} ${asked}  ${out.style("bold", visibleLine(trace))}`);
  return answer;
}

async function prompted(question: Question, asking: Asking, signal: AbortSignal): Promise<GivenAnswer | undefined> {
  const { out, ask } = asking;
  signal.throwIfAborted();
  const shown = [...renderAsk(question, out), ...messageLines(question.message).more];
  if (shown.length > 0) out.note(`\n${shown.join("\n")}`);
  if (question.ask.kind === "secret") {
    const value = await ask.hidden({ message: `${messageOf(question)} (not shown; empty: go on without)`, signal });
    if (value === undefined) return undefined;
    return value.trim() === "" ? { kind: "chosen", value: "deny" } : { kind: "secret", value: value.trim() };
  }
  const message = messageOf(question);
  if (question.ask.kind === "plan") return reviewPlan(message, question.ask, asking, signal);
  if (question.ask.kind !== "text") return chosen(question, asking, signal);
  const placeholder = question.ask.placeholder === undefined ? {} : { placeholder: question.ask.placeholder };
  const text = await ask.text({
    message,
    ...placeholder,
    validate: (value) => (value.trim() === "" ? "say what it should do" : undefined),
    signal,
  });
  return text === undefined ? undefined : { kind: "said", text };
}
