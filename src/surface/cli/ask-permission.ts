/** Asks the person at the terminal, showing all of what would happen. Only used when there is one. */
import type { PermissionPolicy } from "../../app/index.ts";
import type { Output } from "./output.ts";
import { askChoice, askText, type Choice } from "./prompts.ts";
import { visibleText } from "./visible-text.ts";

type Ask = NonNullable<PermissionPolicy["ask"]>;
type Question = Parameters<Ask>[0];
type Answer = Awaited<ReturnType<Ask>>;
type Offer = Question["offers"][number];

const PLACES = { session: "allow in this run", project: "always in this project", user: "always, everywhere" } as const;
type Where = keyof typeof PLACES;

/** `stop` ends the work as Ctrl+C does elsewhere, and gives the reason to throw. */
export function askAtTerminal(out: Output, stop: () => Error): Pick<PermissionPolicy, "ask" | "askCredential"> {
  if (!process.stdin.isTTY || !out.interactive || out.json) return {};
  let last: Promise<unknown> = Promise.resolve();
  /** Two questions at once would draw over each other. */
  const inTurn = <T>(work: () => Promise<T>): Promise<T> => {
    const turn = last.then(work, work);
    last = turn.catch(() => undefined);
    return turn;
  };
  const answered = <T>(answer: T | undefined): T => {
    if (answer === undefined) throw stop();
    return answer;
  };
  return {
    ask: (question, signal) =>
      inTurn(async () => {
        signal?.throwIfAborted();
        out.note(renderQuestion(question, out));
        return askForAction(question, signal, answered);
      }),
    askCredential: (message) =>
      inTurn(async () =>
        answered(
          await askChoice<"session" | "always" | "deny">({
            message,
            options: [
              { value: "session", label: "allow in this run" },
              { value: "always", label: "always in this project" },
              { value: "deny", label: "deny" },
            ],
          }),
        ),
      ),
  };
}

/** The whole line, each part of it behind a bar, so that nothing in it can pass for words of Sylk. */
function quoted(text: string): string {
  return visibleText(text)
    .split("\n")
    .map((line) => `  │ ${line}`)
    .join("\n");
}

function renderQuestion({ role, action, line, reason, offers }: Question, out: Output): string {
  if (action.kind !== "run" || line === undefined) return `\n${out.style("bold", `${role} wants to`)}\n${quoted(reason)}`;
  const wider = offers.length > 1 ? "" : "; it is kept as this exact line, or not at all";
  return [
    "",
    out.style("bold", `${role} wants to run`),
    quoted(line),
    ...(action.network.length === 0 ? [] : ["  and to reach", quoted(action.network.join("\n"))]),
    ...(reason === `run ${line}` ? [] : ["  which needs an answer to", quoted(reason)]),
    `  in ${visibleText(action.cwd)}${wider}`,
  ].join("\n");
}

function describeOffer(offer: Offer): string {
  return offer
    .map((rule) => {
      switch (rule.kind) {
        case "line":
          return "this exact line";
        case "command":
          return `every ${rule.value} …`;
        case "domain":
          return `fetching from ${rule.value}`;
        case "credential":
          return rule.value;
        case "path":
          return `${rule.access} ${rule.value}`;
      }
    })
    .join(", ");
}

/** The exact line everywhere first; what is wider, in this project at most. */
function choicesOf(offers: Question["offers"]): Choice<`${Where} ${number}`>[] {
  return offers.flatMap((offer, i) =>
    (["session", "project", "user"] as const)
      .filter((where) => i === 0 || where !== "user")
      .map((where) => ({ value: `${where} ${i}` as const, label: `${PLACES[where]}: ${describeOffer(offer)}` })),
  );
}

async function askForAction(
  { offers }: Question,
  signal: AbortSignal | undefined,
  answered: <T>(answer: T | undefined) => T,
): Promise<Answer> {
  const choice = answered(
    await askChoice({
      message: "Allow it? (Ctrl+C stops the task, which can be resumed)",
      options: [
        { value: "once" as const, label: "allow once" },
        ...choicesOf(offers),
        { value: "deny" as const, label: "deny" },
        { value: "explain" as const, label: "deny, and say why" },
      ],
      signal,
    }),
  );
  if (choice === "once" || choice === "deny") return { kind: choice };
  if (choice === "explain") return { kind: "deny", reason: answered(await askText({ message: "What should it know?", signal })) };
  const [where, index] = choice.split(" ") as [Where, string];
  return { kind: "keep", where, offer: offers[Number(index)] ?? [] };
}
