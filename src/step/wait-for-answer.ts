/**
 * A task and the user's answers. What the task asks is a durable question; while there is no answer it rests,
 * with everything it was about to do, and whoever takes it up again looks for the answer first.
 */
import { SylkError } from "../kernel/index.ts";
import type { Questions, Run } from "../journal/index.ts";
import { DEFAULT_SESSION, EVENTS, STREAMS, agentActor, SYSTEM, USER, type NewEvent } from "../protocol/events/index.ts";
import type { StepEngine } from "./engine.ts";
import type { DecidedWhy } from "./task-facts.ts";
import { standsAt, type TaskState } from "./task-state.ts";
import { taskView } from "./task-view.ts";

/** The question an error stands for; undefined for every other error. */
function questionOf(error: unknown): string | undefined {
  const id = SylkError.is(error, "QUESTION_OPEN") ? error.details["question"] : undefined;
  return typeof id === "string" ? id : undefined;
}

export function isWaiting(error: unknown): boolean {
  return questionOf(error) !== undefined;
}

/** What only the person can settle. What else stops a task of a request is its request's to ask about: nobody is asked twice. */
const OWN: readonly DecidedWhy[] = ["agent_asks", "plan_ready", "checks_cannot_run"];

/** Puts the question with which a task stops at a step, where it is the task's to ask; the same step asks it once. */
export async function asking(
  engine: Pick<StepEngine, "questions">,
  { created }: TaskState,
  key: string,
  { why, question, plan }: { why: DecidedWhy; question: string | undefined; plan?: string | undefined },
): Promise<{ question?: string; question_id?: string }> {
  const { id, session, role } = created;
  if (question === undefined || (session !== DEFAULT_SESSION && !OWN.includes(why))) return {};
  const ask = plan === undefined ? { kind: "text" as const } : { kind: "plan" as const, plan };
  const asked = { asker: { kind: "task" as const, id }, session, key, message: question, ask };
  return { question, question_id: (await engine.questions.put({ ...asked, by: agentActor(role, id) })).id };
}

/** The task rests: what it was about to do stays pending. False when the error is about something else. */
export async function restFor(engine: StepEngine, durable: Run<TaskState>, error: unknown): Promise<boolean> {
  const question = questionOf(error);
  if (question === undefined) return false;
  const asked = await engine.questions.get(question);
  await durable.append(EVENTS.task.waits.create({ question, text: asked?.message ?? "" }, { actor: SYSTEM.engine }));
  return true;
}

/** What lets a task that rests for a question go on, when it was answered. */
export async function answerOf({ questions }: StepEngine, state: TaskState): Promise<NewEvent | undefined> {
  if (state.status !== "escalated" || state.questionId === undefined) return undefined;
  const question = await questions.get(state.questionId);
  if (question === undefined || question.answer === null) return undefined;
  const { answer, ask } = question;
  if (answer.kind === "said") return EVENTS.task.answered.create({ text: answer.text, question: question.id }, { actor: USER });
  if (ask.kind !== "plan" || answer.kind !== "chosen") return EVENTS.task.resumed.create({ extra_steps: 0 }, { actor: USER });
  const words = answer.words ?? "";
  switch (answer.value) {
    case "approve":
      return EVENTS.task.resumed.create({ extra_steps: 0, plan: ask.plan }, { actor: USER });
    case "replace":
      return EVENTS.task.resumed.create({ extra_steps: 0, plan: words }, { actor: USER });
    default: {
      const text = answer.value === "reject" ? `This plan is rejected. ${words}`.trim() : words;
      return EVENTS.task.answered.create({ text, question: question.id }, { actor: USER });
    }
  }
}

/** The same for somebody who does not run it. */
export async function takeAnswer(engine: StepEngine, state: TaskState): Promise<TaskState> {
  const said = await answerOf(engine, state);
  if (said === undefined) return state;
  const { journal } = engine.store;
  const stream = STREAMS.task(state.created.id);
  await journal.append(stream, "any", [said]);
  return (await journal.get(taskView, stream)) as TaskState;
}

/** Nobody will look for these answers any more. */
export async function withdrawQuestions(questions: Pick<Questions, "list" | "withdraw">, id: string, reason: string): Promise<void> {
  for (const question of await questions.list(id)) if (question.status === "open") await questions.withdraw(question.id, reason, USER);
}

/** What a step asked is over with the step, whatever became of it; of a task that has ended, all of it is. */
export async function withdrawOvertaken({ questions }: Pick<StepEngine, "questions">, state: TaskState): Promise<void> {
  const isOver = standsAt("ended", state);
  if (state.pending !== undefined && !isOver) return;
  for (const { id, status } of await questions.list(state.created.id))
    if (status === "open" && (isOver || id !== state.questionId))
      await questions.withdraw(id, isOver ? "the task has ended" : "the task went on without it", SYSTEM.engine);
}
