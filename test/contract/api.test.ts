import { randomInt } from "node:crypto";
/** The Api in process and over HTTP: the same promises, the same events; and what HTTP alone must withstand. */
import { request } from "node:http";
import { expect, onTestFinished, test } from "vitest";
import { openApp } from "../../src/app/index.ts";
import { systemClock } from "../../src/kernel/index.ts";
import type { Api } from "../../src/protocol/api/index.ts";
import { connectApi, serveApi } from "../../src/surface/http/index.ts";
import { script, scriptedProject, type ScriptedProject } from "../support/scripted-project.ts";
import { apiContract, scenario, type Way } from "./api-contract.ts";

const never = new AbortController().signal;

const inProcess: Way = {
  name: "in process",
  async open({ dir, env }) {
    const app = await openApp({ cwd: dir, env, clock: systemClock });
    return { api: app.api, close: () => app.close() };
  },
};

async function serve({ dir, env }: Pick<ScriptedProject, "dir" | "env">, port = 0) {
  const app = await openApp({ cwd: dir, env, clock: systemClock });
  const { token } = app.serverToken("api");
  const server = await serveApi(app.api, { port, token, clock: systemClock });
  const close = async (): Promise<void> => {
    await server[Symbol.asyncDispose]();
    await app.close();
  };
  return { app, token, url: server.url, api: connectApi({ url: server.url, token, clock: systemClock }), close };
}

const overHttp: Way = { name: "over HTTP", open: (project) => serve(project) };

apiContract(inProcess);
apiContract(overHttp);

test("the same scenario gives the same events in process and over HTTP", async () => {
  const here = await scenario(inProcess);
  expect(here.length).toBeGreaterThan(30);
  expect(await scenario(overHttp)).toEqual(here);
});

async function served() {
  const project = scriptedProject({ "n.txt": "1\n" }, script([{ name: "complete", input: { summary: "done" } }]));
  const server = await serve(project);
  onTestFinished(server.close);
  return { project, ...server };
}

test("over HTTP: a wrong token, a foreign origin, a foreign name and an unknown way are refused", async () => {
  const { url, token } = await served();
  const post = async (path: string, headers: Record<string, string>, body = '{"type":"task.list"}') => {
    const response = await fetch(`${url}${path}`, { method: "POST", body, headers });
    return { status: response.status, code: ((await response.json()) as { error?: { code: string } }).error?.code };
  };
  const right = { authorization: `Bearer ${token}` };
  expect(await post("/query", right)).toEqual({ status: 200, code: undefined });
  expect(await post("/query", {})).toEqual({ status: 401, code: "API_REFUSED" });
  expect(await post("/query", { authorization: `Bearer ${"x".repeat(43)}` })).toEqual({ status: 401, code: "API_REFUSED" });
  expect(await post("/query", { ...right, origin: "http://evil.example" })).toEqual({ status: 403, code: "API_REFUSED" });
  expect(await post("/nowhere", right)).toEqual({ status: 404, code: "API_UNKNOWN_TYPE" });
  expect(await post("/query", right, "{")).toEqual({ status: 400, code: "API_BAD_INPUT" });
  expect(await post("/query", right, "[1]")).toEqual({ status: 400, code: "API_BAD_INPUT" });
  expect(await post("/query", right, '{"type":"task.lost"}')).toEqual({ status: 404, code: "API_UNKNOWN_TYPE" });
  expect(await post("/query", right, '{"type":"task.show","id":7}')).toEqual({ status: 400, code: "API_BAD_INPUT" });
  expect(await post("/send", right, '{"type":"task.pause","id":"task_none"}')).toEqual({ status: 422, code: "TASK_NOT_FOUND" });
  await expect(connectApi({ url, token: "wrong", clock: systemClock }).query({ type: "task.list" })).rejects.toMatchObject({
    code: "API_REFUSED",
  });
});

test("over HTTP: a body that is too large is refused, told or not, and the server goes on", async () => {
  const { url, token, api } = await served();
  const send = (chunked: boolean): Promise<number> =>
    new Promise((resolve, reject) => {
      const length = 40 * 1024 * 1024;
      const headers = { authorization: `Bearer ${token}`, ...(chunked ? {} : { "content-length": length }) };
      const made = request(`${url}/send`, { method: "POST", headers }, (response) => {
        resolve(response.statusCode ?? 0);
        made.destroy();
      });
      made.on("error", reject);
      if (chunked) made.end(Buffer.alloc(length, "x"));
      else made.write("{");
    });
  expect([await send(false), await send(true)]).toEqual([413, 413]);
  expect(await api.query({ type: "task.list" })).toEqual([]);
});

test("over HTTP: a client that goes away stops what it asked for", async () => {
  const { url, token, app, project } = await served();
  const checks = ["sh -c 'while :; do echo begun; sleep 0.05; done'"];
  const options = {
    goal: "wait",
    type: "implement_feature",
    role: "engineer",
    criteria: [],
    constraints: [],
    checks,
    model: project.rules,
    profile: "minimal",
  };
  const { id } = await app.api.send({ type: "task.start", options });
  const body = JSON.stringify({ type: "task.run", id });
  const made = request(`${url}/send`, { method: "POST", headers: { authorization: `Bearer ${token}` } });
  made.on("error", () => undefined);
  made.end(body);
  for await (const part of app.api.live({ task: id }, never)) if (part.type === "output") break;
  made.destroy();
  await Array.fromAsync(app.api.events({ stream: `task/${id}`, until: "rest" }, 0, never));
  expect(await app.api.query({ type: "task.show", id })).toMatchObject({ status: "interrupted" });
});

test("over HTTP: whoever reads slowly loses live parts, is told how many, and holds nobody up", async () => {
  const { url, token, app, api, project } = await served();
  // A reader that never reads.
  const made = request(`${url}/live`, { headers: { authorization: `Bearer ${token}` } });
  const stuck = new Promise<void>((resolve) => made.on("response", (response) => resolve(void response.pause())));
  made.on("error", () => undefined);
  made.end();
  await stuck;
  const text = "x".repeat(100);
  const checks = [`sh -c 'i=0; while [ $i -lt 20000 ]; do echo ${text}$i; i=$((i+1)); done'`];
  const options = {
    goal: "wait",
    type: "implement_feature",
    role: "engineer",
    criteria: [],
    constraints: [],
    checks,
    model: project.rules,
    profile: "minimal",
  };
  const { id } = await api.send({ type: "task.start", options });
  const slow = app.api.live({ task: id }, never)[Symbol.asyncIterator]();
  expect(await api.send({ type: "task.run", id })).toMatchObject({ status: "complete" });
  expect((await slow.next()).value).toMatchObject({ type: "missed" });
  expect(await api.query({ type: "task.list" })).toHaveLength(1);
  made.destroy();
});

test("over HTTP: events that were cut off go on where they stopped; a server that is gone is told as such", async () => {
  const project = scriptedProject({ "n.txt": "1\n" }, script([{ name: "complete", input: { summary: "done" } }]));
  // Below those the system gives away, so that nobody takes it while it is free.
  const port = randomInt(20_000, 30_000);
  const first = await serve(project, port);
  const options = {
    goal: "g",
    type: "implement_feature",
    role: "engineer",
    criteria: [],
    constraints: [],
    checks: ["true"],
    model: project.rules,
    profile: "minimal",
  };
  const start = (api: Api) => api.send({ type: "task.start", options });
  await start(first.api);
  const seen: string[] = [];
  const stop = new AbortController();
  let again: Awaited<ReturnType<typeof serve>> | undefined;
  for await (const event of first.api.events({ stream: "task/", types: ["task.created"] }, 0, stop.signal)) {
    seen.push(event.stream);
    if (seen.length === 2) break;
    await first.close();
    const app = await openApp({ cwd: project.dir, env: project.env, clock: systemClock });
    const { token } = app.serverToken("api");
    const server = await serveApi(app.api, { port, token, clock: systemClock });
    const close = async (): Promise<void> => {
      await server[Symbol.asyncDispose]();
      await app.close();
    };
    again = { app, token, url: server.url, api: app.api, close };
    await start(app.api);
  }
  expect(new Set(seen).size).toBe(2);
  await again?.close();
  await expect(first.api.query({ type: "task.list" })).rejects.toMatchObject({
    code: "API_LOST",
    fix: expect.stringContaining("sylk serve"),
  });
  await expect(Array.fromAsync(first.api.events({}, 0, never))).rejects.toMatchObject({ code: "API_LOST" });
});
