/** What a task asks is in the journal: it rests without an answer, and any process may give one. */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { openApp, type App } from "../support/lab.ts";
import { systemClock } from "../../src/kernel/index.ts";
import type { Question } from "../../src/protocol/index.ts";
import { NO_SANDBOX } from "../support/sandboxed.ts";
import { answering, choose } from "../support/answering.ts";
import { privateOf, script, scriptedProject, type ScriptedCall, type ScriptedProject } from "../support/scripted-project.ts";

const never = new AbortController().signal;
const run = (command: string, credentials?: string[]): ScriptedCall => ({
  name: "run_command",
  input: { command, ...(credentials === undefined ? {} : { credentials }) },
});
const done = { name: "complete", input: { summary: "done" } };
const printed = run("printenv NOTHING >> ran.txt; echo x >> ran.txt");

const start = (app: App, project: ScriptedProject): Promise<string> =>
  app.tasks.start({
    goal: "try things",
    type: "implement_feature",
    role: "engineer",
    criteria: [],
    constraints: [],
    checks: [],
    model: project.rules,
    profile: "minimal",
    maxSteps: 12,
    discoverChecks: false,
  });

async function opened(project: ScriptedProject, options: { attended?: boolean; env?: Record<string, string> } = {}) {
  const app = await openApp({
    cwd: project.dir,
    env: { ...project.env, ...options.env },
    clock: systemClock,
    attended: options.attended ?? false,
  });
  return Object.assign(app, { [Symbol.asyncDispose]: () => app.close() });
}

const quietly = (app: App, id: string) => app.tasks.run(id, () => undefined, never);
const lines = ({ dir }: ScriptedProject): number =>
  existsSync(path.join(dir, "ran.txt")) ? readFileSync(path.join(dir, "ran.txt"), "utf8").trim().split("\n").length : 0;

test("nobody there: the task rests with its question, another process answers, and it goes on with the same act, once", async () => {
  const project = scriptedProject({ "a.txt": "a" }, script([printed, done]));
  await using first = await opened(project);
  const id = await start(first, project);
  const rested = await quietly(first, id);
  expect(rested).toMatchObject({ status: "escalated", why: "waits_for_answer" });
  expect(lines(project)).toBe(0);
  await using other = await opened(project);
  const [question] = await other.questions.list({ ended: false });
  expect(question).toMatchObject({ id: rested.question_id, asker: { kind: "task", id }, status: "open", ask: { kind: "permission" } });
  // Taken up without an answer it asks the same question, and still does nothing.
  await first.tasks.reopen(id, { extraSteps: 0 });
  expect(await quietly(first, id)).toMatchObject({ why: "waits_for_answer", question_id: question?.id });
  expect(lines(project)).toBe(0);
  await other.questions.answer(question?.id ?? "", choose("once"), never);
  expect(await quietly(first, id)).toMatchObject({ status: "complete" });
  expect(lines(project)).toBe(1);
  expect(await other.questions.list({ ended: false })).toEqual([]);
  await expect(other.questions.answer(question?.id ?? "", choose("deny"), never)).rejects.toMatchObject({
    code: "QUESTION_ENDED",
    message: expect.stringContaining("answered at") as string,
  });
});

async function firstOpen(app: App): Promise<Question> {
  for await (const _ of app.api.events({ stream: "question/" }, 0, never)) {
    const [open] = await app.questions.list({ ended: false });
    if (open !== undefined) return open;
  }
  throw new Error("nothing was asked");
}

test("stopped at its question, a task is told as waiting for it, and taken up again asks the same one", async () => {
  const project = scriptedProject({ "a.txt": "a" }, script([printed, done]));
  let asked: string;
  let id: string;
  {
    await using first = await opened(project, { attended: true });
    id = await start(first, project);
    const stop = new AbortController();
    const running = first.tasks.run(id, () => undefined, stop.signal).catch((error: unknown) => error);
    asked = (await firstOpen(first)).id;
    stop.abort();
    await running;
  }
  await using other = await opened(project);
  const waits = { status: "interrupted", question_id: asked, question: expect.stringContaining("printenv") as string };
  expect(await other.tasks.show(id)).toMatchObject(waits);
  expect(await other.tasks.list()).toMatchObject([waits]);
  await other.tasks.reopen(id, { extraSteps: 0 });
  expect(await quietly(other, id)).toMatchObject({ why: "waits_for_answer", question_id: asked });
  expect(await other.questions.list({ ended: true })).toHaveLength(1);
});

test("a refusal with words reaches the model, and holds for the run in another process too", async () => {
  const again = run("printenv NOTHING >> printed.txt");
  const project = scriptedProject({ "a.txt": "a" }, script([again, { name: "ask_user", input: { question: "and now?" } }, again, done]));
  await using first = await opened(project);
  const id = await start(first, project);
  const { question_id: question = "" } = await quietly(first, id);
  await first.questions.answer(question, choose("deny", "nothing is to be printed"), never);
  const asks = await quietly(first, id);
  expect(asks).toMatchObject({ status: "escalated", why: "agent_asks", question: "and now?" });
  expect((await first.tasks.context(id, 2)).user).toContain("nothing is to be printed");
  await using other = await opened(project);
  await other.questions.answer(asks.question_id ?? "", { kind: "said", text: "go on" }, never);
  // The third step asks for what was refused: it is refused at once.
  expect(await quietly(other, id)).toMatchObject({ status: "complete" });
  expect((await other.tasks.context(id, 3)).user).toContain("- go on");
  expect((await other.tasks.context(id, 4)).user).toContain("refused earlier in this session");
});

test("allowed for the run, it stays allowed when another process takes the run up", async () => {
  const again = run("printenv NOTHING >> printed.txt");
  const project = scriptedProject({ "a.txt": "a" }, script([again, { name: "ask_user", input: { question: "and now?" } }, again, done]));
  await using first = await opened(project);
  const id = await start(first, project);
  await first.questions.answer((await quietly(first, id)).question_id ?? "", choose("session"), never);
  const asks = await quietly(first, id);
  await using other = await opened(project);
  await other.tasks.answer(id, "go on");
  expect(await quietly(other, id)).toMatchObject({ status: "complete" });
  expect((await other.questions.list({ ended: true })).map(({ ask, status }) => [ask.kind, status])).toEqual([
    ["permission", "answered"],
    ["text", "answered"],
  ]);
  await expect(other.questions.answer(asks.question_id ?? "", { kind: "said", text: "no" }, never)).rejects.toMatchObject({
    code: "QUESTION_ENDED",
  });
});

test("somebody is there: an answer from elsewhere ends the waiting and the run goes on", async () => {
  const project = scriptedProject({ "a.txt": "a" }, script([printed, done]));
  await using app = await opened(project, { attended: true });
  await using other = await opened(project);
  // Who is there looks and says nothing; the other process is quicker.
  await using _ = answering(
    app.questions,
    () => Promise.resolve(),
    ({ id }) => void other.questions.answer(id, choose("once"), never),
  );
  expect(await quietly(app, await start(app, project))).toMatchObject({ status: "complete" });
  expect(lines(project)).toBe(1);
});

test("~CRE-016: nobody there: the use of an account rests too, and is neither granted nor refused", async () => {
  const project = scriptedProject({ "a.txt": "a" }, script([run("touch one", ["github"]), done]));
  await using app = await opened(project, { env: { GITHUB_TOKEN: "tok-5f2b7c9d1e3a4b6c8d0e" } });
  const id = await start(app, project);
  const rested = await quietly(app, id);
  expect(rested).toMatchObject({ why: "waits_for_answer", question: "engineer wants to use your github account (touch one)" });
  await app.questions.answer(rested.question_id ?? "", choose("session"), never);
  // The account is granted; the very line that would hold its key is a question of its own.
  const line = await quietly(app, id);
  expect(line).toMatchObject({ why: "waits_for_answer", question: expect.stringContaining("touch one with your GITHUB_TOKEN") });
  expect(existsSync(path.join(project.dir, "one"))).toBe(false);
  await app.questions.answer(line.question_id ?? "", choose("once"), never);
  expect(await quietly(app, id)).toMatchObject({ status: "complete" });
  expect(existsSync(path.join(project.dir, "one"))).toBe(true);
});

test("a secret that is missing is asked for; it goes to the credential store and never to the journal", async () => {
  const value = "tok-7a1c9e3b5d2f4068ace1";
  const print = run('echo "length:${#OPENAI_API_KEY}" > length.txt', ["openai"]);
  const project = scriptedProject({ "a.txt": "a" }, script([print, print, done]));
  await using app = await opened(project, { env: { SYLK_CREDENTIAL_PASSPHRASE: "a pass phrase", OPENAI_BASE_URL: "http://127.0.0.1:9" } });
  const id = await start(app, project);
  const rested = await quietly(app, id);
  expect((await app.questions.find(rested.question_id ?? "")).ask).toEqual({ kind: "secret", provider: "openai" });
  const answered = await app.questions.answer(rested.question_id ?? "", { kind: "secret", value }, never);
  expect(answered.answer).toEqual({ kind: "stored" });
  const next = await quietly(app, id);
  if (next.why === "waits_for_answer") await app.questions.answer(next.question_id ?? "", choose("session"), never);
  await quietly(app, id);
  expect(readFileSync(path.join(project.dir, "length.txt"), "utf8").trim()).toBe(`length:${value.length}`);
  const files = readdirSync(privateOf(project), { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  const disk = files.map((entry) => readFileSync(path.join(entry.parentPath, entry.name), "latin1")).join("\n");
  expect(disk).not.toContain(value);
});

test("a cancelled task withdraws what it asked; one that goes on without an answer too", async () => {
  const asks = { name: "ask_user", input: { question: "which one?" } };
  const project = scriptedProject({ "a.txt": "a" }, script([asks, asks, asks]));
  await using app = await opened(project);
  const id = await start(app, project);
  await quietly(app, id);
  await app.tasks.reopen(id, { extraSteps: 0 });
  const second = await quietly(app, id);
  await app.tasks.cancel(id, "enough");
  expect((await app.questions.list({ ended: true })).map(({ status }) => status)).toEqual(["withdrawn", "withdrawn"]);
  await expect(app.questions.answer(second.question_id ?? "", { kind: "said", text: "this" }, never)).rejects.toMatchObject({
    code: "QUESTION_ENDED",
    message: expect.stringContaining("withdrawn") as string,
  });
});

test.skipIf(NO_SANDBOX !== undefined)(
  "nobody there: a command that can be done without is refused in words and the work goes on; sent again it rests for the person",
  async () => {
    const extra = run("printenv NOTHING");
    const project = scriptedProject({ "a.txt": "a" }, script([extra, run("ls"), extra, done]));
    await using app = await opened(project);
    const id = await start(app, project);
    const rested = await quietly(app, id);
    const said = rested.steps.map(({ actions }) => actions.join());
    expect(said[0]).toContain("nobody is there. Go on without it; sent again, the work rests until the person answers");
    expect(said[1]).toContain("exited with 0");
    expect(rested).toMatchObject({ status: "escalated", why: "waits_for_answer" });
    // Taken up by another process it is still the question, and its answer counts.
    await using other = await opened(project);
    const [question] = await other.questions.list({ ended: false });
    expect(question).toMatchObject({ id: rested.question_id, ask: { kind: "permission", line: "printenv NOTHING" } });
    await other.questions.answer(question?.id ?? "", choose("once"), never);
    expect(await quietly(other, id)).toMatchObject({ status: "complete" });
  },
);

test.skipIf(NO_SANDBOX !== undefined)("somebody there: the same command is asked about at once", async () => {
  const project = scriptedProject({ "a.txt": "a" }, script([run("printenv NOTHING"), done]));
  await using app = await opened(project, { attended: true });
  const id = await start(app, project);
  const over = quietly(app, id);
  const open = await firstOpen(app);
  await app.questions.answer(open.id, choose("deny"), never);
  expect((await over).steps[0]?.actions.join()).toContain("the user refused");
});
