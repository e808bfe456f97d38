/**
 * The attacker has: a make target or a test that an agent runs in the sandbox, on a machine where `sylk serve` was
 * used. With the token of that server he could do what the person may. He wants to read it, or to have it printed.
 */
import { mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { configSchema } from "../../../src/app/config-schema.ts";
import { sandboxPolicy } from "../../../src/app/sandbox-policy.ts";
import { createAuth, createRedactor, serverToken } from "../../../src/guard/index.ts";
import { openProject, systemClock, systemPaths } from "../../../src/kernel/index.ts";
import { NO_SANDBOX, run, sandboxWith, sandboxedWorkspace } from "../../support/sandboxed.ts";
import { tempDir } from "../../support/temp.ts";

/** The person's home lies where a command can look, as homes do. */
function served() {
  const home = tempDir("served");
  const root = path.join(home, "project");
  mkdirSync(root);
  const env = { HOME: home };
  const dirs = systemPaths.dirs({ env, platform: "linux" });
  return { home, root, env, dirs, tokens: (["api", "mcp"] as const).map((server) => serverToken(env, server)) };
}

test.skipIf(NO_SANDBOX !== undefined)("H1: a sandboxed command does not see the tokens of servers, nor the logs beside them", async () => {
  const { home, env, dirs, tokens } = served();
  const lines = tokens.map(({ file }) => `cat ${file}`);
  // The counter-proof: what stands beside the hidden folder is read.
  const beside = path.join(path.dirname(dirs.state), "beside");
  writeFileSync(beside, "seen\n");
  const policy = sandboxPolicy(configSchema.parse({}), { dirs, project: home, env, alsoHidden: [] });
  await using byPolicy = sandboxedWorkspace(home, sandboxWith({ own: policy.own }));
  await using byHome = sandboxedWorkspace(home, sandboxWith({}, home));
  for (const workspace of [byPolicy, byHome]) {
    expect(await run(workspace, `cat ${beside}`)).toEqual({ code: 0, said: "seen\n" });
    for (const [i, line] of lines.entries()) {
      const { code, said } = await run(workspace, line);
      expect(code).not.toBe(0);
      expect(said).not.toContain(tokens[i]?.token);
    }
  }
});

test("H1: every process that has signed-in keys redacts the tokens, not only the one that serves", () => {
  const { root, env, dirs, tokens } = served();
  writeFileSync(path.join(dirs.state, "broken-token"), "short", { mode: 0o600 });
  const redactor = createRedactor();
  const onValue = (value: string): void => redactor.addKnownValue(value);
  createAuth({ dirs, project: openProject(root, dirs), env, clock: systemClock, profile: () => "default", onValue });
  for (const { token } of tokens) expect(redactor.redact(`it is ${token}.`).text).not.toContain(token);
});
