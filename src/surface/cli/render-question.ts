/** Questions on a terminal, showing all of what would happen. */
import { isoTime, shortIds, wording } from "../../kernel/index.ts";
import { optionsOf, type Question } from "../../protocol/index.ts";
import { colouredDiff } from "./coloured-diff.ts";
import type { Output } from "./output.ts";
import { visibleLine, visibleText } from "./visible-text.ts";

/** The whole text, each line of it behind a bar, so that nothing in it can pass for words of Sylk. */
function quoted(text: string): string {
  return visibleText(text)
    .split("\n")
    .map((line) => `  │ ${line}`)
    .join("\n");
}

/** What is asked, and below it, behind bars, what was said with it: nothing there can pass for another question or an answer. */
export function messageLines(message: string): { first: string; more: string[] } {
  const [first = "", ...more] = visibleText(message.trim()).split("\n");
  const said = more.join("\n").trim();
  return { first, more: said === "" ? [] : [quoted(said)] };
}

type PermissionAsk = Extract<Question["ask"], { kind: "permission" }>;

/** Lines of a change that stand with the question; `expand` shows all. */
const MAX_DIFF_LINES = 40;

const diffLines = (diff: string, out: Output): string[] =>
  visibleText(diff)
    .trimEnd()
    .split("\n")
    .map((line) => `  │ ${colouredDiff(line, out)}`);

function renderEdit({ role, reason, diff = "" }: PermissionAsk, out: Output): string[] {
  const lines = diffLines(diff, out);
  const left = lines.length - MAX_DIFF_LINES;
  return [
    out.style("bold", `${role} wants to ${visibleLine(reason)}`),
    ...lines.slice(0, MAX_DIFF_LINES),
    ...(left > 0 ? [out.style("dim", `  … ${left} more line${left === 1 ? "" : "s"}; \`expand\` shows all`)] : []),
  ];
}

function renderPermission(ask: PermissionAsk, out: Output): string[] {
  const { role, line, cwd, network, reason, sandboxed, offers } = ask;
  if (ask.diff !== undefined) return renderEdit(ask, out);
  if (line === undefined) return [out.style("bold", `${role} wants to`), quoted(reason)];
  const wider = offers.length > 1 ? "" : "; a lasting yes would cover exactly this line";
  return [
    out.style("bold", `${role} wants to run`),
    quoted(line),
    ...(network.length === 0 ? [] : ["  and to reach", quoted(network.join("\n"))]),
    ...(reason === `run ${line}` ? [] : ["  which needs an answer to", quoted(reason)]),
    `  in ${visibleLine(cwd ?? ".")}${wider}`,
    ...(sandboxed === true ? ["  also with a yes it stays in the sandbox: what that forbids fails (`sylk sandbox status`)"] : []),
  ];
}

/** A unified diff, in colour on a terminal. */
export function renderDiff(diff: string, out: Output): string[] {
  const colour = (line: string): string =>
    line.startsWith("+") ? out.style("green", line) : line.startsWith("-") ? out.style("red", line) : line;
  return diff === "" ? [] : diff.trimEnd().split("\n").map(colour);
}

/** What it is about; its own words come with the prompt. */
export function renderAsk({ ask }: Question, out: Output): string[] {
  switch (ask.kind) {
    case "permission":
      return renderPermission(ask, out);
    case "diff":
      return [...ask.summary, "", ...(ask.diff === "" ? [quoted(ask.text)] : renderDiff(ask.diff, out))];
    case "plan":
      return [quoted(ask.plan)];
    case "choice":
    case "text":
    case "secret":
      return [];
  }
}

export function renderParts({ ask }: Question, out: Output): string[] {
  if (ask.kind === "permission" && ask.diff !== undefined) {
    const lines = diffLines(ask.diff, out);
    return lines.length > MAX_DIFF_LINES ? [lines.join("\n")] : [];
  }
  if (ask.kind === "choice" && ask.diff !== undefined) return [diffLines(ask.diff, out).join("\n")];
  if (ask.kind !== "diff") return [];
  return Object.entries(ask.parts).map(([name, content]) => `\n${out.style("bold", name)}\n${quoted(content)}`);
}

const shortId = (id: string): string => shortIds.shorten(id);

function whereItStands({ status, deadline_at, fallback, answer }: Question): string {
  if (status === "open")
    return deadline_at === null
      ? ""
      : `until ${isoTime(deadline_at)}${fallback?.kind === "chosen" ? `, then ${fallback.value} counts` : ", then it ends without an answer"}`;
  const said = answer?.kind === "chosen" ? answer.value : answer?.kind === "said" ? answer.text : answer === null ? "" : "a secret";
  return `${status}${said === "" ? "" : `: ${said}`}`;
}

/** The whole of it, and how to answer. */
export function renderQuestion(question: Question, out: Output): string {
  const { id, asker, message, ask } = question;
  const { first, more } = messageLines(message);
  const options = optionsOf(ask);
  const standing = whereItStands(question);
  const how =
    ask.kind === "secret"
      ? [`${out.word(`answer ${shortId(id)}`)}          asks for it, hidden; or pipe it in`, `${out.word(`answer ${shortId(id)}`)} deny`]
      : options.length === 0
        ? [`${out.word(`answer ${shortId(id)}`)} "your words"`]
        : options.map(
            ({ value, label, words }) =>
              `${out.word(`answer ${shortId(id)}`)} ${`${value}${words === undefined ? "" : words === "needed" ? ' "words"' : ' ["words"]'}`.padEnd(18)} ${label}`,
          );
  return [
    out.style("bold", first),
    out.style("dim", `${id}  ${asker.kind} ${shortId(asker.id)}${standing === "" ? "" : `  ${standing}`}`),
    ...more,
    ...renderAsk(question, out),
    ...renderParts(question, out),
    ...(question.status === "open" ? ["", ...how] : []),
  ].join("\n");
}

export function renderQuestions(questions: readonly Question[], out: Output): string {
  if (questions.length === 0) return "nothing is asked";
  return questions
    .map((question) => {
      const { id, asker, message, ask } = question;
      const values = optionsOf(ask).map(({ value }) => value);
      const answers = ask.kind === "text" ? "words" : ask.kind === "secret" ? "a secret, or deny" : values.join(", ");
      const standing = whereItStands(question);
      return [
        `${shortId(id)}  ${asker.kind} ${shortId(asker.id)}  ${wording.oneLine(message, 100)}${standing === "" ? "" : out.style("dim", `  ${standing}`)}`,
        ...(question.status === "open"
          ? [out.style("dim", `          ${out.word(`answer ${shortId(id)}`)} <${wording.oneLine(answers, 100)}>`)]
          : []),
      ].join("\n");
    })
    .join("\n");
}
