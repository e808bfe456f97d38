/**
 * Identifiers: `<prefix>_<26 characters>`, Crockford base 32, 48 bits of time then 80 random bits.
 * They sort by creation time, and within one process strictly by creation order.
 */
import { must } from "./errors.ts";
import { getRandomValues } from "node:crypto";

export type Id<Kind extends string> = string & { readonly __kind: Kind };

const ALPHABET = "0123456789abcdefghjkmnpqrstvwxyz";
const RANDOM_BYTES = 10;
const POOL_BYTES = 4000;

let pool = new Uint8Array(0);
let poolAt = 0;
let lastMs = -1;
const lastRandom = new Uint8Array(RANDOM_BYTES);

function refill(): void {
  if (poolAt + RANDOM_BYTES > pool.length) {
    pool = getRandomValues(new Uint8Array(POOL_BYTES));
    poolAt = 0;
  }
  lastRandom.set(pool.subarray(poolAt, poolAt + RANDOM_BYTES));
  poolAt += RANDOM_BYTES;
}

function increment(): boolean {
  for (let i = RANDOM_BYTES - 1; i >= 0; i -= 1) {
    const next = (must(lastRandom[i]) + 1) & 0xff;
    lastRandom[i] = next;
    if (next !== 0) return true;
  }
  return false;
}

function encode(ms: number): string {
  let out = "";
  for (let shift = 45; shift >= 0; shift -= 5) out += ALPHABET[Math.floor(ms / 2 ** shift) % 32];
  for (let half = 0; half < 2; half += 1) {
    const at = half * 5;
    const high = (must(lastRandom[at]) << 12) | (must(lastRandom[at + 1]) << 4) | (must(lastRandom[at + 2]) >> 4);
    const low = ((must(lastRandom[at + 2]) & 0x0f) << 16) | (must(lastRandom[at + 3]) << 8) | must(lastRandom[at + 4]);
    for (let shift = 15; shift >= 0; shift -= 5) out += ALPHABET[(high >> shift) & 31];
    for (let shift = 15; shift >= 0; shift -= 5) out += ALPHABET[(low >> shift) & 31];
  }
  return out;
}

/** A new identifier. `nowMs` comes from the injected clock. */
export function newId<Kind extends string>(prefix: string, nowMs: number): Id<Kind> {
  if (nowMs > lastMs) {
    lastMs = nowMs;
    refill();
  } else if (!increment()) {
    lastMs += 1;
    refill();
  }
  return `${prefix}_${encode(lastMs)}` as Id<Kind>;
}
