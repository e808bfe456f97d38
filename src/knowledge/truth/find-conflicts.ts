/** Contradictions among what was found (MIT-040…044), kept until someone settles them. */
import type { DatabaseSync } from "node:sqlite";
import { isoTime, sha256 } from "../../kernel/index.ts";
import type { SettledConflict } from "../knowledge-events.ts";
import { prepareWrite } from "../store/prepare-write.ts";
import { filesMentioning } from "../search/files-mentioning.ts";
import { tokenize } from "../text/tokenize.ts";
import type { KnowledgeNode } from "../graph/open-graph.ts";
import { settlePair } from "./settle-pair.ts";

export interface Conflict {
  id: number;
  type: "temporal" | "source_mismatch" | "semantic";
  subject: string;
  nodeA: string;
  nodeB: string;
  severity: "info" | "warning";
  description: string;
  suggestion: string;
}

type Found = Omit<Conflict, "id">;

const DAY_MS = 86_400_000;
const SPAN_DAYS = 30;

function temporal(nodes: readonly KnowledgeNode[]): Found[] {
  const groups = Map.groupBy(
    nodes.filter((node) => node.domain === "history" && node.time !== undefined && node.type !== "commit"),
    (node) => node.name.toLowerCase(),
  );
  return [...groups].flatMap(([subject, group]): Found[] => {
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

function mismatches(db: DatabaseSync, nodes: readonly KnowledgeNode[]): Found[] {
  const code = nodes.find((node) => node.domain === "code");
  if (code === undefined) return [];
  return nodes
    .filter((node) => node.domain === "history" && node.type !== "commit")
    .flatMap((node) =>
      usedThings(node.content ?? "").flatMap(({ sentence, thing }): Found[] => {
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

function semantic(nodes: readonly KnowledgeNode[], nowMs: number): Found[] {
  const claims = nodes
    .filter((node) => node.domain === "history" && node.type !== "commit")
    .flatMap((node) => usedThings(node.content ?? "").map((claim) => ({ node, ...claim })));
  return claims.flatMap((a, i) =>
    claims.slice(i + 1).flatMap((b): Found[] => {
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

/** Found again after it was settled, a conflict stays settled unless one side has changed. */
export function findConflicts(db: DatabaseSync, nodes: readonly KnowledgeNode[], nowMs: number): Conflict[] {
  const keyOf = db.prepare("SELECT key FROM nodes WHERE id = ?");
  const settled = db.prepare(
    "SELECT resolution, at FROM settled WHERE conflict_type = ? AND subject = ? AND node_a = ? AND node_b = ? AND content_hash = ?",
  );
  const put = prepareWrite(
    db,
    `INSERT INTO conflicts (conflict_type, subject, node_a, node_b, severity, description, suggestion, content_hash, detected_at, resolution, resolved_at)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (conflict_type, subject, node_a, node_b) DO UPDATE SET description = excluded.description,
     content_hash = excluded.content_hash, resolution = excluded.resolution, resolved_at = excluded.resolved_at RETURNING id`,
  );
  return [...temporal(nodes), ...mismatches(db, nodes), ...semantic(nodes, nowMs)].flatMap((found) => {
    const [a, b] = [found.nodeA, found.nodeB].map((id) => (keyOf.get(id) as { key: number } | undefined)?.key);
    if (a === undefined || b === undefined) return [];
    const hash = sha256(found.description);
    const done = settled.get(found.type, found.subject, found.nodeA, found.nodeB, hash) as { resolution: string; at: string } | undefined;
    const { id } = put.get(
      found.type,
      found.subject,
      a,
      b,
      found.severity,
      found.description,
      found.suggestion,
      hash,
      isoTime(nowMs),
      done?.resolution ?? null,
      done?.at ?? null,
    ) as { id: bigint };
    return done === undefined ? [{ id: Number(id), ...found }] : [];
  });
}

export function openConflicts(db: DatabaseSync): Conflict[] {
  return db
    .prepare(
      `SELECT c.id, c.conflict_type AS type, c.subject, a.id AS nodeA, b.id AS nodeB, c.severity, c.description, c.suggestion FROM conflicts c
       JOIN nodes a ON a.key = c.node_a JOIN nodes b ON b.key = c.node_b WHERE c.resolved_at IS NULL ORDER BY c.detected_at DESC, c.id DESC`,
    )
    .all() as unknown as Conflict[];
}

export function settleConflict(db: DatabaseSync, conflict: SettledConflict, at: number): void {
  const { type, subject, node_a: a, node_b: b, description, resolution } = conflict;
  prepareWrite(
    db,
    `INSERT INTO settled (conflict_type, subject, node_a, node_b, content_hash, resolution, at) VALUES (?, ?, ?, ?, ?, ?, ?)
     ON CONFLICT DO UPDATE SET content_hash = excluded.content_hash, resolution = excluded.resolution, at = excluded.at`,
  ).run(type, subject, a, b, sha256(description), resolution, isoTime(at));
  prepareWrite(
    db,
    `UPDATE conflicts SET resolution = ?, resolved_at = ? WHERE conflict_type = ? AND subject = ? AND content_hash = ?
     AND node_a = (SELECT key FROM nodes WHERE id = ?) AND node_b = (SELECT key FROM nodes WHERE id = ?)`,
  ).run(resolution, isoTime(at), type, subject, sha256(description), a, b);
}
