import path from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { ManualClock } from "../../../test/support/manual-clock.ts";
import { tempDir } from "../../../test/support/temp.ts";
import { yieldToLoop } from "../../kernel/index.ts";
import type { Question, QuestionAnswer } from "../../protocol/index.ts";
import { STREAMS, agentActor, USER } from "../../protocol/events/index.ts";
import { sqliteDriver } from "../sqlite-driver.ts";
import { createQuestions, type NewQuestion, type Questions } from "./create-questions.ts";

const never = new AbortController().signal;
const once: QuestionAnswer = { kind: "chosen", value: "once" };
const deny: QuestionAnswer = { kind: "chosen", value: "deny" };
const permission: Question["ask"] = {
  kind: "permission",
  role: "engineer",
  act: "run make",
  line: "make",
  cwd: "/p",
  network: [],
  reason: "run make",
  offers: [[{ kind: "line", value: "make" }], [{ kind: "command", value: "make" }]],
};

const asked = (more: Partial<NewQuestion> = {}): NewQuestion => ({
  asker: { kind: "task", id: "task_1" },
  session: "default",
  key: "1/make",
  message: "run make?",
  ask: permission,
  by: agentActor("engineer"),
  ...more,
});

async function open(options: { file?: string; clock?: ManualClock; attended?: boolean } = {}) {
  const { file = path.join(tempDir(), "sylk.db"), clock = new ManualClock(), attended = true } = options;
  const store = await sqliteDriver.open({ path: file, clock, durability: "process" });
  onTestFinished(() => store.close());
  const redact = (text: string): string => text.replaceAll("hunter2", "[REDACTED]");
  const screen = (text: string): Promise<string> => Promise.resolve(text.replaceAll("hunter2", "[REDACTED]"));
  const questions = createQuestions({ journal: () => Promise.resolve(store.journal), clock, attended, redact, screen });
  return { questions, store, file, clock };
}

/** The question that is waited for: what waits sleeps until its patience ends. */
async function waitedFor(questions: Questions, clock: ManualClock): Promise<Question> {
  while (clock.sleeping === 0) await yieldToLoop();
  const [first] = (await questions.list()).filter(({ status }) => status === "open");
  if (first === undefined) throw new Error("nothing is asked");
  return first;
}

test("a question is asked once under its key, waits for any process, and the first answer counts", async () => {
  const { questions, file, clock, store } = await open();
  const other = await open({ file, clock });
  const waiting = questions.ask(asked(), never);
  const { id } = await waitedFor(questions, clock);
  expect((await other.questions.list()).map((question) => [question.id, question.status])).toEqual([[id, "open"]]);
  const answers = await Promise.all([other.questions.answer(id, once, USER), questions.answer(id, deny, USER)]);
  expect(answers.toSorted()).toEqual(["taken", "too_late"]);
  const taken = answers[0] === "taken" ? once : deny;
  expect(await waiting).toEqual(taken);
  // A process that takes the run up again finds the answer, and asks nothing.
  expect(await other.questions.ask(asked(), never)).toEqual(taken);
  expect((await store.journal.read(STREAMS.question("task_1", id))).map(({ type }) => type)).toEqual([
    "question.asked",
    "question.answered",
  ]);
  // What stands elsewhere is another question.
  expect((await questions.put(asked({ key: "2/make" }))).id).not.toBe(id);
});

test("nobody there: the question stays open, and no answer is neither yes nor no", async () => {
  const { questions } = await open({ attended: false });
  const error = await questions.ask(asked(), never).catch((thrown: unknown) => thrown);
  const [question] = await questions.list();
  expect(error).toMatchObject({
    code: "QUESTION_OPEN",
    details: { question: question?.id },
    fix: expect.stringContaining("sylk answer") as string,
  });
  expect(question).toMatchObject({ status: "open", answer: null });
  await questions.answer(question?.id ?? "", once, USER);
  expect(await questions.ask(asked(), never)).toEqual(once);
});

async function asleep(clock: ManualClock): Promise<void> {
  while (clock.sleeping === 0) await yieldToLoop();
}

test("a deadline by the store's clock ends it: with what counts instead, or without an answer, and then it is asked anew", async () => {
  const { questions, clock } = await open();
  const first = questions.ask(asked({ deadlineMs: 1_000, fallback: deny }), never);
  await asleep(clock);
  await clock.advance(999);
  expect(await questions.list()).toMatchObject([{ status: "open" }]);
  await clock.advance(1);
  expect(await first).toEqual(deny);
  expect(await questions.ask(asked({ deadlineMs: 1_000, fallback: deny }), never)).toEqual(deny);

  const bare = asked({ key: "bare", deadlineMs: 1_000 });
  const { id } = await questions.put(bare);
  await clock.advance(1_000);
  expect(await questions.answer(id, once, USER)).toBe("too_late");
  expect(await questions.get(id)).toMatchObject({ status: "expired", answer: null });
  const again = await questions.put(bare);
  expect(again.id).not.toBe(id);
  expect(again.status).toBe("open");
});

test("waiting stops with its signal and leaves the question open; withdrawn, it ends without an answer", async () => {
  const { questions, clock } = await open();
  const stop = new AbortController();
  const stopped = questions.ask(asked(), stop.signal);
  const { id } = await waitedFor(questions, clock);
  stop.abort(new Error("stopped"));
  await expect(stopped).rejects.toThrow("stopped");
  expect(await questions.get(id)).toMatchObject({ status: "open" });
  const waiting = questions.ask(asked(), never);
  await waitedFor(questions, clock);
  await questions.withdraw(id, "nobody needs it", USER);
  expect(await waiting).toBeUndefined();
  expect(await questions.answer(id, once, USER)).toBe("too_late");
});

test.each<[string, Question["ask"], QuestionAnswer]>([
  ["a choice that is not offered", permission, { kind: "chosen", value: "always" }],
  ["words where a choice is due", permission, { kind: "said", text: "yes" }],
  ["words a choice does not take", permission, { kind: "chosen", value: "once", words: "but quickly" }],
  ["a wider rule for everywhere", permission, { kind: "chosen", value: "user-2" }],
  ["no words", { kind: "text" }, { kind: "said", text: "  " }],
  ["an edit without words", { kind: "plan", plan: "1. all" }, { kind: "chosen", value: "edit" }],
  ["a secret in words", { kind: "secret", provider: "github" }, { kind: "said", text: "ghp" }],
  ["a secret nobody asked for", { kind: "text" }, { kind: "stored" }],
])("an answer that does not fit is refused and ends nothing: %s", async (_what, ask, answer) => {
  const { questions } = await open({ attended: false });
  const { id } = await questions.put(asked({ ask }));
  await expect(questions.answer(id, answer, USER)).rejects.toMatchObject({ code: "USAGE_ANSWER", tier: "user_fixable" });
  expect(await questions.get(id)).toMatchObject({ status: "open" });
  await expect(questions.answer("q_none", answer, USER)).rejects.toMatchObject({ code: "QUESTION_NOT_FOUND" });
});

test("what is said is screened before it is written", async () => {
  const { questions } = await open({ attended: false });
  const { id } = await questions.put(asked());
  await questions.answer(id, { kind: "chosen", value: "deny", words: "the password is hunter2" }, USER);
  expect(await questions.get(id)).toMatchObject({ answer: { kind: "chosen", value: "deny", words: "the password is [REDACTED]" } });
});

test("what is asked is redacted before it is written: the words, a plan, a change", async () => {
  const { questions, store } = await open({ attended: false });
  const diff: Question["ask"] = { kind: "diff", summary: ["hunter2"], text: "hunter2", diff: "+hunter2", parts: { one: "hunter2" } };
  await questions.put(asked({ message: "is it hunter2?", ask: { kind: "plan", plan: "1. log in with hunter2" } }));
  await questions.put(asked({ key: "2", ask: diff }));
  const written = await Promise.all((await questions.list()).map(({ asker, id }) => store.journal.read(STREAMS.question(asker.id, id))));
  expect(JSON.stringify(written)).not.toContain("hunter2");
  expect(JSON.stringify(written).match(/\[REDACTED\]/gu)).toHaveLength(6);
});

test("the questions of one asker are its own, not those of one whose name begins alike", async () => {
  const { questions } = await open({ attended: false });
  const { id } = await questions.put(asked());
  await questions.put(asked({ asker: { kind: "task", id: "task_10" } }));
  expect((await questions.list("task_1")).map((question) => question.id)).toEqual([id]);
});
