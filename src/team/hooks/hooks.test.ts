import { expect, test } from "vitest";
import { hookAnswer } from "./hook-answer.ts";
import { HookHealth } from "./hook-health.ts";
import { readHooks, usable, type Hook } from "./read-hooks.ts";
import { changedInput, namesOf, shownInputs } from "./tool-names.ts";

const ended = (exitCode: number, stdout = "", stderr = "") =>
  ({ kind: "exited", exitCode, signal: null, stdout, stderr, partial: false }) as unknown as Parameters<typeof hookAnswer>[1];

test("exit 2 is a no with what was complained; where nothing can be stopped it is told to the user", () => {
  expect(hookAnswer("PreToolUse", ended(2, "", "not\nhere\n"))).toEqual({ kind: "answered", block: "not here" });
  expect(hookAnswer("PreToolUse", ended(2))).toEqual({ kind: "answered", block: "it gave no reason" });
  expect(hookAnswer("SessionEnd", ended(2, "", "late"))).toEqual({ kind: "answered", message: "late" });
  expect(hookAnswer("PreToolUse", ended(1, "", "oops"))).toEqual({ kind: "failed", why: "it ended with 1: oops" });
});

test.each([
  ["decision", { decision: "block", reason: "r" }, "r"],
  ["permissionDecision", { hookSpecificOutput: { permissionDecision: "deny", permissionDecisionReason: "r" } }, "r"],
  ["ask", { hookSpecificOutput: { permissionDecision: "ask", permissionDecisionReason: "r" } }, "a person should decide this: r"],
  ["continue", { continue: false, stopReason: "r" }, "r"],
])("a no as JSON: %s", (_how, answer, block) => {
  expect(hookAnswer("PreToolUse", ended(0, JSON.stringify(answer)))).toMatchObject({ block });
});

test("plain text is for the agent where the event says so; other arguments are taken before an action only", () => {
  expect(hookAnswer("UserPromptSubmit", ended(0, "on main\n"))).toMatchObject({ context: "on main" });
  expect(hookAnswer("PreToolUse", ended(0, "on main\n"))).toEqual({ kind: "answered", context: undefined });
  const updated = ended(0, '{"updatedInput":{"command":"ls"}}');
  expect(hookAnswer("PreToolUse", updated)).toMatchObject({ input: { command: "ls" } });
  expect(hookAnswer("PostToolUse", updated)).toMatchObject({ input: undefined });
});

test("what a hook changed under either name becomes our argument; what it gave back as it was is left alone", () => {
  const args = { path: "a.txt", find: "x", replace: "y" };
  const [shown] = shownInputs("edit_file", args, "/p");
  expect(shown).toEqual({ ...args, file_path: "/p/a.txt", old_string: "x", new_string: "y" });
  expect(changedInput(args, shown ?? {}, { ...shown, new_string: "z" }, "/p")).toEqual({ ...args, replace: "z" });
  expect(changedInput(args, shown ?? {}, { file_path: "/p/sub/b.txt" }, "/p")).toEqual({ ...args, path: "sub/b.txt" });
  expect(namesOf("multi_edit")).toContain("Edit");
});

const sources = (hooks: unknown) => ({
  settings: () => hooks as ReturnType<Parameters<typeof readHooks>[0]["settings"]>,
  userFile: "config.yaml",
  projectDir: "/nowhere",
  trusts: () => false,
});

test("a matcher is the whole name; one wrong entry does not take the others with it", () => {
  const command = { type: "command", command: "true" };
  const found = readHooks(
    sources({ PreToolUse: [{ matcher: "Edit|Bash", hooks: [command, { type: "prompt" }] }, 7, { hooks: [command] }] }),
    "/nowhere",
  );
  const [first, all] = usable(found, "PreToolUse");
  expect(["Edit", "Bash", "MultiEdit"].map((name) => first?.matches(name))).toEqual([true, true, false]);
  expect(all?.matches("anything")).toBe(true);
  expect(found.filter(({ idle }) => idle !== undefined)).toHaveLength(2);
});

test("a hook that works in between is forgiven", () => {
  const health = new HookHealth();
  const hook: Hook = { event: "Stop", matcher: undefined, command: "x", timeoutMs: 1, from: "user", file: "f", idle: undefined };
  expect(health.failed(hook, "a")).toBeUndefined();
  expect(health.failed(hook, "b")).toMatchObject({ outcome: "warned" });
  health.worked(hook);
  expect([health.failed(hook, "c"), health.isStopped(hook)]).toEqual([undefined, false]);
  health.failed(hook, "d");
  expect(health.failed(hook, "e")).toMatchObject({ outcome: "stopped" });
  expect(health.isStopped(hook)).toBe(true);
});
