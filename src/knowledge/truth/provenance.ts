/** Where a piece of knowledge comes from (MIT-020, MIT-021): recorded beside it, shown with it. */
import type { DatabaseSync } from "node:sqlite";
import { wording } from "../../kernel/index.ts";
import type { KnowledgeNode } from "../graph/open-graph.ts";

const DAY_MS = 86_400_000;
const OLD_DAYS = 30;

export type SourceType = "code" | "history" | "academic" | "inference" | "user";

export interface ProvenanceSource {
  type: SourceType;
  nodeId: string | undefined;
  path: string | undefined;
  url: string | undefined;
  confidence: number;
  verified: boolean;
  timestamp: string | undefined;
}

/** Surest first. */
export function readProvenance(db: DatabaseSync, id: string): ProvenanceSource[] {
  const rows = db
    .prepare(
      `SELECT p.source_type AS type, s.id AS nodeId, p.source_path AS path, p.source_url AS url, p.confidence, p.verified_at AS at FROM provenance p
       JOIN nodes n ON n.key = p.node LEFT JOIN nodes s ON s.key = p.source_node WHERE n.id = ? ORDER BY p.confidence DESC, p.id`,
    )
    .all(id) as {
    type: SourceType;
    nodeId: string | null;
    path: string | null;
    url: string | null;
    confidence: number;
    at: string | null;
  }[];
  return rows.map((row) => ({
    type: row.type,
    nodeId: row.nodeId ?? undefined,
    path: row.path ?? undefined,
    url: row.url ?? undefined,
    confidence: row.confidence,
    verified: row.at !== null,
    timestamp: row.at ?? undefined,
  }));
}

const VIA: Readonly<Record<SourceType, string>> = {
  code: "code analysis",
  history: "history lookup",
  academic: "external reference",
  inference: "inference",
  user: "user input",
};

function noteOf(node: KnowledgeNode, nowMs: number): string {
  if (!node.verified) return "⚠️ unverified";
  if (node.domain === "code") return "verified, current";
  if (node.domain === "academic")
    return node.type === "rfc" ? "authoritative" : node.type === "documentation" ? "official docs" : "external";
  const days = node.time === undefined ? 0 : Math.floor((nowMs - Date.parse(node.time)) / DAY_MS);
  return days > OLD_DAYS ? `${days} days old` : "recent";
}

function placeOf(node: KnowledgeNode): string {
  if (node.domain === "code")
    return `${node.path ?? node.name}${node.line === undefined || node.type === "file" ? "" : `:${node.line}-${node.endLine ?? node.line}`}`;
  if (node.domain === "academic") return `${node.name}${node.url === undefined ? "" : ` ${node.url}`}`;
  return `${node.time?.slice(0, 10) ?? "undated"} ${wording.oneLine(node.name)}`;
}

/** `[n] place — note, via kind`. */
export function sourceLine(n: number, node: KnowledgeNode, provenance: readonly ProvenanceSource[], nowMs: number): string {
  const best = provenance[0];
  return `[${n}] ${placeOf(node)} — ${noteOf(node, nowMs)}${best === undefined ? "" : `, via ${VIA[best.type]}`}`;
}
