/** Edits a file beside a language server, closes the servers, and has nothing more to do. */
import { writeFileSync } from "node:fs";
import path from "node:path";
import { systemClock } from "../../../src/kernel/index.ts";
import { createLanguageServers } from "../../../src/tooling/language-servers/language-servers.ts";
import { createSandbox } from "../../../src/workspace/index.ts";
import { lookedAt } from "../../support/looked-at.ts";
import { defaultSandboxPolicy } from "../../support/sandbox-policy.ts";

const [folder = ""] = process.argv.slice(2);
const sandbox = createSandbox({ policy: { ...defaultSandboxPolicy, mode: "off" }, home: folder, env: {}, clock: systemClock });
const servers = createLanguageServers({
  env: process.env,
  clock: systemClock,
  sandbox: () => sandbox,
  mode: () => "always",
  trusts: () => true,
  deadlineMs: () => 500,
});
await servers.changing(lookedAt(folder), ["a.fake"]);
writeFileSync(path.join(folder, "a.fake"), "BAD\n");
const { missing } = await servers.changed(lookedAt(folder), ["a.fake"], new AbortController().signal);
await servers.close();
process.stdout.write(`closed, without ${missing.map(({ server }) => server).join()}\n`);
