/** How far a piece of knowledge may be trusted, and how fresh it is (MIT-010, MIT-030, MIT-031). Numbers only; nothing is looked up here. */
const DAY_MS = 86_400_000;

export type TrustDomain = "code" | "history" | "academic";

const TRUST = { ground: 100, user: 90, recent: 80, standard: 70, academic: 60, oldHistory: 40, informal: 30, inferred: 20 };

export function trustOf(node: { domain: TrustDomain; type: string; verified: boolean; ageMs: number; byUser?: boolean }): number {
  if (node.domain === "code") return TRUST.ground;
  if (!node.verified) return TRUST.inferred;
  if (node.byUser === true) return TRUST.user;
  if (node.domain === "history")
    return node.ageMs < 7 * DAY_MS ? TRUST.recent : node.ageMs < 30 * DAY_MS ? TRUST.academic : TRUST.oldHistory;
  if (node.type === "rfc" || node.type === "documentation") return TRUST.standard;
  return node.type === "blog_post" || node.type === "stack_overflow" ? TRUST.informal : TRUST.academic;
}

/** What a degree of trust is called, and what to mind about it. */
export interface TrustName {
  name: string;
  caution: string | undefined;
}

const RUNGS: readonly (TrustName & { from: number; domain?: TrustDomain })[] = [
  { from: TRUST.ground, name: "ground truth (code)", caution: undefined },
  { from: TRUST.user, name: "said by the user", caution: "said, not read from the code" },
  { from: TRUST.recent, name: "recent, verified", caution: "recent history; may need checking" },
  { from: TRUST.standard, name: "authoritative", caution: "external document; may not fit this project" },
  { from: TRUST.academic, domain: "history", name: "some weeks old", caution: "some weeks old; may need checking" },
  { from: TRUST.academic, name: "academic", caution: "academic; may not apply directly" },
  { from: TRUST.oldHistory, name: "old history", caution: "⚠️ old; may no longer hold" },
  { from: TRUST.informal, name: "informal", caution: "⚠️ informal source" },
  { from: 0, name: "unverified or inferred", caution: "⚠️ nothing shows that this is so" },
];

/** By the highest rung at or below; history of some weeks is as trusted as a paper, but is none. */
export function trustName(trust: number, domain: TrustDomain): TrustName {
  const { name, caution } = RUNGS.find(
    (rung) => trust >= rung.from && (rung.domain === undefined || rung.domain === domain),
  ) as (typeof RUNGS)[number];
  return { name, caution };
}

export interface Freshness {
  score: number;
  warning: string | undefined;
}

/** A day count in words is left to whoever shows it. */
export function freshness(node: { domain: TrustDomain; ageMs: number; superseded: boolean; expired: boolean; stale?: boolean }): Freshness {
  if (node.superseded) return { score: 0.1, warning: "superseded by something newer" };
  const days = Math.max(0, node.ageMs / DAY_MS);
  let result: Freshness;
  if (node.domain === "code")
    result = node.stale === true ? { score: 0.5, warning: "the file has changed since it was read" } : { score: 1, warning: undefined };
  else if (node.domain === "history")
    result = { score: Math.max(0.2, 1 - (days / 180) * 0.8), warning: days > 30 ? `${Math.floor(days)} days old` : undefined };
  else result = { score: Math.max(0.3, 1 - (days / 365) * 0.7), warning: days > 180 ? `${Math.floor(days)} days old` : undefined };
  return node.expired ? { score: result.score * 0.5, warning: "expired" } : result;
}
