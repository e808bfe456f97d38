import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { modelRequest, never, openTestGate } from "../../../test/support/model-gate.ts";
import { tempDir } from "../../../test/support/temp.ts";
import type { ModelRequest, ModelResult } from "../types.ts";

const RULES = [
  {
    when: { step: 1, text: "in (?<dir>\\S+)" },
    answer: {
      text: "Reading.\nThen more.",
      tool_calls: [{ name: "read_file", input: { path: "{{dir}}/a.ts" } }],
      usage: { input: 50, output: 9, cache_read: 10 },
    },
  },
  { when: { step: 2, text: "key" }, answer: { text: "your key is sk-secret", reasoning: "sk-secret looks fine" } },
  { answers: [{ text: "x" }] },
];
const TOOL = { name: "read_file", description: "Reads a file.", inputSchema: { type: "object" } };
const redact = (text: string): string => text.replaceAll("sk-secret", "[REDACTED]");
const one = (cwd: string): ModelRequest =>
  modelRequest({ tools: [TOOL], user: `Task task_01k0000000000000000000abcd in ${cwd}\nat 2026-01-02T03:04:05.678Z\nline three` });

async function recorded(): Promise<string> {
  const gate = openTestGate({ rules: RULES, config: { record: "tape.yaml" }, options: { redact } });
  await gate.stream(one(gate.cwd), never).result();
  await gate.stream(modelRequest({ step: 2, user: "the key sk-secret" }), never).result();
  return path.join(gate.cwd, "tape.yaml");
}

function replay(request: ModelRequest, tape: string, suffix = "", cwd = tempDir()): Promise<ModelResult> {
  return openTestGate({ cwd, options: { redact } })
    .stream({ ...request, model: `replay/${tape}${suffix}` }, never)
    .result();
}

test("a recording is one readable file without secrets", async () => {
  const tape = await recorded();
  const text = readFileSync(tape, "utf8");
  expect(text).toMatch(/^# Recorded model calls/);
  expect(text).toContain("text: |-\n    Reading.\n    Then more.");
  expect(text).toContain("[REDACTED]");
  expect(text).not.toContain("sk-secret");
  expect(text).not.toContain(path.dirname(tape));
});

test("replay gives the recorded answer to an equal request, although ids, times and the folder differ", async () => {
  const tape = await recorded();
  const elsewhere = tempDir();
  const request = {
    ...one(elsewhere),
    user: one(elsewhere).user.replace("abcd", "wxyz").replace("03:04", "10:20"),
    task: "another",
    session: "another",
  };
  expect(await replay(request, tape, "", elsewhere)).toMatchObject({
    kind: "ok",
    provider: "replay",
    text: "Reading.\nThen more.",
    stopReason: "tool_use",
    toolCalls: [{ name: "read_file", input: { path: `${elsewhere}/a.ts` } }],
    usage: { inputTokens: 50, outputTokens: 9, cacheReadTokens: 10, estimated: false },
    costUsd: 0,
  });
  expect(await replay(modelRequest({ step: 2, user: "the key sk-secret" }), tape)).toMatchObject({
    kind: "ok",
    text: "your key is [REDACTED]",
    reasoning: "[REDACTED] looks fine",
  });
});

test("strict replay refuses a changed request and says what changed", async () => {
  const tape = await recorded();
  const cwd = tempDir();
  const changed = { ...one(cwd), user: one(cwd).user.replace("line three", "line four"), tools: [TOOL, { ...TOOL, name: "edit_file" }] };
  const result = await replay(changed, tape, "", cwd);
  expect(result).toMatchObject({ kind: "failed", attempts: 1, error: { code: "MODEL_REPLAY_MISMATCH", tier: "permanent" } });
  const message = result.kind === "failed" ? result.error.message : "";
  expect(message).toContain("- line three");
  expect(message).toContain("+ line four");
  expect(message).toContain("+ edit_file");
  expect(message).not.toContain("Task <id>");
});

test("lenient replay takes the nearest recorded call", async () => {
  const tape = await recorded();
  expect(await replay(modelRequest({ step: 1, user: "something else" }), tape, "?lenient")).toMatchObject({
    kind: "ok",
    text: "Reading.\nThen more.",
  });
});

test("lenient replay gives each of two that work at once its own answers, whoever asks first and although words changed", async () => {
  const ask = (part: string, step: number, words = "Do it well."): ModelRequest =>
    modelRequest({ step, task: part, user: `${words}\nThe goal of both.\n\nyour part of it:\n${part}\nadd ${part}\n\nStep ${step}` });
  const asked = [ask("csv", 1), ask("html", 1), ask("csv", 2), ask("html", 2)];
  const rules = asked.map(({ task, step }) => ({ when: { task, step }, answer: { text: `${task} ${step}` } }));
  const gate = openTestGate({ rules, config: { record: "tape.yaml" } });
  for (const request of asked) await gate.stream(request, never).result();
  const player = openTestGate({});
  const said: unknown[] = [];
  for (const [part, step] of [
    ["html", 1],
    ["html", 2],
    ["csv", 1],
    ["csv", 2],
  ] as const) {
    const request = { ...ask(part, step, "Do it better."), task: "another", model: `replay/${gate.cwd}/tape.yaml?lenient` };
    const result = await player.stream(request, never).result();
    said.push(result.kind === "ok" ? result.text : result);
  }
  expect(said).toEqual(["html 1", "html 2", "csv 1", "csv 2"]);
});

test("a recording names no folder of a work tree", async () => {
  const gate = openTestGate({ rules: [{ answer: { text: "ok" } }], config: { record: "tape.yaml" } });
  const user = (home: string): string => `at file://${home}/sylk/data/work/trees/team_01k0000000000000000000abcd/a.js:1`;
  await gate.stream(modelRequest({ user: user("/home/ann") }), never).result();
  const tape = path.join(gate.cwd, "tape.yaml");
  expect(readFileSync(tape, "utf8")).toContain("at file:<tree>/a.js:1");
  expect(await replay(modelRequest({ user: user("/home/bob") }), tape)).toMatchObject({ kind: "ok", text: "ok" });
});

test("a recording names no folder of a tree of tests, nor a path that was cut to fit", async () => {
  const gate = openTestGate({ rules: [{ answer: { text: "ok" } }], config: { record: "tape.yaml" } });
  const user = (home: string, left: number): string =>
    [
      `no '${home}/data/work/trees/team_01k0000000000000000000abcd_tests_1/a.js' here`,
      `from ${home}/data/work/trees/team_01k00… (+${left} characters)`,
      `in ${home}/da… (+${left + 30} characters), see src/a.js… (+7 characters)`,
    ].join("\n");
  await gate.stream(modelRequest({ user: user("/home/ann", 20) }), never).result();
  const tape = path.join(gate.cwd, "tape.yaml");
  const text = readFileSync(tape, "utf8");
  expect(text).not.toContain("ann");
  for (const line of ["no '<tree>/a.js' here", "from <cut>", "in <cut>, see src/a.js… (+7 characters)"]) expect(text).toContain(line);
  expect(await replay(modelRequest({ user: user("/home/robert", 23) }), tape)).toMatchObject({ kind: "ok", text: "ok" });
});

test("equal requests are answered in the order of the recording", async () => {
  const gate = openTestGate({
    rules: [{ when: { task: "a" }, answer: { text: "first" } }, { answer: { text: "second" } }],
    config: { record: "tape.yaml" },
  });
  await gate.stream(modelRequest({ task: "a" }), never).result();
  await gate.stream(modelRequest({ task: "b" }), never).result();
  const player = openTestGate({});
  const say = async (): Promise<unknown> => {
    const result = await player.stream(modelRequest({ model: `replay/${gate.cwd}/tape.yaml` }), never).result();
    return result.kind === "ok" ? result.text : result;
  };
  expect([await say(), await say(), await say()]).toEqual(["first", "second", "second"]);
});

test("a file that is no cassette is named with what to do", async () => {
  const file = path.join(tempDir(), "x.yaml");
  expect(await replay(modelRequest(), file)).toMatchObject({ kind: "failed", error: { code: "MODEL_CASSETTE_UNREADABLE" } });
  writeFileSync(file, "hello: world");
  expect(await replay(modelRequest(), file)).toMatchObject({
    kind: "failed",
    error: { code: "MODEL_CASSETTE_UNREADABLE", fix: expect.stringContaining("replay/<path>") },
  });
});
