/** What `messages.test.ts` and its long form share. */
import type { App } from "../../support/lab.ts";
import type { Result } from "../../../src/protocol/api/index.ts";
import type { Payload } from "../../../src/protocol/events/index.ts";
import { planOf, simplePiece, teamProject, type TeamProject } from "../../support/team-project.ts";

type Detail = Result<"request.show">;

export type Message = Payload<"message.sent">["message"];

export const call = (name: string, input: unknown): unknown => ({ text: "as said", tool_calls: [{ name, input }] });

export const asks = (target: string, question = "which cache is there?"): unknown => call("consult", { target, question });

export const says = (confidence: number, unmet: string[] = [], text = "a map in trim"): unknown =>
  call("answer", { answer: text, sources: ["src/trim.js:1"], confidence, unmet });

export const at = (role: string, step: number, answer: unknown): unknown => ({ when: { role, step }, answer });

export const always = (role: string, answer: unknown): unknown => ({ when: { role }, answer });

export const KNOW = [always("librarian", says(0.9)), always("archivalist", says(0.9)), always("academic", says(0.9))];

const GUIDE = always("guide", call("classify", { kind: "plan", confidence: 0.95, reading: "as planned" }));

export function team(rules: unknown[], pieces = [simplePiece("loud")]): TeamProject {
  return teamProject(planOf(pieces), pieces, {}, [GUIDE, ...rules]);
}

export async function begun(
  project: TeamProject,
  more: Parameters<TeamProject["options"]>[0] = {},
): Promise<{ app: App; id: string; now: Detail }> {
  const app = await project.open();
  const { id } = await app.api.send({ type: "request.start", options: project.options({ mode: "auto", approve: "ask", ...more }) });
  return { app, id, now: await app.api.send({ type: "request.run", id }) };
}

export async function answered(app: App, id: string, answer: { value: string; words?: string } | string): Promise<Detail> {
  const { questions } = await app.api.query({ type: "request.show", id });
  const given = typeof answer === "string" ? { kind: "said" as const, text: answer } : { kind: "chosen" as const, ...answer };
  await app.api.send({ type: "question.answer", id: questions[0]?.id ?? "", answer: given });
  return app.api.send({ type: "request.run", id });
}

export async function eventsOf<T>(app: App, type: string): Promise<T[]> {
  const { position: until } = await app.api.query({ type: "journal.head" });
  const found: T[] = [];
  for await (const { payload } of app.api.events({ types: [type], until }, 0, new AbortController().signal)) found.push(payload as T);
  return found;
}

export const messagesOf = async (app: App): Promise<Message[]> =>
  (await eventsOf<{ message: Message }>(app, "message.sent")).map(({ message }) => message);

export const optionsOf = async (app: App, { questions }: Detail): Promise<string[]> => {
  const { ask } = await app.questions.find(questions[0]?.id ?? "");
  return ask.kind === "choice" ? ask.options.map(({ value }) => value) : [];
};

export const refuses = (reason: string, to?: string): unknown => call("reroute", { reason, to: to ?? "nobody" });
