import fc from "fast-check";
import { expect, test } from "vitest";
import { applyEffect, canPin, emptyMemory, expire, type WorkingMemory } from "./index.ts";

type MemoryItem = WorkingMemory["items"][number];

const item = (key: string, step = 1, more: Partial<MemoryItem> = {}): MemoryItem => ({
  key,
  kind: "loaded_context",
  title: key,
  content: `blob:${key}`,
  pinned: false,
  step,
  ...more,
});
const put = (memory: WorkingMemory, ...items: MemoryItem[]): WorkingMemory =>
  items.reduce((m, one) => applyEffect(m, { op: "put", item: one }), memory);
const keys = (memory: WorkingMemory): string[] => memory.items.map((one) => one.key);

test("CTX-016: the sixth item displaces the oldest unpinned one", () => {
  let memory = put(emptyMemory, item("a", 1), item("b", 2), item("c", 3), item("d", 4), item("e", 5));
  memory = applyEffect(memory, { op: "pin", key: "a" });
  memory = put(memory, item("f", 6));
  expect(keys(memory)).toEqual(["a", "f", "c", "d", "e"]);
  expect(keys(put(memory, item("g", 7)))).toEqual(["a", "f", "g", "d", "e"]);
});

test("CTX-016: a newer version of an item takes the place of the older and keeps its pin", () => {
  const memory = applyEffect(put(emptyMemory, item("a"), item("b")), { op: "pin", key: "a" });
  const next = put(memory, item("a", 4));
  expect(next.items.find((one) => one.key === "a")).toMatchObject({ step: 4, pinned: true });
  expect(next.items).toHaveLength(2);
});

test("CTX-016: one place always stays free; pinning more than fits is refused", () => {
  let memory = put(emptyMemory, item("a"), item("b"), item("c"), item("d"), item("e"));
  for (const key of ["a", "b", "c", "d"]) {
    expect(canPin(memory, key)).toBe(true);
    memory = applyEffect(memory, { op: "pin", key });
  }
  expect(canPin(memory, "e")).toBe(false);
  expect(canPin(memory, "nothing")).toBe(false);
});

test("~CTX-015: an item leaves after its number of steps; a pinned one stays; clearing takes out the rest", () => {
  let memory = put(emptyMemory, item("a", 1, { expiresAfter: 3 }), item("b", 1, { expiresAfter: 3, pinned: true }), item("c", 1));
  expect(keys(expire(memory, 4))).toEqual(["a", "b", "c"]);
  memory = expire(memory, 5);
  expect(keys(memory)).toEqual(["b", "c"]);
  expect(keys(applyEffect(memory, { op: "clear", key: "all" }))).toEqual(["b"]);
});

test("CTX-017: the newest statement about a subject wins, and the surest survive when there are too many", () => {
  const fact = (subject: string, text: string, confidence: number, step: number) => ({
    op: "fact" as const,
    subject,
    text,
    confidence,
    step,
  });
  let memory = applyEffect(applyEffect(emptyMemory, fact("port", "8080", 0.9, 1)), fact("port", "9090", 0.6, 2));
  expect(memory.facts).toEqual([{ subject: "port", text: "9090", confidence: 0.6, step: 2 }]);
  for (let i = 0; i < 60; i += 1) memory = applyEffect(memory, fact(`s${i}`, "x", 0.95, 3));
  expect(memory.facts).toHaveLength(40);
  expect(memory.facts.some((one) => one.subject === "port")).toBe(false);
});

test("CTX-016: whatever happens there are never more than five items and never two with one key", () => {
  const effect = fc.oneof(
    fc.record({ op: fc.constant("put" as const), item: fc.string({ maxLength: 2 }).map((key) => item(key)) }),
    fc.record({ op: fc.constant("clear" as const), key: fc.string({ maxLength: 2 }) }),
  );
  fc.assert(
    fc.property(fc.array(effect, { maxLength: 40 }), (effects) => {
      const memory = effects.reduce(applyEffect, emptyMemory);
      expect(memory.items.length).toBeLessThanOrEqual(5);
      expect(new Set(keys(memory)).size).toBe(memory.items.length);
    }),
  );
});
