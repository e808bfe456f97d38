/** The first minute at a terminal without a model: a key or a local server, a model, then the prompt. */
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, test } from "vitest";
import { KEYS, openHeadlessSession } from "../support/headless-session.ts";
import { runSylk } from "../support/run-sylk.ts";
import { atTerminal, NO_TERMINAL } from "../support/terminal.ts";
import { MAIN } from "../support/built-command.ts";
import { place, AWAY } from "./first-run.ts";

interface Server extends AsyncDisposable {
  url: string;
  asked: string[];
}

async function server(answer: (request: IncomingMessage) => { status: number; body: unknown }): Promise<Server> {
  const asked: string[] = [];
  const http = createServer((request, response) => {
    asked.push(request.url ?? "");
    const { status, body } = answer(request);
    response.writeHead(status, { "content-type": "application/json", connection: "close" }).end(JSON.stringify(body));
  });
  await new Promise<void>((resolve) => http.listen(0, "127.0.0.1", resolve));
  const { port } = http.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    asked,
    async [Symbol.asyncDispose]() {
      http.closeAllConnections();
      await new Promise((resolve) => http.close(resolve));
    },
  };
}

const models = (...ids: string[]) => ({ status: 200, body: { object: "list", data: ids.map((id) => ({ id, object: "model" })) } });

test.skipIf(NO_TERMINAL !== undefined)(
  "a key that could not be asked about and is not to be kept is not, and the prompt follows",
  { timeout: 120_000 },
  async () => {
    const at = place(AWAY);
    const { screen } = await atTerminal([process.execPath, MAIN], {
      cwd: at.dir,
      env: { ...at.env, NODE_COMPILE_CACHE: process.env["NODE_COMPILE_CACHE"] },
      typed: [
        { when: "API key or address", keys: `sk-or-for-tests-0123456789${KEYS.enter}` },
        { when: "Keep it all the same?", keys: KEYS.enter },
        { when: "error:", keys: KEYS.escape },
        { when: "skipped;", keys: `/quit${KEYS.enter}` },
      ],
    });
    expect(screen).toContain("openrouter");
    expect(JSON.parse((await runSylk(at.dir, at.env, ["auth", "list", "--json"])).out)).toEqual({ credentials: [] });
  },
);

test("Ollama that answers is taken by Enter, with the models it has", { timeout: 60_000 }, async () => {
  await using ollama = await server(() => models("qwen3:8b", "llama3.3"));
  const at = place({ OLLAMA_HOST: ollama.url });
  await using session = await openHeadlessSession(at, { asksForModel: true });
  await session.sees("Enter takes Ollama at");
  session.type(KEYS.enter);
  await session.sees("Which model?");
  session.type(KEYS.down);
  session.type(KEYS.enter);
  await session.sees("using ollama/llama3.3");
  expect(at.config()).toEqual({ llm: { default_model: "ollama/llama3.3" } });
  expect(ollama.asked).toEqual(["/v1/models"]);
});

test("any other server that speaks the protocol is written down by its address, and used at once", { timeout: 60_000 }, async () => {
  const refused = { status: 400, body: { error: { message: "not today" } } };
  await using local = await server(({ url }) => (url === "/v1/models" ? models("served-model") : refused));
  const at = place();
  await using session = await openHeadlessSession(at, { asksForModel: true });
  await session.sees("API key or address");
  session.say(local.url.slice("http://".length));
  await session.sees("Which model?");
  session.type(KEYS.enter);
  await session.sees("using local/served-model");
  expect(at.config()).toEqual({
    llm: { default_model: "local/served-model", providers: { local: { kind: "compatible", base_url: `${local.url}/v1` } } },
  });
  // It is used from the next word on.
  session.say("what is this");
  await session.sees("not today");
  expect(session.shown()).toContain("local/served-model");
  expect(local.asked).toContain("/v1/chat/completions");
});

test.each([
  ["Escape skips it", KEYS.escape, "skipped; `sylk auth login` gives a key"],
  ["a server that does not answer is told", `127.0.0.1:9${KEYS.enter}`, "does not answer"],
])("%s, and the prompt follows", { timeout: 60_000 }, async (_what, typed, told) => {
  const at = place();
  await using session = await openHeadlessSession(at, { asksForModel: true });
  await session.sees("API key or address");
  for (const key of typed.startsWith("\u001b") ? [typed] : typed) session.type(key);
  await session.sees(told);
  // What did not work is asked again, until it is skipped.
  if (!typed.startsWith("\u001b")) session.type(KEYS.escape);
  await session.sees(/skipped;[\s\S]*ready$/u);
  session.say("/help");
  expect(await session.sees("/quit")).toContain(told);
});

test("nobody is asked anything where there is no terminal", async () => {
  const at = place();
  const { out, err, code } = await runSylk(at.dir, at.env, []);
  expect(code).toBe(0);
  expect(out + err).not.toContain("API key or address");
});

test.each(["sk-0123456789abcdef0123", "somebody:12345"])(
  "whose key %s is cannot be seen: it is asked before it is sent to anybody",
  { timeout: 60_000 },
  async (key) => {
    const at = place(AWAY);
    await using session = await openHeadlessSession(at, { asksForModel: true });
    await session.sees("API key or address");
    session.say(key);
    expect(await session.sees("Whose API key do you have?")).not.toMatch(/asking|does not answer/u);
    session.type(KEYS.escape);
    await session.sees(/API key or address[^\n]*\n/u);
    session.type(KEYS.escape);
    // Whoever leaves it knows that; nothing went wrong.
    expect(await session.sees(/ready$/u)).not.toMatch(/error:|no key was entered/u);
  },
);

test(
  "what is no key leads back, and to the address of a local server; nothing of it stays on the screen",
  { timeout: 120_000 },
  async () => {
    await using local = await server(({ url }) => (url === "/v1/models" ? models("served-model") : { status: 401, body: {} }));
    const at = place(AWAY);
    await using session = await openHeadlessSession(at, { asksForModel: true });
    await session.sees("API key or address");
    session.say("sk-ant-refused-by-everybody");
    await session.sees("Keep it all the same?");
    session.type(KEYS.enter);
    const again = await session.sees(/error:[\s\S]*API key or address/u);
    expect(again).not.toContain("asking anthropic");
    session.say("hello");
    await session.sees(/Whose API key do you have\?[\s\S]*a local server/u);
    session.type(KEYS.escape);
    await session.sees(/API key or address/u);
    session.type(KEYS.escape);
    await session.sees(/skipped;[\s\S]*ready$/u);
    // The next words ask again, with the same choices.
    session.say("what is this");
    await session.sees(/Whose API key do you have\?[\s\S]*a local server/u);
    session.type(KEYS.up);
    session.type(KEYS.enter);
    await session.sees("Address of the server");
    session.type(KEYS.escape);
    await session.sees(/Whose API key do you have\?[\s\S]*a local server/u);
    session.type(KEYS.up);
    session.type(KEYS.enter);
    await session.sees("Address of the server");
    session.say(local.url);
    await session.sees("Which model?");
    session.type(KEYS.enter);
    await session.sees("using local/served-model");
  },
);

test("`sylk models list` shows what a server that is set up has, and which model is the default", { timeout: 60_000 }, async () => {
  await using local = await server(() => models("served-model", "another"));
  const at = place();
  const sylk = (...args: string[]) => runSylk(at.dir, at.env, args);
  await sylk("config", "set", "llm.providers.local", JSON.stringify({ kind: "compatible", base_url: `${local.url}/v1` }));
  await sylk("config", "set", "llm.default_model", "local/served-model");
  const { out, err } = await sylk("models", "list");
  expect(out).toMatch(/^models\n[\s\S]*^→ local\/served-model +.*\(default\)$/mu);
  expect(out).toMatch(/^ {2}local\/another\b(?!.*default)/mu);
  expect(err).not.toContain("no provider with known models");
});
