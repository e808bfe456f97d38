/**
 * The circuit breaker as a pure function of its record (ERR-028…034): closed → open → half_open →
 * closed. Open refuses without asking; after the cooldown one probe at a time decides.
 */
import type { ModelConfig } from "../config.ts";
import type { Payload } from "../../protocol/events/index.ts";

export type BreakerRecord = Payload<"model.breaker_changed">;

export type BreakerConfig = ModelConfig["breaker"];

export const CLOSED: BreakerRecord = {
  state: "closed",
  failures: 0,
  successes: 0,
  window: [],
  last_failure: null,
  last_state_change: 0,
  cooldown_ends: null,
  probe_owner: null,
  probe_started_at: null,
};

export type Admission = { kind: "allow" } | { kind: "probe" } | { kind: "deny"; untilMs: number };

function probeRuns(record: BreakerRecord, config: BreakerConfig, now: number): boolean {
  return record.probe_started_at !== null && now - record.probe_started_at < config.probeTimeoutMs;
}

/** What a caller may do now; `probe` must be claimed before it is used. */
export function admission(record: BreakerRecord, config: BreakerConfig, now: number): Admission {
  if (record.state === "closed") return { kind: "allow" };
  if (record.state === "open")
    return now >= (record.cooldown_ends ?? 0) ? { kind: "probe" } : { kind: "deny", untilMs: record.cooldown_ends ?? now };
  if (!probeRuns(record, config, now)) return { kind: "probe" };
  return { kind: "deny", untilMs: (record.probe_started_at ?? now) + config.probeTimeoutMs };
}

/** Takes the one probe; the same record back when someone else has it. */
export function claimProbe(record: BreakerRecord, config: BreakerConfig, owner: string, now: number): BreakerRecord {
  if (admission(record, config, now).kind !== "probe") return record;
  return {
    ...record,
    state: "half_open",
    successes: record.state === "half_open" ? record.successes : 0,
    last_state_change: record.state === "half_open" ? record.last_state_change : now,
    cooldown_ends: null,
    probe_owner: owner,
    probe_started_at: now,
  };
}

/** The probe was not carried out (cancelled, rate limited): free it for the next caller. */
export function releaseProbe(record: BreakerRecord, owner: string): BreakerRecord {
  return record.probe_owner === owner ? { ...record, probe_owner: null, probe_started_at: null } : record;
}

function open(record: BreakerRecord, config: BreakerConfig, now: number): BreakerRecord {
  return {
    ...record,
    state: "open",
    successes: 0,
    last_state_change: now,
    cooldown_ends: now + config.cooldownMs,
    probe_owner: null,
    probe_started_at: null,
  };
}

function trips(record: BreakerRecord, config: BreakerConfig): boolean {
  if (record.failures >= config.consecutiveFailures) return true;
  const full = record.window.length >= config.rateWindowSize;
  return full && record.window.filter((ok) => !ok).length / record.window.length >= config.failureRateThreshold;
}

/** Results seen by this process since its last write ride along in front. */
export function recordResult(
  before: BreakerRecord,
  config: BreakerConfig,
  result: { ok: boolean; successesBefore: number; owner: string; now: number },
): BreakerRecord {
  const { ok, now } = result;
  const seen = [...before.window, ...Array.from({ length: Math.min(result.successesBefore, config.rateWindowSize) }, () => true), ok].slice(
    -config.rateWindowSize,
  );
  const failures = ok ? 0 : (result.successesBefore > 0 ? 0 : before.failures) + 1;
  const record: BreakerRecord = { ...before, window: seen, failures, last_failure: ok ? before.last_failure : now };
  if (before.state === "open") return record;
  if (before.state === "half_open") {
    if (before.probe_owner !== result.owner) return record;
    if (!ok) return open(record, config, now);
    const successes = before.successes + 1;
    if (successes >= config.successThreshold) return { ...CLOSED, last_state_change: now, last_failure: record.last_failure };
    return { ...record, successes, probe_owner: null, probe_started_at: null };
  }
  return !ok && trips(record, config) ? open(record, config, now) : record;
}

/** The same rules for whoever else has something that can break. */
export const breaker = { CLOSED, admission, claimProbe, recordResult } as const;
