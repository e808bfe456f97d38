/** `consult`: who may ask whom stands in the roles. Nobody waits in a circle: the askers travel with the question. */
import { z } from "zod";
import { wording } from "../../kernel/index.ts";
import { DEFAULT_SESSION } from "../../protocol/events/index.ts";
import type { RoleSpec } from "../../protocol/index.ts";
import { defineAction, type TaskState } from "../../step/index.ts";
import { answerText } from "./answer-action.ts";
import { askersOf, askRole, type ConsultParts } from "./ask-role.ts";

type Action = ReturnType<typeof defineAction>;

/** One asks, the asked asks one more, and there it ends. */
const MAX_DEPTH = 2;
/** Questions of one task. */
const MAX_QUESTIONS = 20;

const asking = z.object({ target: z.string(), question: z.string().trim().min(1).max(2_000) });

type Refusal = { outcome: "consult_not_permitted" | "consult_cycle" | "consult_too_deep" | "consult_too_often"; summary: string };

function refusal(role: Pick<RoleSpec, "id" | "consults">, task: TaskState, target: string): Refusal | undefined {
  const chain = [...askersOf(task.created), role.id];
  const who = chain.join(" → ");
  if (chain.includes(target))
    return { outcome: "consult_cycle", summary: `${target} waits for this answer already (${who}): answer with what you know` };
  if (!role.consults.includes(target))
    return {
      outcome: "consult_not_permitted",
      summary: `${role.id} cannot ask ${target}; it may ask ${role.consults.join(", ") || "nobody"}`,
    };
  if (chain.length > MAX_DEPTH)
    return { outcome: "consult_too_deep", summary: `enough were asked already (${who}): answer with what you know` };
  const asked = task.history.flatMap(({ actions }) => actions).filter(({ action }) => action === "consult").length;
  return asked >= MAX_QUESTIONS
    ? { outcome: "consult_too_often", summary: `${asked} questions were asked; go on with what you know` }
    : undefined;
}

export function createConsult(parts: ConsultParts): Action {
  /** By the roles that may be asked: what a model is shown of it. */
  const shown = new Map<string, Action>();
  const consult: Action = defineAction<z.infer<typeof asking>>({
    name: "consult",
    summary: "Ask a role what it knows: librarian the code, archivalist the past, academic documents.",
    slow: true,
    effect: "none",
    schema: asking,
    target: ({ target, question }) => `${target}: ${wording.oneLine(question, 100)}`,
    // A task by itself has no team, and no room for the words either.
    offeredTo: ({ session }, { consults }) => session !== DEFAULT_SESSION && consults.length > 0,
    shownTo({ consults }) {
      const key = consults.join();
      const known = shown.get(key) ?? { ...consult, schema: asking.extend({ target: z.enum(consults) }) };
      shown.set(key, known);
      return known;
    },
    async execute({ target, question }, context) {
      const { state, callId, step, blobs, signal } = context;
      const refused = refusal(parts.roleOf(state.created.role).spec, state, target);
      if (refused !== undefined) return { ok: false, ...refused };
      const asked = await askRole(parts, state, { target, question, callId }, signal);
      if (asked.kind === "not_answered")
        return { ok: false, outcome: asked.outcome, summary: `${target} gave no answer: ${wording.oneLine(asked.why, 300)}` };
      const { answer } = asked;
      const text = answerText(answer);
      const key = `consult:${target}:${question}`;
      const title = `${target} answers "${wording.oneLine(question, 80)}" (confidence ${answer.confidence})`;
      const item = { key, kind: "action_result" as const, title, content: await blobs.put(text), pinned: false, step };
      return {
        ok: true,
        outcome: "answered",
        summary: `${target}: ${wording.oneLine(answer.text, 200)}`,
        effects: [{ op: "put", item }],
        detail: text,
        newsKey: `${key}:${text}`,
      };
    },
  });
  return consult;
}
