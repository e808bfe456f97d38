/** What becomes of a piece that rests for the user, once there is an answer. */
import type { Run } from "../journal/index.ts";
import { EVENTS, STREAMS, SYSTEM, type Payload } from "../protocol/events/index.ts";
import { must } from "../kernel/index.ts";
import { ask } from "./ask-about-piece.ts";
import { fact } from "./gate.ts";
import { budgetOf, raiseBudget } from "./budget.ts";
import type { FlowParts } from "./parts.ts";
import { end, type Next } from "./piece.ts";
import type { PipelineState } from "./pipeline-state.ts";
import { stillMarked } from "./reconcile.ts";
import { requestView, type RequestState } from "./request-state.ts";
import { returnedWith } from "./retry-briefing.ts";
import { heard } from "./run-phase.ts";

type Choice = Payload<"pipeline.answered">["choice"];

const BY = { actor: SYSTEM.engine };

interface End {
  how: Payload<"pipeline.ended">["how"];
  told: string;
}
/** What each choice leads to: the piece goes on, or ends as told. */
const LEADS: Readonly<Record<Choice, "on" | End>> = {
  retry: "on",
  ignore_inspector: "on",
  ignore_tester: "on",
  take_over: "on",
  raise: "on",
  replan: { how: "replanned", told: "goes back to the Architect" },
  without: { how: "without", told: "was left out by the user; what needs it goes on" },
  skip: { how: "skipped", told: "was left out by the user" },
  abort: { how: "aborted", told: "was stopped by the user" },
};
const isChoice = (said: string): said is Choice => said in LEADS;

const requestOf = async ({ store }: FlowParts, id: string): Promise<RequestState> =>
  must(await store.journal.get(requestView, STREAMS.request(id)));

/** The user finished it by hand: what stands in its tree is its work, and is judged like any other. */
async function takeOver(parts: FlowParts, run: Run<PipelineState>, words: string): Promise<Next> {
  const { opened, tree: id, disputed, waits } = run.state;
  const tree = await parts.trees.find(id ?? "");
  const marked = await stillMarked({ parts, tree }, disputed);
  await run.mustOwn();
  const commit = marked.length > 0 ? undefined : await parts.trees.commit(tree, `${opened.node.id}: by the user`);
  const answered = EVENTS.pipeline.answered.create({ choice: "take_over", words }, BY);
  const request = await requestOf(parts, opened.request);
  const returned = await returnedWith({ parts, request, run }, [fact(waits?.text ?? "", "the user finished it", "user")]);
  if (commit === undefined) {
    await run.append(answered, returned);
    return ask({ parts, run }, "conflict", `${marked.join(", ")} still holds both sides`);
  }
  const phase = disputed.length > 0 ? "reconcile" : "green";
  await run.append(
    answered,
    returned,
    EVENTS.pipeline.handedOver.create({ phase, commit, verified: false, report: "finished by the user", tests_set_back: [] }, BY),
  );
  return "again";
}

async function tryAgain(parts: FlowParts, run: Run<PipelineState>, words: string): Promise<Next> {
  const { attempt, waits, opened } = run.state;
  if (words !== "" && waits !== undefined) await heard(parts, opened.request, { on: "piece", question: waits.question, words });
  // What may not be asked of a builder is not told to one either.
  const happened = waits?.why === "blocked" ? "A review was not content." : (waits?.text ?? "");
  const told = fact([happened, ...(words === "" ? [] : [`The user says: ${words}`])].join("\n"), "", "user");
  const request = await requestOf(parts, opened.request);
  await run.append(
    EVENTS.pipeline.answered.create({ choice: "retry", words, tries: attempt + parts.limits.attempts }, BY),
    await returnedWith({ parts, request, run }, [told]),
  );
  // What waited for it may be built again.
  await tellParent(parts, run.state);
  return "again";
}

/** The same phase goes on where it stood, with the same task. */
async function goOn(parts: FlowParts, run: Run<PipelineState>, question: string, words: string): Promise<Next> {
  if (words !== "") await heard(parts, run.state.opened.request, { on: "piece", question, words });
  await run.append(EVENTS.pipeline.answered.create({ choice: "retry", words }, BY));
  return "again";
}

/** What the user chose; a task's own question is taken up by the task. */
export async function takeAnswer(parts: FlowParts, run: Run<PipelineState>): Promise<Next> {
  const { waits, opened } = run.state;
  if (waits === undefined) return "again";
  const question = await parts.questions.get(waits.question);
  if (question?.status === "open" && waits.budget_usd !== undefined && ((await budgetOf(parts, opened.request)) ?? 0) > waits.budget_usd) {
    // Another piece was asked the same, and there is more to spend by now.
    await parts.questions.withdraw(question.id, "the budget was raised meanwhile", SYSTEM.engine);
    await run.append(EVENTS.pipeline.answered.create({ choice: "raise", words: "" }, BY));
    return "again";
  }
  if (question?.status === "open") {
    // Others may have its place meanwhile.
    await tellParent(parts, run.state);
    return { wait: { stream: STREAMS.question(question.asker.id, question.id), after: 1 } };
  }
  const answer = question?.answer;
  const words = answer?.kind === "chosen" ? (answer.words ?? "") : "";
  if (waits.why === "task_asks") return goOn(parts, run, waits.question, words);
  const said = answer?.kind === "chosen" ? answer.value : "retry";
  const choice = isChoice(said) ? said : "retry";
  // The work is not tried again: nothing was wrong with it.
  if (choice === "retry" && waits.why === "model") return goOn(parts, run, waits.question, words);
  if (choice === "retry") return tryAgain(parts, run, words);
  if (choice === "take_over") return takeOver(parts, run, words);
  if (choice === "raise") await raiseBudget(parts, opened.request, words);
  await run.append(EVENTS.pipeline.answered.create({ choice, words }, BY));
  const over = LEADS[choice];
  // The same phase goes on where it stood.
  if (over === "on") return "again";
  if (choice === "replan" && words !== "") await heard(parts, opened.request, { on: "piece", question: waits.question, words });
  if (choice === "replan") return end(run, over.how, [waits.text, words === "" ? "" : `The user says: ${words}`].join("\n").trim());
  return end(run, over.how, words === "" ? `${opened.node.id} ${over.told}` : words);
}

/** The parent looks again; told twice it looks twice. */
export async function tellParent({ store }: FlowParts, { opened }: PipelineState): Promise<void> {
  const rested = EVENTS.request.rested.create({ node: opened.node.id, pipeline: opened.id }, BY);
  await store.journal.append(STREAMS.request(opened.request), "any", [rested]);
}
