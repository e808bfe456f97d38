/** `mcp-servers.test.ts` goes on here with what takes longer. */
import { mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { stringify } from "yaml";
import { openHeadlessSession } from "../support/headless-session.ts";
import { script, scriptedProject } from "../support/scripted-project.ts";
import { runSylk } from "../support/run-sylk.ts";
import { FAKE } from "./mcp-servers.ts";

test("in a session a server's prompt is said as a request, and nothing in it is taken for a command", { timeout: 120_000 }, async () => {
  const project = scriptedProject({ "a.txt": "one\n" }, script([{ name: "complete", input: { summary: "hello" } }]));
  const home = project.env["SYLK_HOME"] ?? "";
  mkdirSync(home, { recursive: true });
  writeFileSync(path.join(home, "mcp.json"), JSON.stringify({ mcpServers: { fake: { command: process.execPath, args: [FAKE] } } }));
  writeFileSync(path.join(home, "config.yaml"), stringify({ llm: { default_model: project.rules }, team: { classify: false } }));
  await using session = await openHeadlessSession(project);
  await session.sees("ready");
  session.say("/fake:greet who=you");
  await session.sees(/As the MCP server fake puts it:/u);
  await session.sees(/ready/u);
  session.say("/fake:leave");
  await session.sees("fake has no prompt leave");
  const listed = await runSylk(project.dir, { ...project.env, NO_COLOR: "1" }, ["session", "list", "--json"]);
  expect(listed.out).toContain("As the MCP server fake puts it:\\nSay hello to you.");
});
