/** The provider goes away in the middle of a request and comes back: over a real socket, with real trees and tests. */
import { expect, onTestFinished, test, vi } from "vitest";
import { systemClock } from "../../../src/kernel/index.ts";
import { openApp, type App } from "../../support/lab.ts";
import { gitIn } from "../../support/knowledge-project.ts";
import { filesOf } from "../../support/scripted-project.ts";
import { FILES, planOf, simplePiece, teamProject } from "../../support/team-project.ts";
import { answerByRules, useWire } from "../../support/team-over-wire.ts";
import { startWireServer, type WireServer } from "../../support/wire-server/wire-server.ts";

// Whole requests with real trees and tests: a busy machine needs its time.
vi.setConfig({ testTimeout: 120_000 });

const never = new AbortController().signal;

/** So much is answered before the line is dead: the plan, and the first tests of the pieces. */
const ANSWERED_BEFORE = 4;

interface Fallible {
  app: App;
  id: string;
  dir: string;
  /** Since when, and how it fails, is the test's to say. */
  come: () => Promise<void>;
}

/** First the server says 503, then nobody listens at its address any more; `come`: it is there again. */
async function fallible(modelTimeout: string): Promise<Fallible> {
  const pieces = [simplePiece("loud"), simplePiece("calm")];
  const project = teamProject(planOf(pieces), pieces);
  const answers = answerByRules(project);
  let [said, refused, server]: [number, number, WireServer | undefined] = [0, 0, undefined];
  server = await startWireServer((request) => {
    if (said < ANSWERED_BEFORE) {
      said += 1;
      return answers(request);
    }
    refused += 1;
    if (refused === 3) void server?.[Symbol.asyncDispose]();
    return { status: 503, message: "down for a while" };
  });
  const { url } = server;
  const model = useWire(project, url, {
    retry: { external_degrading: { max_attempts: 2, initial_delay: "50ms" } },
    breaker: { cooldown_duration: "1s" },
  });
  const app = await openApp({ cwd: project.dir, env: { ...project.env, SYLK_TEAM_MODEL_TIMEOUT: modelTimeout }, clock: systemClock });
  onTestFinished(() => app.close());
  const { id } = await app.api.send({ type: "request.start", options: project.options({ model }) });
  return {
    app,
    id,
    dir: project.dir,
    async come() {
      const back = await startWireServer(answers, Number(new URL(url).port));
      onTestFinished(() => back[Symbol.asyncDispose]());
    },
  };
}

type Told = { type: string; payload: Record<string, unknown> };

async function eventsOf({ app }: Fallible, types: string[]): Promise<Told[]> {
  const { position: until } = await app.api.query({ type: "journal.head" });
  const found: Told[] = [];
  for await (const { type, payload } of app.api.events({ types, until }, 0, never))
    found.push({ type, payload: payload as Told["payload"] });
  return found;
}

/** Both pieces are merged whole; no step, no write and no merge happened a second time. */
async function nothingTwice(at: Fallible): Promise<void> {
  expect(filesOf(at.dir)).toEqual({
    ...FILES,
    ...simplePiece("loud").visible,
    ...simplePiece("calm").visible,
    ...simplePiece("loud").builds[0],
    ...simplePiece("calm").builds[0],
  });
  expect(gitIn(at.dir, "branch", "--list", "sylk/*")).toBe("");
  const acted = (await eventsOf(at, ["task.acted"])).flatMap(({ payload }) =>
    payload["action"] === "write_file" ? [String(payload["target"])] : [],
  );
  expect(acted.toSorted()).toEqual(["src/calm.js", "src/loud.js", "test/calm.test.js", "test/loud.test.js"]);
  const { work } = await at.app.api.query({ type: "request.show", id: at.id });
  expect(work.map(({ state }) => state)).toEqual(["merged", "merged"]);
  expect(await eventsOf(at, ["pipeline.merged"])).toHaveLength(2);
  expect(await at.app.journal.verify()).toMatchObject({ valid: true });
}

test("a provider that is gone for a while holds a request up and no more: it waits, goes on by itself, and nothing is done twice", async () => {
  const at = await fallible("5m");
  const ending = at.app.api.send({ type: "request.run", id: at.id });
  for await (const { payload } of at.app.api.events({ types: ["task.decided"] }, 0, never))
    if ((payload as Told["payload"])["code"] === "MODEL_UNREACHABLE") break;
  await at.come();
  const end = await ending;
  expect([end.status, end.questions]).toEqual(["done", []]);
  await nothingTwice(at);
});

test("a provider that stays away is a question to the user that names it; back again, what was built before goes on", async () => {
  const at = await fallible("3s");
  const waiting = await at.app.api.send({ type: "request.run", id: at.id });
  expect(waiting.status).toBe("needs_you");
  expect(waiting.questions.map(({ text }) => text)).toEqual([
    expect.stringMatching(/^n1 loud: wire/u),
    expect.stringMatching(/^n2 calm: wire/u),
  ]);
  expect(filesOf(at.dir)).toEqual(FILES);
  await at.come();
  for (const { id } of waiting.questions)
    await at.app.api.send({ type: "question.answer", id, answer: { kind: "chosen", value: "retry" } });
  const end = await at.app.api.send({ type: "request.run", id: at.id });
  expect([end.status, end.questions]).toEqual(["done", []]);
  await nothingTwice(at);
});

test.each([
  ["refuses the key", () => ({ status: 401, message: "no such key" }), /wire\/m: no such key.*check the provider's API key/u],
  ["has no credit left", () => ({ status: 402, message: "nothing left" }), /nothing left.*add credit/u],
])(
  "a provider that %s is told as that, at the first reading and without asking it again and again; mended, it goes on",
  async (_what, says, told) => {
    const pieces = [simplePiece("loud")];
    const project = teamProject(planOf(pieces), pieces);
    const answers = answerByRules(project);
    let [refuses, asked] = [true, 0];
    await using server = await startWireServer((request) => {
      asked += 1;
      return refuses ? says() : answers(request);
    });
    const model = useWire(project, server.url);
    const app = await openApp({ cwd: project.dir, env: project.env, clock: systemClock });
    onTestFinished(() => app.close());
    const { id } = await app.api.send({ type: "request.start", options: project.options({ model, mode: "auto" }) });
    const first = await app.api.send({ type: "request.run", id });
    expect([first.status, first.questions]).toEqual([
      "needs_you",
      [expect.objectContaining({ text: expect.stringMatching(told) as string })],
    ]);
    expect(asked).toBe(1);
    refuses = false;
    await app.api.send({ type: "question.answer", id: first.questions[0]?.id ?? "", answer: { kind: "chosen", value: "again" } });
    expect((await app.api.send({ type: "request.run", id })).status).toBe("done");
  },
);

test("a key that is refused while it is built is asked about at once", async () => {
  const pieces = [simplePiece("loud")];
  const project = teamProject(planOf(pieces), pieces);
  const answers = answerByRules(project);
  let [answered, refused] = [0, 0];
  await using server = await startWireServer((request) => {
    if (answered < 2) {
      answered += 1;
      return answers(request);
    }
    refused += 1;
    return { status: 401, message: "no such key" };
  });
  const model = useWire(project, server.url);
  const app = await openApp({ cwd: project.dir, env: project.env, clock: systemClock });
  onTestFinished(() => app.close());
  const { id } = await app.api.send({ type: "request.start", options: project.options({ model }) });
  const end = await app.api.send({ type: "request.run", id });
  expect([end.status, end.questions.map(({ text }) => text), refused]).toEqual(["needs_you", [expect.stringContaining("no such key")], 1]);
});
