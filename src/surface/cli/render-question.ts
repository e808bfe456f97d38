/** Questions on a terminal, showing all of what would happen. */
import { isoTime, shortIds, wording } from "../../kernel/index.ts";
import { optionsOf, type Question } from "../../protocol/index.ts";
import type { Output } from "./output.ts";
import { visibleText } from "./visible-text.ts";

/** The whole text, each line of it behind a bar, so that nothing in it can pass for words of Sylk. */
function quoted(text: string): string {
  return visibleText(text)
    .split("\n")
    .map((line) => `  │ ${line}`)
    .join("\n");
}

type PermissionAsk = Extract<Question["ask"], { kind: "permission" }>;

function renderPermission({ role, line, cwd, network, reason, sandboxed, offers }: PermissionAsk, out: Output): string[] {
  if (line === undefined) return [out.style("bold", `${role} wants to`), quoted(reason)];
  const wider = offers.length > 1 ? "" : "; it is kept as this exact line, or not at all";
  return [
    out.style("bold", `${role} wants to run`),
    quoted(line),
    ...(network.length === 0 ? [] : ["  and to reach", quoted(network.join("\n"))]),
    ...(reason === `run ${line}` ? [] : ["  which needs an answer to", quoted(reason)]),
    `  in ${visibleText(cwd ?? ".")}${wider}`,
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
  const options = optionsOf(ask);
  const standing = whereItStands(question);
  const how =
    ask.kind === "secret"
      ? [`sylk answer ${shortId(id)}          asks for it, hidden; or pipe it in`, `sylk answer ${shortId(id)} deny`]
      : options.length === 0
        ? [`sylk answer ${shortId(id)} "your words"`]
        : options.map(
            ({ value, label, words }) =>
              `sylk answer ${shortId(id)} ${`${value}${words === undefined ? "" : words === "needed" ? ' "words"' : ' ["words"]'}`.padEnd(18)} ${label}`,
          );
  return [
    `${out.style("bold", message)}`,
    out.style("dim", `${id}  ${asker.kind} ${shortId(asker.id)}${standing === "" ? "" : `  ${standing}`}`),
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
          ? [out.style("dim", `          sylk answer ${shortId(id)} <${wording.oneLine(answers, 100)}>`)]
          : []),
      ].join("\n");
    })
    .join("\n");
}
