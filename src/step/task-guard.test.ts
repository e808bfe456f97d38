import { mkdirSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { ManualClock } from "../../test/support/manual-clock.ts";
import { shippedRole } from "../../test/support/shipped-roles.ts";
import { tempDir } from "../../test/support/temp.ts";
import { createRedactor } from "../guard/index.ts";
import { createQuestions, sqliteDriver } from "../journal/index.ts";
import { openProject, type Log, systemPaths } from "../kernel/index.ts";
import { taskView } from "./task-view.ts";
import type { ProjectChecks } from "../tooling/index.ts";
import { createTaskGuard } from "./task-guard.ts";

const silent: Log = { debug: () => undefined, info: () => undefined, warn: () => undefined, error: () => undefined };

/** Nothing was found in the project, or a user agreed to it. */
const checksWith = (rule: string | undefined): ProjectChecks => ({
  find: () => Promise.resolve({ usable: [], held: [] }),
  rule: () => Promise.resolve(rule),
  sandboxed: () => Promise.resolve(true),
  programs: () => Promise.resolve([]),
  things: () => Promise.resolve({ things: [], unusable: [] }),
});

async function decided(
  options: { sandboxed: boolean; from: "person" | "project" | "agent"; rule?: string; mode?: "plan" | "default"; kept?: "plan" },
  argv: [string, ...string[]],
) {
  const base = tempDir();
  mkdirSync(path.join(base, "a"));
  const dirs = systemPaths.dirs({ env: { SYLK_HOME: path.join(base, "home") }, platform: process.platform });
  const clock = new ManualClock();
  await using store = await sqliteDriver.open({ path: path.join(base, "sylk.db"), clock, durability: "process", views: [taskView] });
  const guard = createTaskGuard(
    {
      dirs,
      project: openProject(path.join(base, "a"), dirs),
      env: { HOME: base },
      clock,
      policy: options.mode === undefined ? {} : { mode: options.mode },
      redactor: createRedactor(),
      log: silent,
      findCredential: () => Promise.reject(new Error("no credential is looked for")),
      config: () => ({
        security: {
          audit: { log_permissions: true, log_file_ops: true, log_process_exec: true, log_network: true, log_config: true },
          permissions: { use_safe_defaults: true, custom_safe_list: null, persist_permissions: true },
        },
        credential_scopes: {},
      }),
      checks: checksWith(options.rule),
      registryHosts: () => [],
      questions: createQuestions({
        journal: () => Promise.resolve(store.journal),
        clock,
        attended: false,
        redact: (text) => text,
        screen: (text) => Promise.resolve(text),
      }),
      roleOf: shippedRole,
    },
    store,
    options,
  );
  const gate = guard.gateFor({
    id: "t",
    session: "default",
    role: "engineer",
    place: { kind: "project", folder: "." },
    checks: [{ command: "./check.sh", from: options.from }],
    mode: options.kept,
  });
  return await gate.decide({ kind: "run", command: { kind: "direct", argv }, cwd: path.join(base, "a"), background: false, network: [] });
}

test("C5: a permission that was judged with a sandbox holds in it only, whoever named the command", async () => {
  for (const sandboxed of [true, false]) {
    expect(await decided({ sandboxed, from: "project" }, ["ls"])).toMatchObject({ kind: "allow", onlySandboxed: sandboxed });
    expect(await decided({ sandboxed, from: "person" }, ["./check.sh"])).toMatchObject({ kind: "allow", onlySandboxed: sandboxed });
  }
});

test("H2: what was found in the project is not the person's word: without a rule it needs a person", async () => {
  await expect(decided({ sandboxed: false, from: "project" }, ["./check.sh"])).rejects.toMatchObject({ code: "QUESTION_OPEN" });
  expect(await decided({ sandboxed: false, from: "project", rule: "trusted as it is" }, ["./check.sh"])).toMatchObject({ kind: "allow" });
});

test("what a model wrote into a plan is no check: inside a sandbox too it is judged like any of its commands; who only plans runs what the user named", async () => {
  const rule = "a check of the project, inside the sandbox";
  const kinds = async (mode?: "plan"): Promise<string[]> => {
    const found: string[] = [];
    for (const from of ["project", "agent", "person"] as const)
      found.push((await decided({ sandboxed: true, from, rule, ...(mode === undefined ? {} : { mode }) }, ["./check.sh"])).kind);
    return found;
  };
  expect(await kinds()).toEqual(["allow", "deny", "allow"]);
  expect(await kinds("plan")).toEqual(["deny", "deny", "allow"]);
});

test("the mode a task was begun in counts where this run was given none, and gives way to one that was named", async () => {
  const found = { sandboxed: true, from: "project", rule: "a check of the project", kept: "plan" } as const;
  expect(await decided(found, ["./check.sh"])).toMatchObject({ kind: "deny", reason: "plan mode only looks" });
  expect(await decided({ ...found, mode: "default" }, ["./check.sh"])).toMatchObject({ kind: "allow" });
});
