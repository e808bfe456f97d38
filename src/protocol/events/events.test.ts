import { readFileSync, readdirSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { z } from "zod";
import { actorText } from "./actor.ts";
import { decode, defineEvent, payloads, type JournalEvent } from "./define-event.ts";
import { EVENTS } from "./index.ts";

const grown = defineEvent({
  type: "test.grown",
  version: 3,
  schema: z.object({ first: z.string(), last: z.string(), tall: z.boolean() }),
  upcast: (old, from) =>
    from === 1
      ? Object.fromEntries((old["name"] as string).split(" ").map((part, i) => [i === 0 ? "first" : "last", part]))
      : { ...old, tall: false },
});

test("an older payload becomes the newest step by step", () => {
  const newest = { kind: "known", value: { first: "Ada", last: "Lovelace", tall: false }, version: 3 };
  expect(payloads.decode("test.grown", { name: "Ada Lovelace" })).toEqual(newest);
  expect(payloads.decode("test.grown", { v: 2, first: "Ada", last: "Lovelace" })).toEqual(newest);
  expect(payloads.decode("test.grown", { v: 3, first: "Ada", last: "Lovelace", tall: false })).toEqual(newest);
});

test("the version is written from the second on, and only then", () => {
  expect(payloads.withVersion({ a: 1 }, 1)).toEqual({ a: 1 });
  expect(payloads.withVersion({ a: 1 }, 3)).toEqual({ a: 1, v: 3 });
  expect(payloads.check("test.grown", { first: "A", last: "B", tall: true })).toMatchObject({ kind: "known", version: 3 });
});

test("a newer version, a wrong shape and an unknown type are told apart", () => {
  expect(payloads.decode("test.grown", { v: 4 })).toEqual({
    kind: "malformed",
    problem: "it was written by a newer Sylk (version 4, this one knows 3)",
  });
  expect(payloads.decode("test.grown", { v: 3, first: "Ada" })).toMatchObject({
    kind: "malformed",
    problem: expect.stringContaining("last:") as string,
  });
  expect(payloads.decode("test.grown", "words")).toMatchObject({ kind: "malformed" });
  expect(payloads.decode("mistake.seen", { id: "m", fix: "f", v: 2 })).toMatchObject({ kind: "malformed" });
  expect(payloads.decode("test.elsewhere", { v: "anything" })).toEqual({ kind: "unknown" });
});

test("what cannot be understood is no event of its kind", () => {
  const kinds = { grown };
  const event = { type: "test.grown", payload: {} } as unknown as JournalEvent;
  expect(decode(kinds, event)).toBe(event);
  expect(decode(kinds, { ...event, fault: "last: missing" })).toBeUndefined();
  expect(decode(kinds, { ...event, type: "test.elsewhere" })).toBeUndefined();
});

test("an actor has one spelling, and every earlier one is understood", () => {
  const spelt = (text: string): string => actorText.spell(actorText.read(text));
  expect(
    [
      "user",
      "engineer",
      "agent:engineer",
      "agent/engineer",
      "agent/engineer/run_1",
      "engine",
      "goal-monitor",
      "model",
      "forge",
      "system/flow",
    ].map(spelt),
  ).toEqual([
    "user",
    "agent/engineer",
    "agent/engineer",
    "agent/engineer",
    "agent/engineer/run_1",
    "system/engine",
    "system/monitor",
    "system/model",
    "system/forge",
    "system/flow",
  ]);
  expect(actorText.read("agent/engineer/run_1")).toEqual({ kind: "agent", role: "engineer", run: "run_1" });
});

test("an audit entry of version 1 with a task's id for a session names both", () => {
  const entry = {
    category: "file",
    event_type: "permission_granted",
    severity: "info",
    outcome: "allowed",
    action: "read",
    target: "a.txt",
    rule: null,
    workflow_id: null,
    agent_type: "engineer",
    details: {},
  };
  expect(payloads.decode(EVENTS.audit.recorded.type, { ...entry, session_id: "task_01" })).toMatchObject({
    value: { session_id: "default", task_id: "task_01" },
  });
  expect(payloads.decode(EVENTS.audit.recorded.type, { ...entry, session_id: "s1" })).toMatchObject({
    value: { session_id: "s1", task_id: null },
  });
  expect(payloads.decode(EVENTS.audit.recorded.type, { ...entry, session_id: null })).toMatchObject({
    value: { session_id: null, task_id: null },
  });
  expect(EVENTS.usage.callFinished.type).toBe("model.call_finished");
});

test("the root of a task of version 1 is the project's folder, or one in the tree that its path names", () => {
  const lists = { criteria: [], constraints: [], checks: [], rules: [], inputs: {} };
  const words = { goal: "g", type: "t", role: "r", overview: "", model: "m", profile: "p", phase: "x" };
  const task = { id: "task_1", session: "default", max_steps: null, ...lists, ...words };
  const tree = "work_01hzy3v5k8q2m4n6p8r0t2w4y6";
  const folder = `/state/trees/${tree}/packages/app`;
  const read = (root: string) => payloads.decode("task.created", { ...task, root });
  expect(read("packages/app")).toMatchObject({ value: { place: { kind: "project", folder: "packages/app" } } });
  expect(read(folder)).toMatchObject({ value: { place: { kind: "tree", tree, folder } } });
  expect(read("C:\\elsewhere")).toMatchObject({ value: { place: { kind: "tree", tree: "", folder: "C:\\elsewhere" } } });
  const place = { kind: "tree", tree, folder };
  expect(payloads.decode("task.created", { ...task, place, v: 2 })).toMatchObject({ kind: "known", value: { ...task, place } });
});

test("no schema has a field of its own called v, and nothing here needs Node", () => {
  const files = readdirSync(import.meta.dirname).filter((name) => !name.endsWith(".test.ts"));
  const texts = files.map((file) => readFileSync(path.join(import.meta.dirname, file), "utf8")).join("\n");
  expect(texts).not.toMatch(/\bv: z\./);
  expect(texts).not.toMatch(/^import (?!type).*kernel|from "node:/m);
});
