/** Starts a language server as an edit does, says its process, and stays. */
import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { systemClock } from "../../src/kernel/index.ts";
import { createLanguageServers } from "../../src/tooling/language-servers/language-servers.ts";
import { createSandbox } from "../../src/workspace/index.ts";
import { lookedAt } from "../support/looked-at.ts";
import { defaultSandboxPolicy } from "../support/sandbox-policy.ts";

const [folder = "", mode = "always"] = process.argv.slice(2);
const sandbox = createSandbox({
  policy: { ...defaultSandboxPolicy, mode: mode === "always" ? "off" : "require" },
  home: "/nonexistent",
  env: {},
  clock: systemClock,
});
const servers = createLanguageServers({
  env: process.env,
  clock: systemClock,
  sandbox: () => sandbox,
  mode: () => (mode === "always" ? "always" : "sandboxed"),
  trusts: () => true,
  deadlineMs: () => 20_000,
});
await servers.changing(lookedAt(folder), ["a.fake"]);
writeFileSync(path.join(folder, "a.fake"), "BAD\n");
const report = await servers.changed(lookedAt(folder), ["a.fake"], new AbortController().signal);
process.stdout.write(`${JSON.stringify({ ...report, pids: readFileSync(path.join(folder, "pids"), "utf8") })}\n`);
process.stdin.resume();
