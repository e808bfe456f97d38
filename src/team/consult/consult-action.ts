/** `consult`: who may ask whom stands in the roles. Nobody waits in a circle: the askers travel with the question. */
import { z } from "zod";
import { wording } from "../../kernel/index.ts";
import { doubtsOf, sourceOutcomes } from "../../knowledge/told/index.ts";
import { agentActor, DEFAULT_SESSION, EVENTS, STREAMS } from "../../protocol/events/index.ts";
import { CHOICES, type RoleSpec } from "../../protocol/index.ts";
import { defineAction, type TaskState } from "../../step/index.ts";
import { messagesView, type Message } from "../messages/send-message.ts";
import { weighAnswer } from "../messages/weigh-answer.ts";
import { answerText, type Answer } from "./answer-action.ts";
import { askersOf, askRole, type Asked, type Asking, type ConsultParts } from "./ask-role.ts";
import { REROUTE } from "./reroute-action.ts";

type Action = ReturnType<typeof defineAction>;
type Weighed = ReturnType<typeof weighAnswer>;

/** One asks, the asked asks one more, and there it ends. */
const MAX_DEPTH = 2;
/** Questions of one task. */
const MAX_QUESTIONS = 20;

const asking = z.object({ target: z.string(), question: z.string().trim().min(1).max(2_000) });

type Refusal = { outcome: "consult_not_permitted" | "consult_cycle" | "consult_too_deep" | "consult_too_often"; summary: string };

/** Whom a task asked since the user last answered it, whatever came of it. */
export function askedBy({ history, answers }: Pick<TaskState, "history" | "answers">): { target: string; summary: string }[] {
  const since = answers.at(-1)?.step ?? 0;
  return history
    .filter(({ step }) => step > since)
    .flatMap(({ actions }) => actions)
    .filter(({ action, outcome }) => action === "consult" && !outcome.startsWith("consult_"))
    .map(({ target, summary }) => ({ target: target.split(":", 1)[0] ?? "", summary }));
}

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

type Hop = Message["hops"][number];

/** The person says who answers what nobody took for theirs; undefined: nobody. */
async function chosenByUser(parts: ConsultParts, task: TaskState, wanted: Asking, hops: readonly Hop[], signal: AbortSignal) {
  const { id, session, role } = task.created;
  const answer = await parts.questions.ask(
    {
      asker: { kind: "task", id },
      session,
      key: `reroute/${wanted.callId}`,
      message: REROUTE.text(wanted.question, hops),
      ask: {
        kind: "choice",
        options: [
          ...[...new Set(hops.map(({ from }) => from))].map((one) => ({ value: one, label: `the ${one}` })),
          { value: "nobody", label: "nobody", hint: `the ${role} goes on without` },
        ],
      },
      by: agentActor(role, id),
    },
    signal,
  );
  return answer?.kind === "chosen" && answer.value !== "nobody" ? answer.value : undefined;
}

/** Whoever says that it is not theirs names somebody else; the third, or one who refused already, is the user's to choose. */
async function askOn(
  parts: ConsultParts,
  task: TaskState,
  first: Asking,
  signal: AbortSignal,
): Promise<Exclude<Asked, { kind: "rerouted" }>> {
  const { spec } = parts.roleOf(task.created.role);
  const waiting = [...askersOf(task.created), spec.id];
  const refused = (why: string): Exclude<Asked, { kind: "rerouted" }> => ({ kind: "not_answered", outcome: "no_answer", why });
  let wanted = first;
  for (;;) {
    const asked = await askRole(parts, task, wanted, signal);
    if (asked.kind !== "rerouted") return asked;
    const { said, question } = asked;
    if (said.verdict === "partial") return refused(`it needs to know more first: ${said.reason}; ask again with that`);
    const hop = { from: wanted.target, reason: said.reason, to: said.to ?? "" };
    const hops = [...question.hops, hop];
    const next = REROUTE.next(hops, (one) => spec.consults.includes(one) && !waiting.includes(one));
    if (next === "nobody" || (next === "user" && waiting.length > 1))
      return refused(`it is not theirs: ${hops.map(({ from, reason }) => `${from}: ${reason}`).join("; ")}`);
    const chosen = next === "user" ? await chosenByUser(parts, task, first, hops, signal) : undefined;
    const to = next === "user" ? chosen : next.to;
    if (to === undefined) return refused("the person wants nobody to answer it");
    wanted = {
      ...first,
      callId: `${first.callId}/${hops.length}`,
      target: to,
      after: { question, hop: { ...hop, to } },
      ...(chosen === undefined ? {} : { chosen: true }),
    };
  }
}

/** What the answer is worth, written down once. */
async function weigh(parts: ConsultParts, task: TaskState, answer: Message): Promise<Weighed> {
  const { journal } = await parts.store();
  const stream = STREAMS.message(answer.correlation);
  const known = (await journal.get(messagesView, stream))?.weighed[answer.id];
  if (known !== undefined) return known;
  const { spec } = parts.roleOf(task.created.role);
  const asked = new Set([...askedBy(task).map(({ target }) => target), answer.from]);
  const others = CHOICES.knower.filter((one) => spec.consults.includes(one) && !asked.has(one));
  const weighed = weighAnswer(answer, { others, asksUser: askersOf(task.created).length === 0 });
  await journal.append(stream, "any", [EVENTS.message.weighed.create(weighed, { actor: agentActor(spec.id, task.created.id) })]);
  return weighed;
}

/** Too little is known, and everybody who could know was asked: the person decides. What they say is part of the answer. */
async function escalated(parts: ConsultParts, task: TaskState, wanted: Asking, answer: Answer, weighed: Weighed, signal: AbortSignal) {
  const { id, session, role } = task.created;
  const before = askedBy(task).map(({ target, summary }) => `- ${target}: ${summary}`);
  const said = await parts.questions.ask(
    {
      asker: { kind: "task", id },
      session,
      key: `weigh/${wanted.callId}`,
      message: [
        `The ${role} asked the ${wanted.target}: "${wording.oneLine(wanted.question, 300)}"`,
        `Found: ${wording.oneLine(answer.text, 400)} (sure: ${answer.confidence}, together ${weighed.cumulative.toFixed(2)})`,
        ...(before.length === 0 ? [] : ["Asked before:", ...before]),
        `Not met: ${weighed.unmet_constraints.join("; ") || "nothing shows that it is enough"}`,
        "How should it go on?",
      ].join("\n"),
      ask: {
        kind: "choice",
        options: [
          { value: "use", label: "go on with what was found" },
          { value: "look", label: "look for another way", hint: "that meets what is not met" },
          { value: "say", label: "say what to do", words: "needed" },
        ],
      },
      by: agentActor(role, id),
    },
    signal,
  );
  if (said?.kind !== "chosen") return "The person gave no answer.";
  return said.value === "say"
    ? `The person says: ${said.words ?? ""}`
    : said.value === "use"
      ? "The person says: go on with what was found."
      : "The person says: look for another way, one that meets what is not met.";
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
      const wanted = { target, question, callId };
      const asked = await askOn(parts, state, wanted, signal);
      if (asked.kind === "not_answered")
        return { ok: false, outcome: asked.outcome, summary: `${target} gave no answer: ${wording.oneLine(asked.why, 300)}` };
      const { answer, message } = asked;
      const weighed = await weigh(parts, state, message);
      const word = weighed.decision === "escalate" ? await escalated(parts, state, wanted, answer, weighed, signal) : "";
      const doubts = doubtsOf(await sourceOutcomes((await parts.store()).journal), answer.sources);
      const text = [answerText(answer), ...doubts, `Weighed: ${weighed.rationale}`, word].filter((line) => line !== "").join("\n");
      const key = `consult:${target}:${question}`;
      const title = `${message.from} answers "${wording.oneLine(question, 80)}" (confidence ${answer.confidence})`;
      const item = { key, kind: "action_result" as const, title, content: await blobs.put(text), pinned: false, step };
      return {
        ok: true,
        outcome: "answered",
        summary: `${message.from}: ${wording.oneLine(answer.text, 200)}`,
        effects: [{ op: "put", item }],
        detail: text,
        newsKey: `${key}:${text}`,
      };
    },
  });
  return consult;
}
