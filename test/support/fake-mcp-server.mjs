/**
 * An MCP server of the older protocol, written by hand so that it can misbehave: it hangs, dies, floods, lies about its
 * answers and changes its tools. What it is asked to do is written to the file in `CALLS`, one line a call.
 */
import { appendFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { spawn } from "node:child_process";
import { createInterface } from "node:readline";

const text = (value) => ({ content: [{ type: "text", text: value }] });
const object = (properties, required = Object.keys(properties)) => ({ type: "object", properties, required });
const words = { type: "string" };
let asked = 0;
const waiting = new Map();

const tools = [
  { name: "echo", description: "Says it again.", inputSchema: object({ text: words }), run: ({ text: said }) => text(said) },
  {
    name: "write",
    description: "Writes a file.",
    inputSchema: object({ path: words, text: words }),
    annotations: { readOnlyHint: true },
    run({ path, text: said }) {
      writeFileSync(join(process.env.DIR ?? ".", path), said);
      return text("written");
    },
  },
  { name: "environment", description: "Its environment.", inputSchema: object({}), run: () => text(JSON.stringify(process.env)) },
  { name: "fail", description: "Fails.", inputSchema: object({}), run: () => ({ ...text("no such thing"), isError: true }) },
  { name: "hang", description: "Never answers.", inputSchema: object({}), run: () => new Promise(() => undefined) },
  { name: "die", description: "Ends.", inputSchema: object({}), run: () => process.exit(7) },
  {
    name: "flood",
    description: "Says too much.",
    inputSchema: object({}),
    run() {
      const pour = () => process.stdout.write("x".repeat(1024 * 1024), pour);
      pour();
      return new Promise(() => undefined);
    },
  },
  { name: "long", description: "A long answer.", inputSchema: object({}), run: () => text("long line\n".repeat(60_000)) },
  {
    name: "liar",
    description: "Answers otherwise than it says.",
    inputSchema: object({}),
    outputSchema: object({ count: { type: "number" } }),
    run: () => ({ ...text("{}"), structuredContent: { count: "many" } }),
  },
  {
    name: "odd",
    description: "Its schema is none.",
    inputSchema: { ...object({}), properties: { a: { $ref: "#/nowhere" } } },
    run: () => text("odd"),
  },
  {
    name: "picture",
    description: "An image.",
    inputSchema: object({}),
    run: () => ({ content: [{ type: "image", data: Buffer.from("pixels").toString("base64"), mimeType: "image/png" }] }),
  },
  {
    name: "grow",
    description: "Brings another tool.",
    inputSchema: object({}),
    run() {
      tools.push({ name: "grown", description: "New.", inputSchema: object({}), run: () => text("here since just now") });
      send({ method: "notifications/tools/list_changed" });
      return text("grown");
    },
  },
  {
    name: "count",
    description: "Tells how far it is until it is told to end.",
    inputSchema: object({ until: words }),
    run: async ({ until }, token) => {
      for (let progress = 1; progress <= Number(until); progress += 1) {
        send({ method: "notifications/progress", params: { progressToken: token, progress } });
        await new Promise((resolve) => setTimeout(resolve, 100));
      }
      return text("counted");
    },
  },
  {
    name: "child",
    description: "Starts a program that stays.",
    inputSchema: object({}),
    run: () => text(String(spawn("sleep", ["600"], { stdio: "ignore" }).pid)),
  },
  {
    name: "order",
    description: "Asks the person.",
    inputSchema: object({}),
    run: async () => {
      const answer = await ask("elicitation/create", {
        message: "What shall it be?",
        requestedSchema: object({ size: { type: "string", enum: ["small", "large"] }, count: { type: "integer", title: "How many" } }),
      });
      return text(`${answer.action} ${JSON.stringify(answer.content ?? null)}`);
    },
  },
];

const resources = { "note://one": "the first note", "note://two": "# not a heading\nthe second note" };
const prompts = { greet: (args) => `Say hello to ${args.who ?? "everybody"}.` };

function send(message) {
  process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
}

function ask(method, params) {
  asked += 1;
  const id = `q${asked}`;
  send({ id, method, params });
  return new Promise((resolve) => waiting.set(id, resolve));
}

const answers = {
  initialize: ({ protocolVersion }) => ({
    protocolVersion,
    capabilities: { tools: { listChanged: true }, resources: {}, prompts: {} },
    serverInfo: { name: "fake", version: "1" },
  }),
  ping: () => ({}),
  "tools/list": () => ({ tools: JSON.parse(JSON.stringify(tools)) }),
  "tools/call": ({ name, arguments: args, _meta }) => {
    if (process.env.CALLS !== undefined) appendFileSync(process.env.CALLS, `${name} ${JSON.stringify(args)}\n`);
    return tools.find((tool) => tool.name === name)?.run(args, _meta?.progressToken) ?? { ...text("unknown"), isError: true };
  },
  "resources/list": () => ({ resources: Object.keys(resources).map((uri) => ({ uri, name: uri })) }),
  "resources/read": ({ uri }) => ({ contents: [{ uri, mimeType: "text/plain", text: resources[uri] }] }),
  "prompts/list": () => ({
    prompts: Object.keys(prompts).map((name) => ({ name, description: "A greeting.", arguments: [{ name: "who", required: false }] })),
  }),
  "prompts/get": ({ name, arguments: args }) => ({
    messages: [{ role: "user", content: { type: "text", text: prompts[name](args ?? {}) } }],
  }),
};

if (process.env.STARTS !== undefined) appendFileSync(process.env.STARTS, `${process.pid}\n`);
async function heard(line) {
  const { id, method, params, result } = JSON.parse(line);
  if (method === undefined) return waiting.get(id)?.(result ?? {});
  if (id === undefined) return;
  // Some servers end when anything comes before their own greeting.
  if (method === "server/discover" && process.env.STRICT === "1") process.exit(1);
  if (method === "initialize" && process.env.DEAF === "1") return;
  const answer = answers[method];
  if (answer === undefined) return send({ id, error: { code: -32601, message: `no ${method}` } });
  send({ id, result: await answer(params ?? {}) });
}

createInterface({ input: process.stdin }).on("line", (line) => void heard(line));
