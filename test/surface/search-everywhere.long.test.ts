/** `search-everywhere.test.ts` goes on here with what takes longer. */
import { spawnSync } from "node:child_process";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { expect, onTestFinished, test } from "vitest";
import { systemClock } from "../../src/kernel/index.ts";
import { knowledgeSkills } from "../../src/step/extensions/knowledge/all-skills.ts";
import type { Skill } from "../../src/step/extensions/knowledge/skill.ts";
import { createMcpServer, serveHttp } from "../../src/surface/mcp/index.ts";
import { openApp } from "../support/lab.ts";
import { tempDir } from "../support/temp.ts";
import { MAIN } from "../support/built-command.ts";
import { shop } from "./search-everywhere.ts";

const QUESTION = "where does a visitor get back the session after a cookie was read?";

const signal = new AbortController().signal;

interface Hit {
  path: string;
  text: string;
  why?: string[];
}

test("command line, batch, MCP, a role's skill and what a task loads rank alike, and each hit has three to six lines", async () => {
  const { root } = shop();
  const home = tempDir("sylk-home");
  const env = { PATH: process.env["PATH"] ?? "", HOME: home, SYLK_HOME: home, NODE_COMPILE_CACHE: process.env["NODE_COMPILE_CACHE"] };
  const run = (args: readonly string[], input = ""): string =>
    spawnSync(process.execPath, [MAIN, "-C", root, ...args], { env, encoding: "utf8", input }).stdout;
  const json = JSON.parse(run(["search", QUESTION, "--domain", "code", "-k", "4", "--json"]).trim().split("\n").at(-1) ?? "") as {
    results: Hit[];
  };
  const paths = (hits: readonly { path?: string | undefined }[]): string[] => hits.map((hit) => hit.path ?? "");
  const ranking = paths(json.results);
  expect(ranking).toHaveLength(4);
  expect(ranking[0]).toBe("src/session.ts");
  for (const hit of json.results) {
    expect(hit.text.split("\n").length).toBeLessThanOrEqual(6);
    expect(hit.text).not.toBe("");
    expect(hit.why).toBeUndefined();
  }
  expect(json.results[0]?.text).toContain("Brings a visitor back to the session");

  const batch = JSON.parse(run(["search", "--batch"], JSON.stringify({ id: 1, text: QUESTION, domain: "code", k: 4, why: true }))) as {
    results: Hit[];
  };
  expect(batch.results).toMatchObject(json.results);
  expect(batch.results[0]?.why?.join()).toContain("text");

  const app = await openApp({ cwd: root, env, clock: systemClock });
  onTestFinished(async () => app.close());
  const token = "t".repeat(64);
  await using server = await serveHttp(() => createMcpServer(app.api, signal), { port: 0, token });
  const client = new Client({ name: "test", version: "1" });
  await client.connect(
    new StreamableHTTPClientTransport(new URL(server.url), { requestInit: { headers: { authorization: `Bearer ${token}` } } }),
  );
  const told = (await client.callTool({ name: "search", arguments: { query: QUESTION, domain: "code", k: 4 } })) as {
    content: { text: string }[];
  };
  await client.close();
  expect((JSON.parse(told.content[0]?.text ?? "") as { results: Hit[] }).results).toEqual(json.results);

  const skill = knowledgeSkills({ knowledge: app.knowledge, root, redact: (text) => text }).find(
    (one) => one.name === "search_code",
  ) as Skill;
  const skilled = await skill.run(skill.schema.parse({ query: QUESTION, limit: 4 }), { signal } as Parameters<Skill["run"]>[1]);
  expect(paths(skilled.results)).toEqual(ranking);

  const packed = await app.knowledge.context({ text: QUESTION, domain: "code", k: 4, signal });
  const loaded = [...new Set(packed.items.map(({ node }) => node.path ?? ""))];
  expect(loaded).toEqual(ranking.filter((file) => loaded.includes(file)));
  expect(loaded[0]).toBe(ranking[0]);
});
