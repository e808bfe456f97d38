import { expect, test } from "vitest";
import type { KnowledgeNode } from "../graph/open-graph.ts";
import { packContext } from "./pack-context.ts";
import { sourceLine } from "./provenance.ts";
import { settlePair } from "./settle-pair.ts";
import { freshness, trustName, trustOf } from "./trust.ts";

const DAY_MS = 86_400_000;
const NOW = Date.UTC(2026, 5, 1);

function node(more: Partial<KnowledgeNode>): KnowledgeNode {
  return {
    id: "n",
    domain: "history",
    type: "decision",
    name: "n",
    path: undefined,
    line: undefined,
    endLine: undefined,
    signature: undefined,
    content: undefined,
    category: undefined,
    author: undefined,
    time: new Date(NOW - DAY_MS).toISOString(),
    url: undefined,
    verified: true,
    byUser: false,
    trust: 80,
    supersededBy: undefined,
    session: undefined,
    resolved: undefined,
    ...more,
  };
}

test("MIT-010: freshness falls by the formula of its domain, is lowest when superseded and halves when expired", () => {
  const at = (domain: "code" | "history" | "academic", days: number, more = {}) =>
    freshness({ domain, ageMs: days * DAY_MS, superseded: false, expired: false, ...more });
  expect([1, 7, 30, 180, 9_999].map((days) => Number(at("history", days).score.toFixed(3)))).toEqual([0.996, 0.969, 0.867, 0.2, 0.2]);
  expect([0, 365, 9_999].map((days) => Number(at("academic", days).score.toFixed(3)))).toEqual([1, 0.3, 0.3]);
  expect(at("code", 900)).toEqual({ score: 1, warning: undefined });
  expect(at("code", 0, { stale: true }).warning).toContain("changed");
  expect(at("history", 31).warning).toBe("31 days old");
  expect(at("history", 30).warning).toBeUndefined();
  expect(at("academic", 181).warning).toBe("181 days old");
  expect(at("code", 0, { superseded: true })).toMatchObject({ score: 0.1, warning: expect.stringContaining("superseded") });
  expect(at("academic", 0, { expired: true })).toEqual({ score: 0.5, warning: "expired" });
});

test("MIT-030 VGD-020: trust by domain, age, kind and who said it", () => {
  const of = (domain: "code" | "history" | "academic", type: string, days: number, verified = true, byUser = false) =>
    trustOf({ domain, type, verified, ageMs: days * DAY_MS, byUser });
  expect(of("code", "function", 900, false)).toBe(100);
  expect(of("history", "decision", 1, false)).toBe(20);
  expect([6, 20, 31].map((days) => of("history", "decision", days))).toEqual([80, 60, 40]);
  expect(
    ["rfc", "documentation", "paper", "best_practice", "tutorial", "stack_overflow", "blog_post"].map((type) => of("academic", type, 0)),
  ).toEqual([70, 70, 60, 60, 60, 30, 30]);
  expect(of("history", "history_entry", 900, true, true)).toBe(90);
});

test("MIT-031: every rung has its name by its lower bound and, below code, its caution; the lower ones a warning sign", () => {
  const names = [100, 95, 80, 79, 69, 59, 39, 20, 0].map((trust) => trustName(trust, "academic").name);
  expect(names).toEqual([
    "ground truth (code)",
    "said by the user",
    "recent, verified",
    "authoritative",
    "academic",
    "old history",
    "informal",
    "unverified or inferred",
    "unverified or inferred",
  ]);
  expect(trustName(60, "history").name).toBe("some weeks old");
  const cautions = [100, 90, 80, 70, 60, 40, 30, 20].map((trust) => trustName(trust, "academic").caution);
  expect(cautions[0]).toBeUndefined();
  expect(new Set(cautions).size).toBe(8);
  expect(cautions.map((caution) => caution?.startsWith("⚠️ ") ?? false)).toEqual([false, false, false, false, false, true, true, true]);
  const paper = node({ domain: "academic", type: "paper", name: "A paper" });
  const packed = packContext([{ node: paper, similarity: 1, text: "words" }], { nowMs: NOW, countTokens: (text) => text.length });
  expect(packed.text).toContain("— academic, quality");
  expect(packed.text).toContain("\nacademic; may not apply directly\n<source>");
});

test("MIT-033: of two, code wins, then trust, then the newer, then the second", () => {
  const code = node({ id: "c", domain: "code", time: undefined });
  const fresh = node({ id: "f" });
  const old = node({ id: "o", time: new Date(NOW - 60 * DAY_MS).toISOString() });
  const newer = node({ id: "w", time: new Date(NOW).toISOString() });
  const winner = (a: KnowledgeNode, b: KnowledgeNode) => settlePair(a, b, NOW).winner.id;
  expect([winner(fresh, code), winner(code, old)]).toEqual(["c", "c"]);
  expect([winner(old, fresh), winner(fresh, old)]).toEqual(["f", "f"]);
  expect([winner(fresh, newer), winner(newer, fresh)]).toEqual(["w", "w"]);
  expect(winner(fresh, node({ id: "twin" }))).toBe("twin");
});

test("MIT-021: a source is shown by what it is, how sure it is and where it comes from", () => {
  const provenance = [
    { type: "code" as const, nodeId: undefined, path: "a", url: undefined, confidence: 1, verified: true, timestamp: undefined },
  ];
  expect(sourceLine(1, node({ domain: "code", type: "function", path: "src/a.ts", line: 3, endLine: 9 }), [], NOW)).toBe(
    "[1] src/a.ts:3-9 — verified, current",
  );
  expect(sourceLine(2, node({ name: "We chose X" }), provenance, NOW)).toBe("[2] 2026-05-31 We chose X — recent, via code analysis");
  expect(sourceLine(3, node({ name: "Old", time: new Date(NOW - 45 * DAY_MS).toISOString() }), [], NOW)).toBe(
    "[3] 2026-04-17 Old — 45 days old",
  );
  const [long] = sourceLine(3, node({ domain: "history", name: "Goal: count\n\nOf a piece of it: none" }), [], NOW).split(" — ");
  expect(long).toMatch(/^\[3\] \S+ Goal: count Of a piece of it: none$/u);
  expect(sourceLine(4, node({ domain: "academic", type: "rfc", name: "RFC 1", url: "https://e.org/1" }), [], NOW)).toBe(
    "[4] RFC 1 https://e.org/1 — authoritative",
  );
  expect(sourceLine(5, node({ name: "Maybe", verified: false }), [], NOW)).toContain("⚠️ unverified");
});

test("~MIT-012 ~MIT-032 MIT-050 MIT-051 MIT-052: quality weighs likeness, trust, freshness and proof; what is too weak or too long is passed over", () => {
  const text = "word ".repeat(40);
  const countTokens = (part: string): number => Math.ceil(part.length / 4);
  const items = [
    { node: node({ id: "code", domain: "code" as const, type: "function", path: "src/a.ts", name: "a" }), similarity: 1, text },
    { node: node({ id: "long", name: "long" }), similarity: 0.9, text: text.repeat(20) },
    { node: node({ id: "small", name: "small" }), similarity: 0.5, text },
    { node: node({ id: "weak", name: "weak", verified: false, time: new Date(NOW - 400 * DAY_MS).toISOString() }), similarity: 0, text },
    { node: node({ id: "negative", name: "negative" }), similarity: -1, text: "x" },
  ];
  const packed = packContext(items, { nowMs: NOW, maxTokens: 300, countTokens });
  expect(packed.sources).toEqual(["code", "small", "negative"]);
  expect(packed.tokens).toBeLessThanOrEqual(300);
  const quality = (id: string) => packed.items.find((one) => one.node.id === id)?.quality;
  expect(quality("code")).toBeCloseTo(1, 5);
  expect(quality("small")).toBeCloseTo(0.35 * 0.5 + 0.25 * 0.8 + 0.25 * (1 - 0.8 / 180) + 0.15, 5);
  expect(quality("negative")).toBeCloseTo(0.25 * 0.8 + 0.25 * (1 - 0.8 / 180) + 0.15, 5);
  expect(packed.text).toMatch(/^\[1\] src\/a\.ts — ground truth \(code\), quality 1\.00\n<source>/u);
  expect(packed.text).toContain("[2] small (2026-05-31) — recent, verified, quality 0.7");
  expect(packContext(items, { nowMs: NOW, countTokens }).text).toContain("…");
});
