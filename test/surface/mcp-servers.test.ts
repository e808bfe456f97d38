/** `sylk mcp` about servers that agents here may use, through the real command. */
import { existsSync, readFileSync, statSync, writeFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { script, scriptedProject } from "../support/scripted-project.ts";
import { runSylk } from "../support/run-sylk.ts";
import { NO_SANDBOX } from "../support/sandboxed.ts";
import { FAKE } from "./mcp-servers.ts";

const THEIRS = { mcpServers: { theirs: { command: "touch", args: ["started"] } }, other: 1 };

test("a server is written down, listed with how it stands, tried and taken out again", { timeout: 120_000 }, async () => {
  const project = scriptedProject({ ".mcp.json": JSON.stringify(THEIRS) }, script([]));
  const env = { ...project.env, NO_COLOR: "1", TOKEN_OF_TRACKER: "tok-0123456789abcdef" };
  const sylk = (...args: string[]) => runSylk(project.dir, env, args);
  const starts = path.join(project.base, "starts");

  expect((await sylk("mcp", "list")).out).toMatch(/^– theirs {2}touch started {2}\.mcp\.json\n {4}does not count: not trusted/mu);
  const added = await sylk("mcp", "add", "fake", "--env", `STARTS=${starts}`, "--", process.execPath, FAKE);
  expect(added).toMatchObject({ code: 0, out: expect.stringContaining("fake is written to") as string });
  const file = path.join(project.env["SYLK_HOME"] ?? "", "mcp.json");
  expect(statSync(file).mode & 0o777).toBe(0o600);
  expect(JSON.parse(readFileSync(file, "utf8"))).toEqual({
    mcpServers: { fake: { command: process.execPath, args: [FAKE], env: { STARTS: starts } } },
  });
  expect(await sylk("mcp", "add", "fake", "--", "true")).toMatchObject({
    code: 2,
    err: expect.stringContaining("has a server fake already") as string,
  });
  expect(await sylk("mcp", "add", "A B", "--", "true")).toMatchObject({
    code: 2,
    err: expect.stringContaining("use a-z, 0-9, - and _") as string,
  });
  expect(await sylk("mcp", "add", "none")).toMatchObject({
    code: 2,
    err: expect.stringContaining("neither a command nor a url") as string,
  });
  await sylk("mcp", "add", "away", "--url", "http://127.0.0.1:9/mcp", "--header", "Authorization: Bearer ${TOKEN_OF_TRACKER}");
  await sylk("mcp", "add", "broken", "--", process.execPath, "-e", "require('no-such-thing')");
  await sylk("mcp", "add", "unset", "http://127.0.0.1:9/mcp", "--header", "X: ${NOT_SET_ANYWHERE}");

  const list = await sylk("mcp", "list");
  expect(list.out).toContain("✓ fake");
  expect(list.out).toMatch(/– unset .*\n {4}does not count: NOT_SET_ANYWHERE is not set in the environment/u);
  expect(list.out).not.toContain("tok-0123456789abcdef");
  expect(existsSync(starts)).toBe(false);
  const checked = await sylk("mcp", "list", "--check", "--json");
  expect(checked.code).toBe(1);
  const { servers } = JSON.parse(checked.out) as { servers: { name: string; counts: boolean; found?: object }[] };
  expect(servers.find(({ name }) => name === "fake")?.found).toMatchObject({ ok: true, server: "fake 1", tools: 15 });
  expect(servers.find(({ name }) => name === "away")?.found).toMatchObject({
    ok: false,
    why: expect.stringContaining("away cannot be reached") as string,
  });
  expect(servers.find(({ name }) => name === "broken")?.found).toMatchObject({
    ok: false,
    why: expect.stringMatching(/ended \(1\), saying: Error: Cannot find module 'no-such-thing'$/u) as string,
  });
  expect(servers.find(({ name }) => name === "theirs")).toMatchObject({ counts: false });
  expect(existsSync(path.join(project.dir, "started"))).toBe(false);

  expect((await sylk("mcp", "prompt", "fake", "greet", "all", "of", "us")).out).toBe("Say hello to all of us.\n");
  expect((await sylk("mcp", "prompt", "fake", "greet", "who=you")).out).toBe("Say hello to you.\n");
  expect(await sylk("mcp", "prompt", "fake", "leave")).toMatchObject({ code: 2, err: expect.stringContaining("it has greet") as string });

  await sylk("mcp", "add", "shared", "--project", "--", "true");
  expect((await sylk("mcp", "remove", "theirs")).code).toBe(0);
  expect(JSON.parse(readFileSync(path.join(project.dir, ".mcp.json"), "utf8"))).toEqual({
    mcpServers: { shared: { command: "true", args: [] } },
    other: 1,
  });
  expect(await sylk("mcp", "remove", "theirs")).toMatchObject({
    code: 2,
    err: expect.stringContaining("no list has a server theirs") as string,
  });
  writeFileSync(file, "not JSON");
  expect((await sylk("mcp", "list")).out).toContain("does not count: is not JSON");
  expect(await sylk("mcp", "add", "more", "--", "true")).toMatchObject({
    code: 2,
    err: expect.stringContaining("is not a list of MCP servers") as string,
  });
});

test.skipIf(NO_SANDBOX !== undefined)(
  "a project's server that needs the network says that it runs in the sandbox, and how it is made one's own",
  { timeout: 120_000 },
  async () => {
    const asks = 'fetch("http://192.0.2.1/").catch((error) => { console.error(String(error.cause?.code ?? error)); process.exit(1); });';
    const servers = { mcpServers: { tracker: { command: process.execPath, args: ["-e", asks] } } };
    const project = scriptedProject({ ".mcp.json": JSON.stringify(servers) }, script([]));
    const sylk = (...args: string[]) => runSylk(project.dir, { ...project.env, NO_COLOR: "1" }, args);
    expect((await sylk("trust", "--yes")).code).toBe(0);
    const { out } = await sylk("mcp", "list", "--check");
    expect(out.replaceAll(/\s+/gu, " ")).toMatch(
      /the MCP server tracker ended \(1\).* it runs inside the sandbox, where it reaches no network .* make it yours: `sylk mcp add tracker -- …`/u,
    );
  },
);
