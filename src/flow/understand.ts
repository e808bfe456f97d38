/**
 * What a request asks for, before anything is planned: one small call of the Guide's, the user where that is not sure
 * enough, and for a question an answer with its sources. What the user corrects is kept and shown to the next reading.
 */
import type { Run } from "../journal/index.ts";
import { SylkError, wording } from "../kernel/index.ts";
import { EVENTS, SYSTEM, type Payload } from "../protocol/events/index.ts";
import { CHOICES } from "../protocol/index.ts";
import { PLAN } from "../protocol/plan/index.ts";
import { answerOf, answerText, REROUTE, type Rerouted } from "../team/index.ts";
import { briefOf, withInputs } from "./brief.ts";
import { goalOf } from "./intent.ts";
import type { FlowParts } from "./parts.ts";
import { askUser, end, openTask, restFor, type Next } from "./request-hands.ts";
import { requestView, type RequestState } from "./request-state.ts";
import { runPhase, type PhaseEnd, type PhaseTask } from "./run-phase.ts";

type Classified = Payload<"request.classified">;
type Kind = Exclude<Classified["kind"], "ambiguous">;

const BY = { actor: SYSTEM.engine };
const ANSWER_STEPS = 10;
/** Corrections that the next reading sees, and how far back they are looked for. */
const SHOWN_CORRECTIONS = 3;
const LOOKED_BACK = 50;
const MISREAD = "how the person was misunderstood before";

const MEANS: Readonly<Record<Kind, string>> = {
  answer: "answer it, and change nothing",
  task: "make this one change",
  plan: "plan it, then build it",
};

const isKind = (value: string): value is Kind => Object.hasOwn(MEANS, value);

/** Whoever says how it is to be built has said that it is to be built. */
export function isUnderstood({ limits }: FlowParts, { created, classified, plan }: RequestState): boolean {
  if (created.asks === true) return classified !== undefined;
  if (plan !== undefined || created.mode !== "auto" || created.approve === "plan-only" || !limits.classify) return true;
  if (classified === undefined || classified.kind === "ambiguous") return false;
  return classified.by === "user" || classified.confidence >= limits.askBelow;
}

function taskFor(
  { created, intent }: RequestState,
  how: Pick<PhaseTask, "id" | "type" | "role" | "profile" | "maxSteps" | "inputs">,
): PhaseTask {
  return {
    ...briefOf(intent, undefined, []),
    checks: [],
    model: created.model,
    session: created.id,
    folder: ".",
    ...how,
  };
}

/** The newest corrections of all requests, newest first. */
async function corrections({ store }: FlowParts): Promise<string | undefined> {
  const rows = await store.journal.list(requestView, { prefix: "request/", reverse: true, limit: LOOKED_BACK });
  const lines = rows.flatMap(({ state }) =>
    state.corrected.toReversed().map(({ read_as: readAs, meant, words }) => {
      const said = words === "" ? "" : `: ${wording.oneLine(words, 200)}`;
      return `- "${wording.oneLine(state.created.intent.words, 200)}" was read as ${readAs}; the person meant ${meant ?? "something else"}${said}`;
    }),
  );
  return lines.length === 0 ? undefined : lines.slice(0, SHOWN_CORRECTIONS).join("\n");
}

/** A small input is enough; words that are too long for it get what the request itself was given. */
async function readOnce(parts: FlowParts, run: Run<RequestState>, id: string): Promise<PhaseEnd> {
  const { inputs } = withInputs(briefOf(run.state.intent, undefined, []), { [MISREAD]: await corrections(parts) });
  const wanted = taskFor(run.state, { id, type: "classify", role: "guide", profile: "minimal", maxSteps: 1, inputs });
  try {
    return await runPhase(parts, wanted, run.signal, 0);
  } catch (error) {
    if (!SylkError.is(error, "TASK_TOO_LARGE")) throw error;
    return runPhase(parts, { ...wanted, profile: run.state.created.profile }, run.signal, 0);
  }
}

function readingOf(done: PhaseEnd): Omit<Classified, "round" | "by"> {
  const text = done.kind === "complete" ? done.task.outputs?.["reading"] : undefined;
  const read = PLAN.reading.safeParse(typeof text === "string" ? JSON.parse(text) : undefined);
  return read.success ? read.data : { kind: "ambiguous", confidence: 0, reading: "", others: [] };
}

export async function understand(parts: FlowParts, run: Run<RequestState>): Promise<Next> {
  const { created, classified, corrected } = run.state;
  if (classified !== undefined) return askReading(parts, run, classified);
  if (created.asks === true && !parts.limits.classify)
    return takeAsQuestion(run, { reading: MEANS.answer, others: [], round: 1, by: "user" });
  const round = corrected.filter(({ meant }) => meant === undefined).length + 1;
  const id = await openTask(parts, run, "classify", round);
  const done = await readOnce(parts, run, id);
  // What the Guide asks is what is meant; that no model can be had is another question, with its own words.
  const rested = done.kind === "asks" ? { done } : await restFor(parts, run, done, id);
  if ("next" in rested) return rested.next;
  const read = { ...readingOf(rested.done), round, by: "guide" as const };
  if (created.asks === true) return takeAsQuestion(run, read);
  await run.append(EVENTS.request.classified.create(read, BY));
  return "again";
}

/** The user said that it is one; a reading only tells who answers it. */
async function takeAsQuestion(run: Run<RequestState>, read: Omit<Classified, "kind" | "confidence">): Promise<Next> {
  await run.append(EVENTS.request.classified.create({ ...read, kind: "answer", confidence: 1 }, BY));
  return "again";
}

/** Nothing is begun on a guess: the user says which reading is meant, or says it anew. */
async function askReading(parts: FlowParts, run: Run<RequestState>, { kind, reading, others, round, who }: Classified): Promise<Next> {
  const readings = new Map<Kind, string>();
  for (const one of [{ kind, reading }, ...others])
    if (one.kind !== "ambiguous" && one.reading !== "" && !readings.has(one.kind)) readings.set(one.kind, one.reading);
  const kinds: Kind[] = [...readings.keys(), ...(["answer", "task", "plan"] as const).filter((one) => !readings.has(one))];
  const said = await askUser(parts, run, "reading", `reading/${round}`, "What is meant?", {
    kind: "choice",
    options: [
      ...kinds.map((one) => ({
        value: one,
        label: readings.get(one) ?? MEANS[one],
        ...(readings.has(one) ? { hint: MEANS[one] } : {}),
        words: "possible" as const,
      })),
      { value: "other", label: "something else", hint: "say what you meant", words: "needed" },
    ],
  });
  if ("next" in said) return said.next;
  const { value, words } = said;
  if (!isKind(value)) {
    await run.append(EVENTS.request.corrected.create({ round, read_as: kind, words }, BY));
    return "again";
  }
  const wasRight = words === "" && (kind === value || kind === "ambiguous");
  const chosen = { kind: value, confidence: 1, reading: readings.get(value) ?? MEANS[value], others: [], round, by: "user" as const };
  await run.append(
    EVENTS.request.said.create({ on: "choice", question: `reading/${round}`, words: chosen.reading }, BY),
    ...(wasRight ? [] : [EVENTS.request.corrected.create({ round, read_as: kind, meant: value, words }, BY)]),
    EVENTS.request.classified.create({ ...chosen, ...(who === undefined ? {} : { who }) }, BY),
  );
  return "again";
}

/** Somebody who knows answers; nothing is planned and nothing changes. */
export async function giveAnswer(parts: FlowParts, run: Run<RequestState>): Promise<Next> {
  const { created, classified, intent, hops } = run.state;
  const last = hops.at(-1);
  const who = last?.to ?? classified?.who ?? "librarian";
  const id = await openTask(parts, run, "answer", hops.length + intent.revision);
  const wanted = taskFor(run.state, {
    id,
    type: "consult",
    role: who,
    profile: created.profile,
    maxSteps: ANSWER_STEPS,
    inputs: { question: goalOf(intent), ...(last?.chosen === true ? { [REROUTE.chosen]: "answer it as far as you can" } : {}) },
  });
  const rested = await restFor(parts, run, await runPhase(parts, wanted, run.signal), id);
  if ("next" in rested) return rested.next;
  const { done } = rested;
  const said = done.kind === "complete" ? REROUTE.by(done.task) : undefined;
  if (said !== undefined) return said.verdict === "partial" ? askMore(parts, run, who, said.reason) : sendOn(parts, run, who, said);
  const answer = done.kind === "complete" ? answerOf(done.task) : undefined;
  if (answer === undefined) return end(run, "failed", `no answer was found: ${done.kind === "complete" ? "none was handed in" : done.why}`);
  return end(run, "answered", answerText(answer));
}

/** Whoever is to answer needs to know more first. */
async function askMore(parts: FlowParts, run: Run<RequestState>, who: string, reason: string): Promise<Next> {
  const key = `more/${run.state.intent.revision}`;
  const said = await askUser(parts, run, "reading", key, `The ${who} needs to know more: ${reason}`, {
    kind: "choice",
    options: [
      { value: "say", label: "say it", words: "needed" },
      { value: "stop", label: "leave it", hint: "nothing is answered" },
    ],
  });
  if ("next" in said) return said.next;
  if (said.value === "stop") return end(run, "failed", `not answered: ${reason}`);
  await run.append(EVENTS.request.said.create({ on: "question", question: key, words: said.words }, BY));
  return "again";
}

/** It belongs to somebody else; where nobody else is left to try, the user says who answers. */
async function sendOn(parts: FlowParts, run: Run<RequestState>, from: string, { reason, to = "" }: Rerouted): Promise<Next> {
  const { hops, intent } = run.state;
  const knowers: readonly string[] = CHOICES.knower;
  const all = [...hops, { from, reason, to }];
  const next = REROUTE.next(all, (role) => knowers.includes(role));
  if (typeof next === "object") {
    await run.append(EVENTS.request.rerouted.create({ from, reason, to: next.to, chosen: false }, BY));
    return "again";
  }
  const said = await askUser(parts, run, "reading", `reroute/${all.length}`, REROUTE.text(intent.words, all), {
    kind: "choice",
    options: [
      ...[...new Set(all.map((one) => one.from))].map((role) => ({ value: role, label: `the ${role}` })),
      { value: "stop", label: "nobody", hint: "it is left unanswered" },
    ],
  });
  if ("next" in said) return said.next;
  if (said.value === "stop") return end(run, "failed", "not answered: nobody took it for theirs");
  await run.append(EVENTS.request.rerouted.create({ from, reason, to: said.value, chosen: true }, BY));
  return "again";
}
