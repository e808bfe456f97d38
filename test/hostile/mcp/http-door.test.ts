/**
 * The attacker is another user of the machine, a program without rights, or a page in the person's browser.
 * It can reach the port and wants what the project's knowledge and memory hold. Only who can read the user's own
 * token file may be answered.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, existsSync, mkdirSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import http from "node:http";
import path from "node:path";
import { createInterface } from "node:readline";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { expect, onTestFinished, test } from "vitest";
import { openAccessToken } from "../../../src/guard/credentials/access-token.ts";
import { knowledgeProject } from "../../support/knowledge-project.ts";
import { tempDir } from "../../support/temp.ts";
import { MAIN } from "../../support/built-command.ts";

const CALL = { jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "search", arguments: { query: "secretPlan" } } };

interface Served {
  url: string;
  port: number;
  tokenFile: string;
  token: string;
}

/** The real command, as a person starts it. */
async function serve(home = tempDir("sylk-home")): Promise<Served> {
  const { root } = knowledgeProject({ "src/plan.ts": "export const secretPlan = 1;\n" });
  const child = spawn(process.execPath, [MAIN, "-C", root, "--json", "mcp", "--http"], {
    env: { ...process.env, SYLK_HOME: home },
    stdio: ["ignore", "pipe", "inherit"],
  });
  onTestFinished(async () => {
    child.kill("SIGTERM");
    if (child.exitCode === null && child.signalCode === null) await once(child, "exit");
  });
  const [line] = (await once(createInterface(child.stdout), "line")) as [string];
  const said = JSON.parse(line) as { url: string; token_file: string };
  return {
    url: said.url,
    port: Number(new URL(said.url).port),
    tokenFile: said.token_file,
    token: readFileSync(said.token_file, "utf8").trim(),
  };
}

/** Raw, because `fetch` does not let a test choose Host and Origin freely. */
function post(served: Served, headers: Record<string, string>, body: unknown = CALL): Promise<{ status: number; text: string }> {
  return new Promise((resolve, reject) => {
    const request = http.request(
      {
        host: "127.0.0.1",
        port: served.port,
        path: "/mcp",
        method: "POST",
        headers: { "content-type": "application/json", accept: "application/json, text/event-stream", ...headers },
      },
      (response) => {
        let text = "";
        response.on("data", (chunk: Buffer) => (text += chunk.toString()));
        response.on("end", () => resolve({ status: response.statusCode ?? 0, text }));
      },
    );
    request.on("error", reject);
    request.end(JSON.stringify(body));
  });
}

test("L5: nobody is answered without the token, whatever they send instead", async () => {
  const served = await serve();
  const bad: Record<string, string>[] = [
    {},
    { authorization: "" },
    { authorization: "Bearer" },
    { authorization: "Bearer " },
    { authorization: "Bearer wrong" },
    { authorization: `Bearer ${served.token.slice(0, -1)}` },
    { authorization: `Bearer ${served.token}x` },
    { authorization: `Bearer ${served.token.toLowerCase()}` },
    { authorization: `Basic ${served.token}` },
    { authorization: served.token },
    { cookie: `token=${served.token}` },
    { "x-api-key": served.token },
  ];
  for (const headers of bad) {
    const { status, text } = await post(served, headers);
    expect([headers, status]).toEqual([headers, 401]);
    expect(text).not.toContain("plan.ts");
    expect(text).not.toContain(served.token);
  }
  expect(await post(served, { authorization: `Bearer ${served.token}` })).toMatchObject({
    status: 200,
    text: expect.stringContaining("plan.ts"),
  });
});

test("L5: a page of any other origin is refused even with the token; only our own host and port are ours", async () => {
  const served = await serve();
  const authorization = `Bearer ${served.token}`;
  const origins = [
    "null",
    "http://evil.example",
    "http://localhost",
    "http://localhost:1",
    `http://localhost:${served.port + 1}`,
    `https://localhost:${served.port}`,
    `http://localhost:${served.port}.evil.example`,
    `http://evil.example:${served.port}`,
    `http://127.0.0.1:${served.port}@evil.example`,
    `http://[::1]:${served.port}`,
    "file://",
    "",
  ];
  for (const origin of origins) expect([origin, (await post(served, { authorization, origin })).status]).toEqual([origin, 403]);
  const hosts = [
    "evil.example",
    `evil.example:${served.port}`,
    "localhost",
    `localhost:${served.port + 1}`,
    `127.0.0.1.evil.example:${served.port}`,
  ];
  for (const host of hosts) expect([host, (await post(served, { authorization, host })).status]).toEqual([host, 403]);
  for (const own of [`127.0.0.1:${served.port}`, `localhost:${served.port}`])
    expect((await post(served, { authorization, host: own, origin: `http://${own}` })).status).toBe(200);
});

test("L5: the official client connects with the token and not without", async () => {
  const served = await serve();
  const connect = async (token: string | undefined): Promise<Client> => {
    const client = new Client({ name: "test", version: "1" });
    const requestInit = token === undefined ? {} : { headers: { authorization: `Bearer ${token}` } };
    await client.connect(new StreamableHTTPClientTransport(new URL(served.url), { requestInit }));
    return client;
  };
  await expect(connect(undefined)).rejects.toThrow(/401|authorized|token/i);
  await expect(connect("wrong")).rejects.toThrow(/401|authorized|token/i);
  const client = await connect(served.token);
  onTestFinished(() => client.close());
  expect(JSON.stringify(await client.callTool({ name: "search", arguments: { query: "secretPlan" } }))).toContain("plan.ts");
});

test("L5: the token is long, random, its owner's alone, kept between starts, and new after it was removed", async () => {
  const home = tempDir("sylk-home");
  const first = await serve(home);
  expect(first.token).toMatch(/^[\w-]{43}$/);
  expect(statSync(first.tokenFile).mode & 0o777).toBe(0o600);
  expect(first.tokenFile.startsWith(path.join(home, "state"))).toBe(true);
  expect((await serve(home)).token).toBe(first.token);
  rmSync(first.tokenFile);
  expect((await serve(home)).token).not.toBe(first.token);
});

test("L5: a token file that others can reach, a link or a file without a token is refused with words", () => {
  const dir = path.join(tempDir(), "state");
  const file = path.join(dir, "mcp-token");
  const refused = (why: string): void =>
    expect(() => openAccessToken(file)).toThrow(
      expect.objectContaining({
        code: "ACCESS_TOKEN_UNUSABLE",
        message: expect.stringContaining(why),
        fix: expect.stringContaining("remove the file"),
      }),
    );
  const { token } = openAccessToken(file);
  chmodSync(file, 0o644);
  refused("others may read");
  chmodSync(file, 0o600);
  writeFileSync(file, "short");
  refused("holds no token");
  const other = path.join(tempDir(), "planted");
  mkdirSync(other);
  writeFileSync(path.join(other, "t"), `${token}\n`, { mode: 0o600 });
  const linked = path.join(other, "mcp-token");
  symlinkSync(path.join(other, "t"), linked);
  expect(() => openAccessToken(linked)).toThrow(expect.objectContaining({ message: expect.stringContaining("it is a link") }));
  const dangling = path.join(other, "dangling");
  symlinkSync(path.join(other, "nothing"), dangling);
  expect(() => openAccessToken(dangling)).toThrow(expect.objectContaining({ code: "ACCESS_TOKEN_UNUSABLE" }));
  expect(existsSync(path.join(other, "nothing"))).toBe(false);
});
