import fc from "fast-check";
import { expect, test } from "vitest";
import { modelConfigSchema } from "../config.ts";
import { admission, claimProbe, CLOSED, recordResult, releaseProbe, type BreakerRecord } from "./breaker-state.ts";

const config = modelConfigSchema.parse({}).breaker;
const result = (record: BreakerRecord, ok: boolean, now: number, owner = "a"): BreakerRecord =>
  recordResult(record, config, { ok, successesBefore: 0, owner, now });
const feed = (results: boolean[], from = CLOSED, now = 1000): BreakerRecord =>
  results.reduce((record, ok, i) => result(record, ok, now + i), from);
const failing = (n: number): boolean[] => Array.from({ length: n }, () => false);

test("ERR-030 ~ERR-031: the defaults for models are 5 in a row, half of 20, 30 s, 3 probes", () => {
  expect(config).toEqual({
    consecutiveFailures: 5,
    failureRateThreshold: 0.5,
    rateWindowSize: 20,
    cooldownMs: 30_000,
    successThreshold: 3,
    probeTimeoutMs: 60_000,
  });
});

test("ERR-028 ERR-032: five failures in a row open it, four and a success do not", () => {
  expect(feed(failing(5)).state).toBe("open");
  expect(feed([...failing(4), true, ...failing(4)]).state).toBe("closed");
});

test("ERR-032: the rate rule waits for a full window", () => {
  const alternating = (n: number): boolean[] => Array.from({ length: n }, (_, i) => i % 2 === 1);
  expect(feed(alternating(19)).state).toBe("closed");
  expect(feed([...alternating(18), true, false]).state).toBe("open");
  expect(feed([...alternating(17), true, true, true]).state).toBe("closed");
});

test("~ERR-033: successes counted elsewhere ride along with a failure and break the row", () => {
  const four = feed(failing(4));
  const fifth = recordResult(four, config, { ok: false, successesBefore: 2, owner: "a", now: 2000 });
  expect(fifth).toMatchObject({ state: "closed", failures: 1, window: [false, false, false, false, true, true, false] });
});

test("ERR-028 MUL-023: open refuses until its cooldown, then exactly one caller gets the probe", () => {
  const open = feed(failing(5), CLOSED, 1000);
  expect(admission(open, config, 1004 + 29_999)).toEqual({ kind: "deny", untilMs: 31_004 });
  expect(admission(open, config, 31_004)).toEqual({ kind: "probe" });
  const probing = claimProbe(open, config, "a", 31_004);
  expect(probing).toMatchObject({ state: "half_open", probe_owner: "a" });
  expect(claimProbe(probing, config, "b", 31_005)).toBe(probing);
  expect(admission(probing, config, 31_005).kind).toBe("deny");
});

test("ERR-034: a probe that never reports frees its place after the probe timeout", () => {
  const probing = claimProbe(feed(failing(5)), config, "a", 40_000);
  expect(claimProbe(probing, config, "b", 40_000 + config.probeTimeoutMs)).toMatchObject({ probe_owner: "b", state: "half_open" });
  expect(admission(releaseProbe(probing, "a"), config, 40_001)).toEqual({ kind: "probe" });
});

test("ERR-028 MUL-024: three good probes close it with an empty window, one bad one reopens it with a new cooldown", () => {
  let record = feed(failing(5));
  for (let i = 0; i < 3; i += 1) record = result(claimProbe(record, config, "a", 50_000 + i), true, 50_000 + i);
  expect(record).toMatchObject({ state: "closed", failures: 0, window: [], cooldown_ends: null });

  const reopened = result(claimProbe(feed(failing(5)), config, "a", 50_000), false, 50_010);
  expect(reopened).toMatchObject({ state: "open", cooldown_ends: 80_010, probe_owner: null, successes: 0 });
});

test("MUL-024: a late result while open keeps the cooldown; a stranger's result does not decide a probe", () => {
  const open = feed(failing(5));
  expect(result(open, true, 5000)).toMatchObject({ state: "open", cooldown_ends: open.cooldown_ends });
  expect(result(open, false, 5000)).toMatchObject({ state: "open", cooldown_ends: open.cooldown_ends });
  const probing = claimProbe(open, config, "a", 50_000);
  expect(result(probing, false, 50_001, "late")).toMatchObject({ state: "half_open", probe_owner: "a" });
});

test("ERR-028 ~ERR-029: whatever happens, it can always come back and the window stays bounded", () => {
  const step = fc.record({ kind: fc.constantFrom("ok", "fail", "probe", "release"), wait: fc.integer({ min: 0, max: 40_000 }) });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 80 }), (steps) => {
      let record = CLOSED;
      let now = 1000;
      for (const { kind, wait } of steps) {
        now += wait;
        if (kind === "probe") record = claimProbe(record, config, "a", now);
        else if (kind === "release") record = releaseProbe(record, "a");
        else record = result(record, kind === "ok", now);
        expect(record.window.length).toBeLessThanOrEqual(config.rateWindowSize);
        expect(record.state === "open" ? record.cooldown_ends : 0).not.toBeNull();
      }
      now += 120_000;
      for (let i = 0; i < 3; i += 1) record = result(claimProbe(record, config, "a", now), true, now);
      expect(admission(record, config, now).kind).toBe("allow");
    }),
  );
});
