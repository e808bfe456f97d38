/** What every way to the Api promises: in process, over HTTP, and whatever comes later. */
import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { expect, onTestFinished, test } from "vitest";
import type { Api, LivePart, Input } from "../../src/protocol/api/index.ts";
import type { WireEvent } from "../../src/protocol/index.ts";
import { openQuestions } from "../../src/surface/follow-questions.ts";
import { runTask, watchTask } from "../../src/surface/follow-task.ts";
import { script, scriptedProject, type ScriptedProject } from "../support/scripted-project.ts";

export interface Way {
  name: string;
  open(project: ScriptedProject): Promise<{ api: Api; close(): Promise<void> }>;
}

const never = new AbortController().signal;

const STEPS = [
  { name: "read_file", input: { path: "n.txt" } },
  { name: "edit_file", input: { path: "n.txt", find: "1", replace: "2" } },
  { name: "run_command", input: { command: "cat n.txt" } },
  { name: "complete", input: { summary: "done" } },
];

const START = {
  goal: "n.txt holds 2",
  type: "implement_feature",
  role: "engineer",
  criteria: ["n.txt holds 2"],
  constraints: [],
  checks: ["grep -q 2 n.txt"],
  profile: "minimal",
};

async function opened(way: Way, steps: Parameters<typeof script>[0] = STEPS, env: Record<string, string> = {}) {
  const project = scriptedProject({ "n.txt": "1\n" }, script(steps));
  Object.assign(project.env, env);
  const made = await way.open(project);
  onTestFinished(() => made.close());
  const { api } = made;
  return { project, api };
}

const start = async (api: Api, project: ScriptedProject, more: { worktree?: boolean } = {}): Promise<string> =>
  (await api.send({ type: "task.start", options: { ...START, ...more, model: project.rules } })).id;

async function everything(api: Api): Promise<WireEvent[]> {
  const { position } = await api.query({ type: "journal.head" });
  return Array.fromAsync(api.events({ until: position }, 0, never));
}

/** What differs from run to run: ids, times, folders, counts of tokens that hold an id. */
function alike(events: readonly WireEvent[], project: ScriptedProject): unknown[] {
  const names = new Map<string, string>();
  const stable = (text: string): string =>
    text
      .replaceAll(project.base, "BASE")
      .replaceAll(
        /\b([a-z]+)_[0-9a-z]{20,}\b/g,
        (id, kind: string) => names.get(id) ?? (names.set(id, `${kind}#${names.size}`), names.get(id)) ?? "",
      )
      .replaceAll(
        /"(at|elapsed|tokens|input|latency_ms|queued_ms|started_at|duration_ms|first_token_ms|call_id)":("[^"]*"|[\d.]+)/g,
        '"$1":0',
      )
      .replaceAll(/sha256:[0-9a-f]{64}/g, "BLOB");
  return events.map(({ stream, type, actor, seq, payload }) => stable(JSON.stringify({ stream, type, actor, seq, payload })));
}

/** The whole way of two tasks, one in its own tree; the events it leaves. */
export async function scenario(way: Way): Promise<unknown[]> {
  const { project, api } = await opened(way);
  const first = await start(api, project);
  await runTask(api, { id: first }, () => undefined, never);
  await api.send({ type: "task.undo", id: first, dry_run: false, force: false });
  const second = await start(api, project);
  await api.send({ type: "task.pause", id: second });
  await runTask(api, { id: second }, () => undefined, never);
  await api.send({ type: "task.reopen", id: second, extra_steps: 2 });
  await api.send({ type: "task.cancel", id: second, reason: "enough" });
  return alike(await everything(api), project);
}

export function apiContract(way: Way): void {
  test(`${way.name}: what a run asks is told by its events and answered; unattended it rests, and a secret reaches no event`, async () => {
    const value = "tok-7a1c9e3b5d2f4068ace1";
    const steps = ["echo 2 > n.txt", "echo ${#OPENAI_API_KEY} > length.txt"].map((command, index) => ({
      name: "run_command",
      input: { command: `printenv NOTHING; ${command}`, ...(index === 0 ? {} : { credentials: ["openai"] }) },
    }));
    const all = [...steps, { name: "complete", input: { summary: "done" } }];
    const { project, api } = await opened(way, all, { SYLK_CREDENTIAL_PASSPHRASE: "a pass phrase", OPENAI_BASE_URL: "http://127.0.0.1:9" });
    const id = await start(api, project);
    const rested = await api.send({ type: "task.run", id });
    expect(rested).toMatchObject({ status: "escalated", why: "waits_for_answer" });
    const [open] = await api.query({ type: "question.list", ended: false, asker: id });
    expect(open).toMatchObject({ id: rested.question_id, status: "open", ask: { kind: "permission" } });
    expect(await api.query({ type: "question.show", id: (rested.question_id ?? "").slice(-8) })).toEqual(open);
    await expect(api.send({ type: "question.answer", id: open?.id ?? "", answer: { kind: "said", text: "yes" } })).rejects.toMatchObject({
      code: "USAGE_ANSWER",
    });

    const stop = new AbortController();
    const kinds: string[] = [];
    const person = (async () => {
      const seen = new Set<string>();
      for await (const questions of openQuestions(api, id, stop.signal))
        for (const { id: question, ask } of questions.filter((one) => !seen.has(one.id) && one.ask.kind !== "text")) {
          seen.add(question);
          kinds.push(ask.kind);
          const answer: Input<"question.answer">["answer"] =
            ask.kind === "secret" ? { kind: "secret", value } : { kind: "chosen", value: ask.kind === "choice" ? "session" : "once" };
          await api.send({ type: "question.answer", id: question, answer });
        }
    })().catch((error: unknown) => {
      if (!stop.signal.aborted) throw error;
    });
    await api.send({ type: "task.reopen", id, extra_steps: 0 });
    expect(await api.send({ type: "task.run", id, attended: true })).not.toMatchObject({ why: "waits_for_answer" });
    stop.abort();
    await person;
    expect(kinds).toContain("secret");
    expect(kinds.filter((kind) => kind === "permission")).toHaveLength(2);
    const told = JSON.stringify(await everything(api));
    expect(told).toContain('{"kind":"stored"}');
    expect(told).not.toContain(value);
  });

  test(`${way.name}: a task is started, run, shown, and taken back`, async () => {
    const { project, api } = await opened(way);
    const id = await start(api, project);
    const lines: string[] = [];
    const end = await runTask(api, { id }, (line) => lines.push(line.type), never);
    expect(end).toMatchObject({ id, status: "complete", verified: true, changed_files: ["n.txt"] });
    expect(await api.query({ type: "task.show", id })).toEqual(end);
    expect([lines[0], lines.at(-1)]).toEqual(["task", "outcome"]);
    expect(lines.filter((type) => type === "step")).toHaveLength(4);
    expect(await api.query({ type: "task.resolve", id: "last" })).toEqual({ id });
    expect((await api.query({ type: "task.diff", id })).text).toContain("-1\n+2");
    const watched = await Array.fromAsync(watchTask(api, id, never), (line) => line.type);
    expect(watched.filter((type) => type === "step")).toHaveLength(4);
    expect(await api.send({ type: "task.undo", id, dry_run: false, force: false })).toMatchObject({ kind: "undone", files: ["n.txt"] });
    expect(readFileSync(path.join(project.dir, "n.txt"), "utf8")).toBe("1\n");
  });

  test(`${way.name}: what is wrong is refused by name, with what to do`, async () => {
    const { api } = await opened(way);
    const odd = api as unknown as { send(c: unknown): Promise<unknown>; query(q: unknown): Promise<unknown> };
    await expect(odd.send({ type: "task.strat" })).rejects.toMatchObject({ code: "API_UNKNOWN_TYPE", fix: "did you mean task.start?" });
    await expect(odd.query({ type: "toString" })).rejects.toMatchObject({ code: "API_UNKNOWN_TYPE" });
    await expect(odd.query({ type: "task.show" })).rejects.toMatchObject({
      code: "API_BAD_INPUT",
      message: expect.stringContaining("id is missing"),
    });
    await expect(odd.query({ type: "task.show", id: "x", more: 1 })).rejects.toMatchObject({ code: "API_BAD_INPUT" });
    await expect(api.query({ type: "task.show", id: "task_nobody" })).rejects.toMatchObject({
      code: "TASK_NOT_FOUND",
      tier: "user_fixable",
      fix: "`sylk task list` shows them",
    });
    await expect(Array.fromAsync(api.events({ stream: 1 } as never, 0, never))).rejects.toMatchObject({ code: "API_BAD_INPUT" });
  });

  test(`${way.name}: events go on from any position, in order and without a gap, and end where they are told to`, async () => {
    const { project, api } = await opened(way);
    const id = await start(api, project);
    await runTask(api, { id }, () => undefined, never);
    const all = await everything(api);
    expect(all.map(({ position }) => position)).toEqual(all.map((_, index) => index + 1));
    const middle = all[Math.floor(all.length / 2)]?.position ?? 0;
    const { position } = await api.query({ type: "journal.head" });
    expect(await Array.fromAsync(api.events({ until: position }, middle, never))).toEqual(all.slice(middle));
    const steps = await Array.fromAsync(api.events({ stream: `task/${id}`, types: ["task.stepped"], until: position }, 0, never));
    expect(steps).toEqual(all.filter(({ type }) => type === "task.stepped"));
    // What is not there yet comes when it happens.
    const stop = new AbortController();
    const next = (async () => {
      for await (const event of api.events({ stream: "task/" }, position, stop.signal)) return event;
      return undefined;
    })();
    await start(api, project);
    expect(await next).toMatchObject({ type: "task.created" });
    stop.abort();
  });

  test(`${way.name}: aborting stops the run, which can be taken up again`, async () => {
    const { project, api } = await opened(way);
    const checks = ["sh -c 'while :; do echo begun; sleep 0.05; done'"];
    const { id } = await api.send({ type: "task.start", options: { ...START, checks, model: project.rules } });
    const stop = new AbortController();
    const live = api.live({ task: id }, stop.signal);
    const heard = (async () => {
      for await (const part of live) if (part.type === "output") return part;
      return undefined;
    })();
    const running = api.send({ type: "task.run", id }, stop.signal);
    running.catch(() => undefined);
    expect(await heard).toEqual({ type: "output", task: id, stream: "stdout", text: "begun" });
    expect(await api.query({ type: "task.show", id })).toMatchObject({ status: "running" });
    stop.abort(new Error("enough"));
    await expect(running).rejects.toThrow("enough");
    // It ends when nobody runs it any more.
    await Array.fromAsync(api.events({ stream: `task/${id}`, until: "rest" }, 0, never));
    expect(await api.query({ type: "task.show", id })).toMatchObject({ status: "interrupted" });
  });

  test(`${way.name}: what a model says, what it costs and what commands say is heard while it happens`, async () => {
    const { project, api } = await opened(way);
    // Its first check goes on until it was heard, so that nothing after it is missed.
    const checks = ["sh -c 'until test -f go; do echo waiting; sleep 0.05; done; grep -q 2 n.txt'"];
    const { id } = await api.send({ type: "task.start", options: { ...START, checks, model: project.rules } });
    const stop = new AbortController();
    const heard: LivePart[] = [];
    const live = api.live({ task: id }, stop.signal);
    const listening = (async () => {
      for await (const part of live) {
        heard.push(part);
        if (part.type === "output") writeFileSync(path.join(project.dir, "go"), "");
        if (part.type === "cost" && part.calls === STEPS.length) stop.abort();
      }
    })();
    const end = await runTask(api, { id }, () => undefined, never);
    await listening;
    const types = new Set(heard.map(({ type }) => type));
    expect([...types].toSorted()).toEqual(["asking", "command", "cost", "output", "text"]);
    expect(heard.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("")).toBe("step 1step 2step 3step 4");
    expect(heard.findLast((part) => part.type === "cost")).toMatchObject({ calls: end.usage.calls, input: end.usage.input });
    // Nothing of it is in the journal.
    expect(JSON.stringify(await everything(api))).not.toContain('"type":"text"');
  });
}
