/** Real shell hooks around a scripted task: what they refuse, add, change, break, and when they run. */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { stringify } from "yaml";
import type { App } from "../support/lab.ts";
import { filesOf, script, scriptedProject, type ScriptedCall, type ScriptedProject } from "../support/scripted-project.ts";
import { systemPaths } from "../../src/kernel/index.ts";

const never = new AbortController().signal;
const FILES = { "a.txt": "one\n", "b.txt": "two\n" };
const write = (file: string, content: string): ScriptedCall => ({ name: "write_file", input: { path: file, content } });
const run = (command: string): ScriptedCall => ({ name: "run_command", input: { command } });
const enough: ScriptedCall = { name: "ask_user", input: { question: "enough?" } };

type Groups = Record<string, { matcher?: string; hooks: { type: string; command: string; timeout?: number }[] }[]>;
const on = (event: string, command: string, more: { matcher?: string; timeout?: number } = {}): Groups => ({
  [event]: [
    {
      ...(more.matcher === undefined ? {} : { matcher: more.matcher }),
      hooks: [{ type: "command", command, ...(more.timeout === undefined ? {} : { timeout: more.timeout }) }],
    },
  ],
});

function project(steps: readonly (ScriptedCall | readonly ScriptedCall[])[], hooks: Groups): ScriptedProject {
  const made = scriptedProject(FILES, script(steps));
  const { config } = systemPaths.dirs({ env: made.env, platform: process.platform });
  mkdirSync(config, { recursive: true });
  writeFileSync(path.join(config, "config.yaml"), stringify({ hooks }));
  return made;
}

async function start(app: App, { rules }: ScriptedProject) {
  const common = { goal: "work on it", criteria: [], constraints: [], checks: [], profile: "minimal", maxSteps: undefined };
  return app.tasks.start({ ...common, model: rules, type: "implement_feature", role: "engineer" });
}

/** Every action of a task, one line each, and what the user was told of hooks. */
async function worked(steps: readonly (ScriptedCall | readonly ScriptedCall[])[], hooks: Groups) {
  const made = project(steps, hooks);
  const app = await made.open();
  const told: string[] = [];
  const id = await start(app, made);
  const end = await app.tasks.run(
    id,
    (line) => {
      if (line.type === "action" && line.action === "hooks") told.push(`${line.outcome}: ${line.target}: ${line.summary}`);
    },
    never,
  );
  const seen = (await app.tasks.context(id)).user;
  const audit = [];
  for await (const line of app.audit.query({}, never)) audit.push(line);
  await app.close();
  return { ...made, end, told, seen, audit, steps: end.steps.map(({ actions }) => actions.join("\n")) };
}

test("a hook that says no before a tool is the refusal the model reads, and nothing was done", async () => {
  const { steps, dir, seen } = await worked(
    [write("a.txt", "1\n"), run("echo hello"), write("b.txt", "2\n"), enough],
    on("PreToolUse", `grep -q '"file_path":"[^"]*/a.txt"' && { echo "a.txt is not yours" >&2; exit 2; }; exit 0`, {
      matcher: "Edit|Write",
    }),
  );
  expect(steps[0]).toBe("write_file a.txt → FAILED write_file was refused: a hook says: a.txt is not yours");
  expect(steps[1]).toContain("exited with 0");
  expect(filesOf(dir)).toMatchObject({ "a.txt": "one\n", "b.txt": "2\n" });
  expect(seen).toContain("a hook says: a.txt is not yours");
});

test("every way to a file is shown: moved, deleted, or one of several edits", async () => {
  const { dir } = await worked(
    [
      { name: "move_file", input: { from: "b.txt", to: "sub/a.txt" } },
      { name: "delete_file", input: { path: "a.txt" } },
      {
        name: "multi_edit",
        input: {
          edits: [
            { path: "b.txt", find: "two", replace: "x" },
            { path: "a.txt", find: "one", replace: "x" },
          ],
        },
      },
      enough,
    ],
    on("PreToolUse", `grep -q '"file_path":"[^"]*/a.txt"' && exit 2; exit 0`, { matcher: "Edit" }),
  );
  expect(filesOf(dir)).toEqual(FILES);
});

test("JSON answers: a reason, words for the agent, other arguments that fit the action, and never a permission", async () => {
  const answer = (value: object): string => `cat > /dev/null; printf '%s' '${JSON.stringify(value)}'`;
  const denied = await worked([run("echo hello"), enough], on("PreToolUse", answer({ decision: "block", reason: "not today" })));
  expect(denied.steps[0]).toContain("run_command was refused: a hook says: not today");

  const changed = await worked(
    [write("a.txt", "1\n"), enough],
    on("PreToolUse", answer({ hookSpecificOutput: { updatedInput: { content: "better\n" }, additionalContext: "I made it better" } })),
  );
  expect(changed.steps[0]).toContain("a hook adds: I made it better");
  expect(filesOf(changed.dir)["a.txt"]).toBe("better\n");

  const unfit = await worked([write("a.txt", "1\n"), enough], on("PreToolUse", answer({ updatedInput: { content: 7 } })));
  expect(filesOf(unfit.dir)["a.txt"]).toBe("1\n");

  const outside = await worked(
    [write("a.txt", "1\n"), enough],
    on("PreToolUse", answer({ hookSpecificOutput: { permissionDecision: "allow", updatedInput: { path: "../planted.txt" } } })),
  );
  expect(existsSync(path.join(outside.base, "planted.txt"))).toBe(false);
  expect(outside.steps[0]).toContain("FAILED");
});

test("after a tool a hook adds to its result, or makes it a failure; what was done stands", async () => {
  const hook = `grep -q 'a.txt' && { echo "a.txt has no tests" >&2; exit 2; }; echo '{"additionalContext":"looked at it"}'`;
  const { steps, dir } = await worked(
    [write("a.txt", "1\n"), write("b.txt", "2\n"), enough],
    on("PostToolUse", hook, { matcher: "Write" }),
  );
  expect(steps[0]).toMatch(/^write_file a\.txt → FAILED changed modify a\.txt; a hook says: a\.txt has no tests$/u);
  expect(steps[1]).toMatch(/^write_file b\.txt → changed modify b\.txt; a hook adds: looked at it$/u);
  expect(filesOf(dir)).toMatchObject({ "a.txt": "1\n", "b.txt": "2\n" });
});

test("a task that wants to be complete is held back with the reason, and can tell that it was", async () => {
  const hook = `grep -q '"stop_hook_active":true' || { echo "say more" >&2; exit 2; }`;
  const done: ScriptedCall = { name: "complete", input: { summary: "done" } };
  const { end, steps } = await worked([write("a.txt", "1\n"), done, done], on("Stop", hook));
  expect(steps[1]).toContain("complete was refused: a hook says: say more");
  expect(end.status).toBe("complete");
});

test("hooks hear of the request, the task, its end and the session, in order, with JSON on their input", async () => {
  const events = ["SessionStart", "UserPromptSubmit", "TaskCreated", "PreToolUse", "PostToolUse", "TaskCompleted", "Stop", "SessionEnd"];
  const log = `{ cat; } >> "$HOME/heard.jsonl"; [ "$1" ] || true`;
  const hooks = Object.assign({}, ...events.map((event) => on(event, log))) as Groups;
  const { base, dir } = await worked([write("a.txt", "1\n"), { name: "complete", input: { summary: "done" } }], hooks);
  const heard = readFileSync(path.join(base, "heard.jsonl"), "utf8")
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as Record<string, unknown>);
  expect(heard.map((one) => one["hook_event_name"])).toEqual(events);
  expect(heard.map((one) => one["cwd"])).toEqual(events.map(() => dir));
  expect(heard[1]).toMatchObject({ prompt: "work on it" });
  expect(heard[3]).toMatchObject({
    tool_name: "Write",
    action: "write_file",
    tool_input: { file_path: path.join(dir, "a.txt"), content: "1\n" },
  });
  expect(heard[4]).toMatchObject({ tool_response: { success: true } });
});

test("a request that a hook refuses begins nothing; what hooks say of one is part of it", async () => {
  const made = project([enough], on("UserPromptSubmit", `echo "ask the team first" >&2; exit 2`));
  const app = await made.open();
  await expect(start(app, made)).rejects.toMatchObject({
    code: "HOOK_REFUSED",
    message: "a hook does not let this begin: ask the team first",
    fix: expect.stringContaining("config.yaml") as string,
  });
  expect(await app.tasks.list()).toEqual([]);
  await app.close();
  const { seen } = await worked([enough], {
    ...on("UserPromptSubmit", "echo 'branch: HERON'"),
    ...on("SessionStart", "echo 'host: CRANE'"),
  });
  expect(seen).toMatch(/CRANE[\s\S]*HERON/u);
});

test.each([
  ["hangs", "sleep 600", "did not end within", 0.3],
  ["dies", "kill -9 $$", "ended with", 60],
  ["floods", "yes | head -c 300000", "printed more than 64 KiB", 60],
  ["is not there", "/no/such/program", "ended with 127", 60],
  ["prints nonsense", "echo '{ no'", "begins like JSON and is none", 60],
  ["answers something else", `echo '{"decision":"perhaps"}'`, "cannot be understood", 60],
])(
  "a hook that %s: once nothing, twice a warning, then it is left alone, and the work goes on",
  { timeout: 60_000 },
  async (_what, command, why, timeout) => {
    const steps = [1, 2, 3, 4].map((n) => write("a.txt", `${n}\n`));
    const hook = on("PreToolUse", `echo . >> "$HOME/count"; ${command}`, { matcher: "Write", timeout });
    const { told, dir, base } = await worked([...steps, enough], hook);
    expect(filesOf(dir)["a.txt"]).toBe("4\n");
    expect(told).toEqual([
      expect.stringMatching(new RegExp(`^warned: PreToolUse .*failed twice.*${why}`, "u")),
      expect.stringMatching(new RegExp(`^stopped: PreToolUse .*not used any more.*${why}.*sylk hooks test PreToolUse`, "u")),
    ]);
    expect(readFileSync(path.join(base, "count"), "utf8")).toBe(".\n.\n.\n");
  },
);

test("what a hook runs is in the audit trail, and a secret it prints is in no text", async () => {
  const secret = "ghp_abcdefghijklmnopqrstuvwxyz0123456789";
  const { audit, seen, steps } = await worked(
    [write("a.txt", "1\n"), enough],
    on("PreToolUse", `echo "token ${"ghp_abcdefghijklmnop"}""qrstuvwxyz0123456789" >&2; exit 2`),
  );
  expect(steps[0]).toContain("a hook says: token");
  expect(`${seen}${steps.join("")}`).not.toContain(secret);
  expect(audit).toContainEqual(expect.objectContaining({ action: "hook", rule: expect.stringContaining("the user's own hook") as string }));
});

test("a hook sees only calls that passed their own checks: no unfit arguments, nothing with a secret in it", async () => {
  const secret = ["ghp_", "abcdefghijklmnopqrstuvwxyz0123456789"].join("");
  const { base, steps } = await worked(
    [{ name: "write_file", input: { path: "a.txt" } }, write("a.txt", `${secret}\n`), write("b.txt", "2\n"), enough],
    on("PreToolUse", 'cat >> "$HOME/heard"'),
  );
  expect(steps[1]).toContain("holds a secret");
  const heard = readFileSync(path.join(base, "heard"), "utf8").trim().split("\n");
  expect(heard).toHaveLength(1);
  expect(heard[0]).toContain("b.txt");
});

test("HOO-004: hooks of one event run in order, each with what the one before made of it; a no before a tool ends the chain and is the tool's error, a no after it makes its result a failure; journal and audit hold both all the same", async () => {
  const log = (name: string): string =>
    `read -r line; printf '%s ${name} %s\\n' "$(echo "$line" | grep -o '[ab][.]txt' | head -n 1)" "$(echo "$line" | grep -o '"content":"[^"]*"')" >> "$HOME/chain.txt"`;
  const isA = `echo "$line" | grep -q 'a[.]txt'`;
  const one = (command: string) => ({ type: "command", command });
  const hooks: Groups = {
    PreToolUse: [
      { matcher: "Write", hooks: [one(`${log("first")}; ${isA} && printf '%s' '{"updatedInput":{"content":"better"}}'; exit 0`)] },
      { matcher: "Write", hooks: [one(`${log("second")}; ${isA} || { echo "b.txt is mine" >&2; exit 2; }`)] },
      { matcher: "Write", hooks: [one(log("third"))] },
    ],
    PostToolUse: [{ matcher: "Write", hooks: [one(`echo "it has no tests" >&2; exit 2`)] }],
  };
  const { base, dir, steps, audit, end } = await worked([write("a.txt", "good"), write("b.txt", "more"), enough], hooks);
  expect(readFileSync(path.join(base, "chain.txt"), "utf8").trim().split("\n")).toEqual([
    'a.txt first "content":"good"',
    'a.txt second "content":"better"',
    'a.txt third "content":"better"',
    'b.txt first "content":"more"',
    'b.txt second "content":"more"',
  ]);
  expect(filesOf(dir)).toMatchObject({ "a.txt": "better", "b.txt": "two\n" });
  expect(steps[0]).toBe("write_file a.txt → FAILED changed modify a.txt; a hook says: it has no tests");
  expect(steps[1]).toBe("write_file b.txt → FAILED write_file was refused: a hook says: b.txt is mine");
  expect(end.changed_files).toEqual(["a.txt"]);
  const written = audit.filter(({ category, action }) => category === "file" && action !== "read");
  expect(written.map(({ action, target, outcome }) => [action, target, outcome])).toEqual([["modify", "a.txt", "allowed"]]);
});
