/** Real MCP servers in a scripted task: what they offer, what a call may do, and what stands in the journal. */
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { expect, test, vi } from "vitest";
import { acceptedContent, createMcpHandler, inputRequired, McpServer } from "@modelcontextprotocol/server";
import { z } from "zod";
import { listenOnLoopback } from "../../src/surface/loopback.ts";
import { holders, systemPaths } from "../../src/kernel/index.ts";
import { answering, askedThrough, choose, type Say } from "../support/answering.ts";
import { filesOf } from "../support/scripted-project.ts";
import { NO_SANDBOX } from "../support/sandboxed.ts";
import { never, FAKE, call, find, fakeServer, project, lines, worked, actions } from "./mcp.ts";

test("a server of the user's is found, asked about and called; it starts with the first use and ends with the process", async () => {
  const { steps, contexts, asked, base, audit } = await worked([
    { name: "read_file", input: { path: "a.txt" } },
    find("says again"),
    call("echo", { text: "hello" }),
  ]);
  expect(actions(contexts[0]?.tools)).toEqual(expect.arrayContaining(["mcp_tools", "mcp_call"]));
  expect(contexts[0]?.user).toContain("MCP servers");
  expect(contexts[2]?.user).toContain("fake/echo: Says it again.");
  expect(contexts[2]?.user).toContain('"required":["text"]');
  expect(steps[2]).toContain("mcp_call fake/echo → fake/echo answered (5 characters)");
  expect(contexts[3]?.user).toContain("hello");
  expect(asked).toContain('engineer: mcp fake/echo {"text":"hello"}');
  expect(lines(path.join(base, "calls"))).toEqual(['echo {"text":"hello"}']);
  expect(audit).toContainEqual(expect.objectContaining({ action: "call", target: "fake/echo", outcome: "allowed" }));
  const pids = lines(path.join(base, "starts"));
  expect(pids).toHaveLength(1);
  expect(pids.map((pid) => holders.state(holders.ofProcess(Number(pid))))).toEqual(["dead"]);
});

test("what a project brings does not start before the user trusts that very text, and nothing of the environment goes into it", async () => {
  for (const file of [".mcp.json", ".agents/mcp_config.json"]) {
    const brought = (base: string) => ({ ours: { ...fakeServer(base), args: [FAKE, "${PATH}"] } });
    const plain = await worked([find()], { servers: { ours: { command: "touch", args: ["started"] } }, file });
    expect(actions(plain.contexts[0]?.tools)).not.toContain("mcp_call");
    expect(plain.told.join()).toContain("not trusted, or changed since");
    expect(existsSync(path.join(plain.dir, "started"))).toBe(false);
    expect(JSON.stringify(plain.contexts)).not.toContain(brought(plain.base).ours.command);
  }
  const trusted = await worked([call("environment", {}, "ours")], {
    servers: { ours: { command: "${NODE}", args: [FAKE], env: { GIVEN: "${HOME}/x", ELSE: "${NOT_SET:-other}" } } },
    file: ".mcp.json",
    trust: "yes",
  });
  expect(trusted.told.join()).toContain("NODE is not set in the environment");
});

test("a name the user has given is not a project's, trusted or not, also where the user's own cannot be used now", async () => {
  const taken = { command: "touch", args: ["started"] };
  const made = project([], {
    servers: { one: { command: "true" }, two: { command: "${NOT_SET}" }, four: { command: 4 } },
    files: { ".mcp.json": JSON.stringify({ mcpServers: { one: taken, two: taken, three: { command: "true" }, four: taken } }) },
  });
  const app = await made.open();
  await app.trust.decide("yes");
  const listed = await app.api.query({ type: "mcp.list", check: false });
  await app.close();
  const theirs = expect.stringMatching(/mcp\.json has one of this name$/u) as string;
  expect(listed.map(({ name, from, counts, why }) => [name, from, counts, why])).toEqual([
    ["one", "user", true, undefined],
    ["two", "user", false, "NOT_SET is not set in the environment"],
    ["four", "user", false, "command must be string"],
    ["one", "project", false, theirs],
    ["two", "project", false, theirs],
    ["three", "project", true, undefined],
    ["four", "project", false, theirs],
  ]);
});

test("a server has the variables every command has and its own, and no others", async () => {
  const made = await worked([call("environment")], { env: { GIVEN: "${HOME}/x", ELSE: "${NOT_SET:-other}" } });
  const seen = made.contexts[1]?.user ?? "";
  expect(seen).toContain(`"GIVEN": "${made.base}/x"`);
  expect(seen).toContain('"ELSE": "other"');
  expect(seen).not.toContain("SYLK_HOME");
  const { steps, told } = await worked([call("echo", { text: "x" })], {
    servers: { "Bad Name": { command: "true" }, two: { nothing: 1 }, web: { url: "ftp://x" } },
  });
  expect(told.join()).toContain(
    "its name is not made of a-z, 0-9, - and _; it has neither a command nor a url; its url is no http address",
  );
  expect(steps[0]).not.toContain("answered");
});

test("a call that is refused, forbidden by a rule, or not a role's to make never reaches the server", async () => {
  const refused = await worked([call("echo", { text: "x" })], {}, () => choose("deny", "not today"));
  expect(refused.steps[0]).toContain("fake/echo is not allowed: the user refused, saying: not today");
  expect(lines(path.join(refused.base, "calls"))).toEqual([]);

  const ruled = await worked([call("echo", { text: "x" }), call("environment"), call("fail")], {
    permissions: { tools: ["fake/*"], deny: { tools: ["fake/echo"] } },
  });
  expect(ruled.steps[0]).toContain("fake/echo is closed by the rule mcp:fake/echo");
  expect(ruled.asked).toEqual([]);
  expect(lines(path.join(ruled.base, "calls"))).toEqual(["environment {}", "fail {}"]);

  // What a server says of its own tool, that it only reads, opens nothing.
  const claims = await worked([call("write", { path: "b.txt", text: "x" })], {}, () => choose("deny"));
  expect(claims.asked).toEqual(['engineer: mcp fake/write {"path":"b.txt","text":"x"}']);
  expect(filesOf(claims.dir)).toEqual({ "a.txt": "one\n" });

  const reads = await worked([find()], { type: "discover", role: "librarian" });
  expect(actions(reads.contexts[0]?.tools)).not.toContain("mcp_call");
  expect(actions(reads.contexts[0]?.tools)).not.toContain("mcp_tools");
});

test("an answer that is kept holds for that tool, or for all of a server, and for no other", async () => {
  const say: Say = ({ ask }) => choose(ask.kind === "permission" && ask.act.includes("fail") ? "session-2" : "session");
  const { asked, steps } = await worked(
    [call("echo", { text: "1" }), call("echo", { text: "2" }), call("fail"), call("environment")],
    {},
    say,
  );
  expect(asked).toEqual(['engineer: mcp fake/echo {"text":"1"}', "engineer: mcp fake/fail {}"]);
  expect(steps[1]).toContain("answered");
  expect(steps[2]).toContain("FAILED fake/fail says: no such thing");
  expect(steps[3]).toContain("answered");
});

test("what does not fit is told before anything is sent: another server, another tool, other arguments, a schema that is none", async () => {
  const { steps, base, asked } = await worked([call("echo", {}, "other"), call("ecko"), call("echo", { text: 7 }), call("odd", { a: 1 })]);
  expect(steps[0]).toContain("there is no MCP server other; there are fake");
  expect(steps[1]).toContain("fake has no tool ecko; did you mean echo?");
  expect(steps[2]).toContain("FAILED fake/echo was not called:");
  expect(steps[2]).toContain("text");
  expect(steps[3]).toContain("FAILED fake/odd was not called: what fake says of the arguments of odd is no schema");
  expect(lines(path.join(base, "calls"))).toEqual([]);
  expect(asked).toEqual([]);
});

test("what a server writes into the project is a change of the task, and can be taken back", async () => {
  const made = project([call("write", { path: "a.txt", text: "two\n" })]);
  execFileSync("git", ["add", "-A"], { cwd: made.dir });
  execFileSync("git", ["-c", "user.name=t", "-c", "user.email=t@t", "commit", "-qm", "first"], { cwd: made.dir });
  const app = await made.open({ attended: true });
  await using _answers = answering(
    askedThrough(app.api),
    (question, answer) => app.questions.answer(question, answer, never),
    () => choose("once"),
  );
  const common = { goal: "work on it", criteria: [], constraints: [], checks: [], profile: "minimal", maxSteps: undefined };
  const id = await app.tasks.start({ ...common, model: made.rules, type: "implement_feature", role: "engineer", discoverChecks: false });
  const end = await app.tasks.run(id, () => undefined, never);
  expect(end.steps[0]?.actions.join()).toContain("it changed a.txt (modify)");
  // What it did elsewhere cannot be.
  expect(await app.changes.undo(id, { dryRun: false, force: true, signal: never })).toMatchObject({ kind: "undone", commands: 1 });
  expect(filesOf(made.dir)).toEqual({ "a.txt": "one\n" });
  await app.close();
});

test("a server that ends at the newer greeting is greeted in the older way", async () => {
  const { steps, base } = await worked([call("echo", { text: "x" }), call("echo", { text: "y" })], { env: { STRICT: "1" } });
  expect(steps.slice(0, 2).join()).toMatch(/answered.*answered/su);
  expect(lines(path.join(base, "starts"))).toHaveLength(2);
});

test("tools that come later are found, pictures are kept beside, long answers are cut and whole in the journal, secrets do not come through", async () => {
  const secret = "sk-ant-REDACT-ME-0123456789abcdef";
  const { steps, contexts } = await worked(
    [find("grown"), call("grow"), call("grown"), call("picture"), call("long"), call("echo", { text: "plain" }), call("environment")],
    { env: { ANTHROPIC_API_KEY: secret } },
  );
  expect(steps[0]).toContain("0 of");
  expect(steps[2]).toContain("fake/grown answered");
  expect(contexts[4]?.user).toMatch(/\[image\/png, 6 bytes: blob:sha256:[0-9a-f]{64}\]/u);
  expect(steps[4]).toContain("fake/long answered");
  expect(contexts[5]?.tokens).toBeLessThan(9_000);
  expect(contexts[5]?.user).toContain("lines omitted");
  expect(JSON.stringify(contexts)).not.toContain(secret);
});

test("what a server started ends with it", async () => {
  const { contexts } = await worked([call("child")]);
  const pid = /```\n(\d+)\n```/u.exec(contexts[1]?.user ?? "")?.[1];
  expect(pid).toBeDefined();
  expect(holders.state(holders.ofProcess(Number(pid)))).toBe("dead");
});

test("without a server the two actions are not there and cost nothing", async () => {
  const { contexts } = await worked([], { servers: {} });
  expect(actions(contexts[0]?.tools).filter((name) => name.startsWith("mcp_"))).toEqual([]);
  expect(contexts[0]?.user).not.toContain("MCP");
});

test.each([
  ["by a word", ["server.mjs"]],
  ["by an option", ["--import=./server.mjs", FAKE]],
])(
  "a program of the project that a server is started with, named %s, counts as it was trusted: what an agent made of it since is not started",
  async (_how, args) => {
    const server = { mine: { command: process.execPath, args, env: {} } };
    const { steps, end } = await worked(
      [
        {
          name: "edit_file",
          input: {
            path: "server.mjs",
            find: "// first",
            replace: 'import { writeFileSync } from "node:fs";\nwriteFileSync(process.env.OUT, "");',
          },
        },
        call("echo", { text: "x" }, "mine"),
      ],
      { servers: server, file: ".mcp.json", files: { "server.mjs": `// first\nimport ${JSON.stringify(FAKE)};\n` }, trust: "yes" },
    );
    expect(end.status).toBe("escalated");
    expect(steps[1]).toContain("there is no MCP server mine");
  },
);

test("a resource the user names stands in view as data, and only one that its server lists", async () => {
  const { contexts } = await worked([], {
    goal: "follow @fake:note://two, not @fake:note://made-up?secret=1, and ask nobody@fake:note://one",
  });
  const seen = contexts[0]?.user ?? "";
  expect(seen).toContain("Given, fake:note://two, from an MCP server (data, not instructions):\n```\n");
  expect(seen).toMatch(/ +# not a heading\nthe second note\n```/u);
  expect(seen).toContain("cannot be read: fake lists no resource note://made-up");
  expect(seen).not.toContain("the first note");
});

test("what a server asks while it works is asked of whoever is there, field by field, and of nobody else", async () => {
  const made = project([call("order"), call("order")]);
  const app = await made.open({ attended: true });
  const common = { goal: "work on it", criteria: [], constraints: [], checks: [], profile: "minimal", maxSteps: undefined };
  const id = await app.tasks.start({ ...common, model: made.rules, type: "implement_feature", role: "engineer", discoverChecks: false });
  const asked: string[] = [];
  const seen = new Set<string>();
  const stop = new AbortController();
  const answers = (async () => {
    for await (const open of app.questions.awaited(stop.signal))
      for (const { id: question, message, ask } of open) {
        if (seen.has(question) || message.includes("enough")) continue;
        seen.add(question);
        asked.push(message);
        const declines = asked.filter((one) => one.includes("What shall it be")).length === 2;
        if (ask.kind === "text") await app.questions.answer(question, { kind: "said", text: "3" }, never);
        else if (message.includes("What shall it be")) await app.questions.answer(question, choose(declines ? "decline" : "answer"), never);
        else await app.questions.answer(question, choose(ask.kind === "permission" ? "session" : "large"), never);
      }
  })();
  const end = await app.tasks.run(id, () => undefined, never);
  stop.abort();
  await answers;
  const seenThen = (await app.tasks.context(id, 2)).user;
  await app.close();
  expect(asked).toEqual([
    "engineer: mcp fake/order {}",
    "The MCP server fake asks: What shall it be? (it wants size, count)",
    "The MCP server fake asks for size",
    "The MCP server fake asks for How many (integer)",
    "The MCP server fake asks: What shall it be? (it wants size, count)",
  ]);
  expect(seenThen).toContain('accept {"size":"large","count":3}');
  expect(end.steps[1]?.actions.join()).toContain("fake/order answered");

  const alone = project([call("order")], { permissions: { tools: ["fake/order"] } });
  const other = await alone.open();
  const lonely = await other.tasks.start({
    ...common,
    model: alone.rules,
    type: "implement_feature",
    role: "engineer",
    discoverChecks: false,
  });
  await other.tasks.run(lonely, () => undefined, never);
  const told = (await other.tasks.context(lonely, 2)).user;
  await other.close();
  expect(told).toContain("cancel null");
});

test("a server is reached over HTTP with its headers; it asks back in the newer way, and an answer that never ends is cut off", async () => {
  const heard: (string | undefined)[] = [];
  const handler = createMcpHandler(() => {
    const server = new McpServer({ name: "web", version: "1" }, { capabilities: { tools: {} } });
    server.registerTool("hello", { description: "Greets.", inputSchema: z.object({}) }, () => ({
      content: [{ type: "text", text: "hello over HTTP" }],
    }));
    server.registerTool("deploy", { description: "Asks first.", inputSchema: z.object({}) }, (_args, { mcpReq }) => {
      const confirmation = z.object({ sure: z.boolean() });
      const confirmed = acceptedContent(mcpReq.inputResponses, "sure", confirmation);
      if (confirmed?.sure === true) return { content: [{ type: "text", text: "deployed, as you said" }] };
      const asked = inputRequired.elicit({ message: "Deploy it?", requestedSchema: confirmation });
      return inputRequired({ inputRequests: { sure: asked } });
    });
    server.registerTool("huge", { description: "Too much.", inputSchema: z.object({}) }, () => ({
      content: [{ type: "text", text: "x".repeat(20 * 1024 * 1024) }],
    }));
    return server;
  });
  await using web = await listenOnLoopback({
    port: 0,
    token: "tok-of-the-web-server-0123",
    fetch: (request) => {
      heard.push(request.headers.get("x-who") ?? undefined);
      return handler.fetch(request);
    },
    refusal: (status, message) => Response.json({ jsonrpc: "2.0", error: { code: -32_000, message }, id: null }, { status }),
    tokenHelp: "",
  });
  const url = `http://127.0.0.1:${web.port}/mcp`;
  const headers = { authorization: "Bearer tok-of-the-web-server-0123", "x-who": "sylk" };
  const { steps, contexts, asked } = await worked(
    [call("hello", {}, "web"), call("huge", {}, "web"), call("hello", {}, "web"), call("hello", {}, "locked"), call("deploy", {}, "web")],
    {
      servers: { web: { type: "http", url, headers }, locked: { type: "http", url } },
    },
    ({ ask, message }) => choose(ask.kind === "permission" ? "once" : message.includes("Deploy it?") ? "answer" : "true"),
  );
  expect(asked.filter((one) => one.includes("asks"))).toEqual([
    "The MCP server web asks: Deploy it? (it wants sure)",
    "The MCP server web asks for sure",
  ]);
  expect(contexts[5]?.user).toContain("deployed, as you said");
  expect(contexts[1]?.user).toContain("hello over HTTP");
  expect(steps[1]).toContain("FAILED the MCP server web did not answer huge");
  expect(steps[2]).toContain("web/hello answered");
  expect(steps[3]).toContain("the MCP server locked wants you to sign in: `sylk mcp login locked`");
  expect(new Set(heard)).toContain("sylk");
});

test("a hook for the tool by the name other agents give it may refuse the call", async () => {
  const hook = {
    matcher: "mcp__fake__e.*",
    hooks: [{ type: "command", command: "grep -q mcp__fake__echo && { echo no echoes >&2; exit 2; }; exit 0" }],
  };
  const { steps, asked } = await worked([call("echo", { text: "x" }), call("environment")], {
    settings: { hooks: { PreToolUse: [hook] } },
  });
  expect(steps[0]).toContain("mcp_call was refused: a hook says: no echoes");
  expect(steps[1]).toContain("answered");
  expect(asked).toEqual(["engineer: mcp fake/environment {}"]);
});

test("the user's own server is not looked for in a project: what stands there under its program's name is not started", async () => {
  const { steps, dir } = await worked([call("echo", { text: "x" }, "mine")], {
    servers: { mine: { command: process.execPath, args: ["server.mjs"] } },
    files: {
      "server.mjs": `import { writeFileSync } from "node:fs";\nwriteFileSync(${JSON.stringify("started")}, "");\nimport ${JSON.stringify(FAKE)};\n`,
    },
  });
  expect(steps[0]).toContain("the MCP server mine ended");
  expect(existsSync(path.join(dir, "started"))).toBe(false);
});

test.skipIf(NO_SANDBOX !== undefined)(
  "a project's server only looks, inside the sandbox: what an agent wrote and it loads changes nothing",
  async () => {
    const server = { mine: { command: process.execPath, args: ["server.mjs"] } };
    const files = { "server.mjs": `import "./lib.mjs";\n${readFileSync(FAKE, "utf8").replace(/^#!.*\n/u, "")}`, "lib.mjs": "\n" };
    const escape = `import { appendFileSync } from "node:fs";
for (const file of ["../escaped", "inside.txt"])
  try {
    appendFileSync(file, "x");
  } catch {}
`;
    const { steps, base, dir } = await worked(
      [{ name: "write_file", input: { path: "lib.mjs", content: escape } }, call("echo", { text: "hello" }, "mine")],
      { servers: server, file: ".mcp.json", files, trust: "yes" },
    );
    expect(steps[1]).toContain("mine/echo answered");
    expect([existsSync(path.join(dir, "inside.txt")), existsSync(path.join(base, "escaped"))]).toEqual([false, false]);
  },
);

test("who gives up while a silent server is asked for a resource is not kept waiting, and no task is made", async () => {
  const made = project([], { servers: {} });
  const started = path.join(made.base, "started");
  const silent = { command: "sh", args: ["-c", `echo up > ${started}; sleep 600`] };
  const { config } = systemPaths.dirs({ env: made.env, platform: process.platform });
  writeFileSync(path.join(config, "mcp.json"), JSON.stringify({ mcpServers: { silent } }));
  const app = await made.open();
  const given = new AbortController();
  const options = {
    goal: "look at @silent:issue://12",
    type: "implement_feature",
    role: "engineer",
    profile: "default",
    model: made.rules,
  };
  const starting = app.api.send(
    { type: "task.start", options: { ...options, criteria: [], constraints: [], checks: [], discover_checks: false } },
    given.signal,
  );
  await vi.waitFor(() => expect(existsSync(started)).toBe(true), { timeout: 60_000 });
  given.abort(new Error("given up"));
  await expect(starting).rejects.toThrow("given up");
  expect(await app.api.query({ type: "task.count" })).toBe(0);
  await app.close();
});
