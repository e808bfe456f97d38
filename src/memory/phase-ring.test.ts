import path from "node:path";
import fc from "fast-check";
import { expect, test } from "vitest";
import { ManualClock } from "../../test/support/manual-clock.ts";
import { tempDir } from "../../test/support/temp.ts";
import type { SylkError } from "../kernel/index.ts";
import { sqliteDriver } from "../journal/index.ts";
import { openRing, openRings, reopenRing, ringView } from "./durable-ring.ts";
import { emptyRing, PhaseRing } from "./phase-ring.ts";
import { agentActor } from "../protocol/events/index.ts";

const codeOf = (work: () => unknown): string | undefined => {
  try {
    work();
    return undefined;
  } catch (error) {
    return (error as SylkError).code;
  }
};

test("WMB-001 WMB-003: the newest checkpoint of each phase is found; the ring never grows", () => {
  const ring = new PhaseRing(emptyRing(7));
  for (let i = 0; i < 100; i += 1) ring.push(i % 7, { i }, i);
  expect(ring.state.slots).toHaveLength(16);
  for (let phase = 0; phase < 7; phase += 1) expect(ring.get(phase)).toEqual({ i: 99 - ((99 - phase) % 7) });
  expect(codeOf(() => emptyRing(7, 7))).toBe("RING_TOO_SMALL");
});

test("WMB-002: a caller cannot change what is stored, neither through what it put in nor through what it got", () => {
  const ring = new PhaseRing(emptyRing(3));
  const data = { list: [1, 2] };
  ring.push(0, data, 1);
  data.list.push(3);
  (ring.get(0) as { list: number[] }).list.push(4);
  expect(ring.get(0)).toEqual({ list: [1, 2] });
});

test("WMB-004 WMB-006: after any pushes and rollbacks a marker is unset or its slot holds its own phase", () => {
  const operation = fc.oneof(
    { weight: 4, arbitrary: fc.record({ kind: fc.constant("push" as const), phase: fc.integer({ min: 0, max: 4 }) }) },
    { weight: 1, arbitrary: fc.record({ kind: fc.constant("back" as const), phase: fc.integer({ min: 0, max: 4 }) }) },
  );
  fc.assert(
    fc.property(fc.array(operation, { maxLength: 60 }), fc.integer({ min: 6, max: 9 }), (operations, capacity) => {
      const ring = new PhaseRing(emptyRing(5, capacity));
      const broken: string[] = [];
      for (const [i, { kind, phase }] of operations.entries()) {
        if (kind === "push") {
          ring.push(phase, { i }, i);
          if (JSON.stringify(ring.get(phase)) !== JSON.stringify({ i })) broken.push(`push ${i}`);
        } else if (ring.has(phase)) {
          const before = JSON.stringify(ring.get(phase));
          if (JSON.stringify(ring.rollbackTo(phase)) !== before) broken.push(`rollback ${i}`);
          for (let later = phase + 1; later < 5; later += 1) if (ring.has(later)) broken.push(`marker ${later} after rollback`);
        }
        const { markers, slots } = ring.state;
        for (const [of, at] of markers.entries())
          if (at !== null && slots[at]?.phase !== of) broken.push(`marker ${of} points at phase ${slots[at]?.phase}`);
      }
      expect(broken).toEqual([]);
    }),
  );
});

test("WMB-005 WMB-006: what is missing or was tampered with is a named error", () => {
  const ring = new PhaseRing(emptyRing(3));
  expect(codeOf(() => ring.get(1))).toBe("PhaseNotInitialized");
  expect(codeOf(() => ring.rollbackTo(1))).toBe("NothingToRollback");
  expect(codeOf(() => ring.get(9))).toBe("RING_UNKNOWN_PHASE");
  ring.push(1, "x", 1);
  const { slots, ...rest } = ring.state;
  const forged = new PhaseRing({ ...rest, slots: slots.map((slot) => (slot === null ? null : { ...slot, data: '"y"' })) });
  expect(codeOf(() => forged.get(1))).toBe("IntegrityCheckFailed");
  expect(codeOf(() => forged.rollbackTo(1))).toBe("IntegrityCheckFailed");
});

test("WMB-004: data that is not plain JSON changes nothing", () => {
  const ring = new PhaseRing(emptyRing(3));
  ring.push(0, 1, 1);
  const before = ring.state;
  expect(() => ring.push(1, { bad: Number.NaN }, 2)).toThrow("canonical JSON");
  expect(ring.state).toEqual(before);
});

test("WMB-007 WMB-010: a ring of a killed command is found again at its last checkpoint, whatever its phases", async () => {
  const file = path.join(tempDir(), "sylk.db");
  const clock = new ManualClock();
  const open = () => sqliteDriver.open({ path: file, clock, durability: "process", views: [ringView] });
  const first = await open();
  const place = (journal: typeof first.journal, id: string) => ({ journal, clock, kind: "plan", id, actor: agentActor("t") });
  const ring = await openRing(place(first.journal, "one"), 3, 4);
  await ring.push(0, { a: 1 });
  await ring.push(1, { b: 2 });
  await ring.push(2, { c: 3 });
  await ring.rollbackTo(1);
  const done = await openRing(place(first.journal, "two"), 2);
  await done.close("done");
  await first.close();
  await using second = await open();
  expect(await openRings(second.journal, "plan")).toEqual(["one"]);
  const again = await reopenRing(place(second.journal, "one"));
  expect(again?.latest()).toBe(1);
  expect(again?.get(1)).toEqual({ b: 2 });
  expect(again?.has(2)).toBe(false);
});
