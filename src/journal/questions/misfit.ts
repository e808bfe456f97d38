/** Whether an answer is one to this question. */
import { optionsOf, type Question, type QuestionAnswer } from "../../protocol/index.ts";

/** Why this is no answer to that; undefined when it is. */
export function misfit(ask: Question["ask"], answer: QuestionAnswer): string | undefined {
  const options = optionsOf(ask);
  if (ask.kind === "secret" && answer.kind === "stored") return undefined;
  if (answer.kind === "stored") return "it asks for no secret";
  if (options.length === 0) return answer.kind === "said" && answer.text.trim() !== "" ? undefined : "it needs an answer in words";
  if (answer.kind !== "chosen") return `it needs one of ${options.map(({ value }) => value).join(", ")}`;
  const option = options.find(({ value }) => value === answer.value);
  if (option === undefined) return `${answer.value} is not one of ${options.map(({ value }) => value).join(", ")}`;
  const words = (answer.words ?? "").trim();
  if (option.words === "needed" && words === "") return `${option.value} needs words: what to do`;
  if (option.words === "amount" && !(Number(words) > 0 && Number.isFinite(Number(words))))
    return `${option.value} needs an amount above 0, e.g. \`${option.value} 5\``;
  if (option.words === undefined && words !== "") return `${option.value} takes no words`;
  return undefined;
}
