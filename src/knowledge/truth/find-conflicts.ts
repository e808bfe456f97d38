/** Contradictions among what was found (MIT-040…044), kept until someone settles them. */
import type { DatabaseSync } from "node:sqlite";
import { sha256 } from "../../kernel/index.ts";
import { filesMentioning } from "../store/files-mentioning.ts";
import { tokenize } from "../text/tokenize.ts";
import type { KnowledgeNode } from "../graph/open-graph.ts";
import { fenceLine } from "./fence.ts";
import { settlePair } from "./settle-pair.ts";
import type { FoundConflict } from "../store/conflict-writer.ts";
import type { Conflict } from "../store/conflict-writer.ts";

/** As a model may see it: it quotes what anyone may have written. */
export function conflictLine({ description, suggestion }: Pick<Conflict, "description" | "suggestion">): string {
  return fenceLine(`${description}; ${suggestion}`);
}

const DAY_MS = 86_400_000;
const SPAN_DAYS = 30;

function temporal(nodes: readonly KnowledgeNode[]): FoundConflict[] {
  const groups = Map.groupBy(
    nodes.filter((node) => node.domain === "history" && node.time !== undefined && node.type !== "commit"),
    (node) => node.name.toLowerCase(),
  );
  return [...groups].flatMap(([subject, group]): FoundConflict[] => {
    const sorted = group.toSorted((a, b) => ((a.time as string) < (b.time as string) ? -1 : 1));
    const [oldest, newest] = [sorted[0], sorted.at(-1)];
    if (oldest === undefined || newest === undefined || oldest.id === newest.id) return [];
    const days = (Date.parse(newest.time as string) - Date.parse(oldest.time as string)) / DAY_MS;
    if (days <= SPAN_DAYS) return [];
    return [
      {
        type: "temporal",
        subject,
        nodeA: oldest.id,
        nodeB: newest.id,
        severity: "info",
        description: `entries ${Math.round(days)} days apart`,
        suggestion: "prefer the newer one",
      },
    ];
  });
}

function usedThings(text: string): { sentence: string; thing: string }[] {
  return text.split(/[.\n]/u).flatMap((sentence) => {
    const match = sentence.length > 10 && sentence.length < 200 ? /\buses?\s+([A-Za-z][\w.@/-]+)/u.exec(sentence) : null;
    return match === null ? [] : [{ sentence: sentence.trim(), thing: match[1] as string }];
  });
}

function mismatches(db: DatabaseSync, nodes: readonly KnowledgeNode[]): FoundConflict[] {
  const code = nodes.find((node) => node.domain === "code");
  if (code === undefined) return [];
  return nodes
    .filter((node) => node.domain === "history" && node.type !== "commit")
    .flatMap((node) =>
      usedThings(node.content ?? "").flatMap(({ sentence, thing }): FoundConflict[] => {
        if (tokenize(thing).length === 0 || filesMentioning(db, [thing], 1).length > 0) return [];
        return [
          {
            type: "source_mismatch",
            subject: thing.toLowerCase(),
            nodeA: node.id,
            nodeB: code.id,
            severity: "warning",
            description: `"${sentence}", but no file mentions ${thing}`,
            suggestion: "the code is right; the entry may be out of date",
          },
        ];
      }),
    );
}

function semantic(nodes: readonly KnowledgeNode[], nowMs: number): FoundConflict[] {
  const claims = nodes
    .filter((node) => node.domain === "history" && node.type !== "commit")
    .flatMap((node) => usedThings(node.content ?? "").map((claim) => ({ node, ...claim })));
  return claims.flatMap((a, i) =>
    claims.slice(i + 1).flatMap((b): FoundConflict[] => {
      if (a.node.id === b.node.id || a.thing.toLowerCase() === b.thing.toLowerCase()) return [];
      const words = (text: string): Set<string> =>
        new Set((text.toLowerCase().match(/[a-z]{4,}/gu) ?? []).filter((word) => word !== "uses"));
      const shared = [...words(a.sentence)].filter((word) => words(b.sentence).has(word));
      if (shared.length < 2) return [];
      const better = settlePair(a.node, b.node, nowMs);
      return [
        {
          type: "semantic",
          subject: shared.slice(0, 3).join(" "),
          nodeA: a.node.id,
          nodeB: b.node.id,
          severity: "warning",
          description: `"${a.sentence}" against "${b.sentence}"`,
          suggestion: `ask a person; ${better.winner.id} is ${better.reason}`,
        },
      ];
    }),
  );
}

export interface FoundConflicts {
  /** What nobody has settled. */
  open: FoundConflict[];
  /** What is not yet kept as it was found now. */
  unkept: FoundConflict[];
}

/** Only looks; whoever may write keeps what is not yet kept. */
export function findConflicts(db: DatabaseSync, nodes: readonly KnowledgeNode[], nowMs: number): FoundConflicts {
  const settled = db.prepare(
    "SELECT 1 AS yes FROM settled WHERE conflict_type = ? AND subject = ? AND node_a = ? AND node_b = ? AND content_hash = ?",
  );
  const kept = db.prepare(
    `SELECT c.resolved_at IS NOT NULL AS resolved FROM conflicts c JOIN nodes a ON a.key = c.node_a JOIN nodes b ON b.key = c.node_b
     WHERE c.conflict_type = ? AND c.subject = ? AND a.id = ? AND b.id = ? AND c.content_hash = ?`,
  );
  const result: FoundConflicts = { open: [], unkept: [] };
  for (const found of [...temporal(nodes), ...mismatches(db, nodes), ...semantic(nodes, nowMs)]) {
    const which = [found.type, found.subject, found.nodeA, found.nodeB, sha256(found.description)] as const;
    const done = settled.get(...which) !== undefined;
    const row = kept.get(...which) as { resolved: number } | undefined;
    if (!done) result.open.push(found);
    if (row === undefined || (row.resolved === 1) !== done) result.unkept.push(found);
  }
  return result;
}

export function openConflicts(db: DatabaseSync): Conflict[] {
  return db
    .prepare(
      `SELECT c.id, c.conflict_type AS type, c.subject, a.id AS nodeA, b.id AS nodeB, c.severity, c.description, c.suggestion FROM conflicts c
       JOIN nodes a ON a.key = c.node_a JOIN nodes b ON b.key = c.node_b WHERE c.resolved_at IS NULL ORDER BY c.detected_at DESC, c.id DESC`,
    )
    .all() as unknown as Conflict[];
}
