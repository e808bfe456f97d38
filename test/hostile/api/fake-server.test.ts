/**
 * The attacker is another user of the machine, or a program without rights, that holds the port the person names
 * with --connect. He wants the token and the keys that are sent, for himself or for a place he names.
 */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { openApp } from "../../../src/app/index.ts";
import { systemClock } from "../../../src/kernel/index.ts";
import { connectApi, serveApi } from "../../../src/surface/http/index.ts";
import { answerProof } from "../../../src/surface/http/server-proof.ts";
import { script, scriptedProject } from "../../support/scripted-project.ts";

const TOKEN = "T".repeat(43);
const KEY = "sk-ant-VICTIM-KEY-000111222333";
const send = { type: "auth.set", provider: "anthropic", key: KEY, unverified: true } as const;

/** Answers as he likes and keeps all he hears. */
async function attacker(answer: (request: IncomingMessage, response: ServerResponse) => void): Promise<{ url: string; heard: string[] }> {
  const heard: string[] = [];
  const server = createServer((request, response) => {
    let body = "";
    request.on("data", (chunk) => (body += String(chunk)));
    request.on("end", () => {
      heard.push(`${request.method} ${request.url} ${JSON.stringify(request.headers)} ${body}`);
      answer(request, response);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.close().closeAllConnections();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, heard };
}

/** The person's own server, in another place than the one they named. */
async function realServer(): Promise<string> {
  const { dir, env } = scriptedProject({ "n.txt": "1\n" }, script([{ name: "complete", input: { summary: "done" } }]));
  const app = await openApp({ cwd: dir, env, clock: systemClock });
  const server = await serveApi(app.api, { port: 0, token: TOKEN, clock: systemClock });
  onTestFinished(async () => {
    await server[Symbol.asyncDispose]();
    await app.close();
  });
  return server.url;
}

const stolen = (heard: readonly string[]): string[] => heard.filter((line) => line.includes(TOKEN) || line.includes(KEY));

test("H5: a server that cannot prove itself gets neither the token nor a key, however it asks", async () => {
  const real = await realServer();
  const fake = await attacker((request, response) => {
    if (request.url?.startsWith("/proof") !== true) return void response.writeHead(200).end('{"reply":{}}');
    // What the person's own server would say, fetched from it.
    void fetch(new URL(request.url, real)).then((said) => {
      response.writeHead(said.status, Object.fromEntries(said.headers)).end();
    });
  });
  const api = connectApi({ url: fake.url, token: TOKEN, clock: systemClock });
  await expect(api.send(send)).rejects.toMatchObject({
    code: "API_REFUSED",
    message: expect.stringContaining("nothing was sent") as string,
  });
  await expect(Array.fromAsync(api.events({}, 0, new AbortController().signal))).rejects.toMatchObject({ code: "API_REFUSED" });
  expect(fake.heard.length).toBeGreaterThan(0);
  expect(stolen(fake.heard)).toEqual([]);
  // The person's own one is believed.
  expect(await connectApi({ url: real, token: TOKEN, clock: systemClock }).query({ type: "task.list" })).toEqual([]);
});

test("H5: nothing is sent on to where an answer points", async () => {
  const elsewhere = await attacker((_request, response) => void response.writeHead(200).end('{"reply":{}}'));
  // Even when it knows the token.
  const fake = await attacker((request, response) => {
    const port = request.socket.localPort ?? 0;
    const proof = answerProof(new Request(`http://127.0.0.1:${port}${request.url}`), TOKEN, port);
    if (proof === undefined) response.writeHead(307, { location: `${elsewhere.url}${request.url}` }).end();
    else response.writeHead(proof.status, Object.fromEntries(proof.headers)).end();
  });
  await expect(connectApi({ url: fake.url, token: TOKEN, clock: systemClock }).send(send)).rejects.toMatchObject({ code: "API_LOST" });
  expect(fake.heard.map((line) => line.split(/[ ?]/u, 2).join(" "))).toEqual(["GET /proof", "POST /send"]);
  expect(elsewhere.heard).toEqual([]);
});

test("H5: who is asked for the proof and points elsewhere is not believed, and nobody there is asked", async () => {
  const elsewhere = await attacker((_request, response) => void response.writeHead(204).end());
  const fake = await attacker((request, response) => void response.writeHead(307, { location: `${elsewhere.url}${request.url}` }).end());
  await expect(connectApi({ url: fake.url, token: TOKEN, clock: systemClock }).send(send)).rejects.toMatchObject({
    code: expect.stringMatching(/^API_/u) as string,
  });
  expect(fake.heard.map((line) => line.split(/[ ?]/u, 2).join(" "))).toEqual(["GET /proof"]);
  expect(elsewhere.heard).toEqual([]);
});
