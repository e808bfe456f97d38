/** Which of two pieces of knowledge is to be believed (MIT-033): code first, then trust, then the newer. */
import type { KnowledgeNode } from "../graph/open-graph.ts";
import { trustOf } from "./trust.ts";

export interface Settled {
  winner: KnowledgeNode;
  reason: string;
}

function trust(node: KnowledgeNode, nowMs: number): number {
  const ageMs = node.time === undefined ? 0 : nowMs - Date.parse(node.time);
  return trustOf({ domain: node.domain, type: node.type, verified: node.verified, ageMs, byUser: node.byUser });
}

export function settlePair(a: KnowledgeNode, b: KnowledgeNode, nowMs: number): Settled {
  if ((a.domain === "code") !== (b.domain === "code")) return { winner: a.domain === "code" ? a : b, reason: "the code is right" };
  const [x, y] = [trust(a, nowMs), trust(b, nowMs)];
  if (x !== y) return { winner: x > y ? a : b, reason: `trusted more, ${Math.max(x, y)} against ${Math.min(x, y)}` };
  if ((a.time ?? "") !== (b.time ?? "")) return { winner: (a.time ?? "") > (b.time ?? "") ? a : b, reason: "the newer one" };
  return { winner: b, reason: "the later entry" };
}
