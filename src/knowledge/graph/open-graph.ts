/** Nodes and the ways between them. Calls and other mentions are resolved by name when asked, so they are never stale. */
import type { DatabaseSync } from "node:sqlite";
import { SylkError } from "../../kernel/index.ts";
import type { EdgeName } from "./node-types.ts";

export interface KnowledgeNode {
  id: string;
  domain: "code" | "history" | "academic";
  type: string;
  name: string;
  path: string | undefined;
  line: number | undefined;
  endLine: number | undefined;
  signature: string | undefined;
  content: string | undefined;
  category: string | undefined;
  time: string | undefined;
  author: string | undefined;
  url: string | undefined;
  verified: boolean;
  /** A user said so. */
  byUser: boolean;
  trust: number;
  supersededBy: string | undefined;
  session: string | undefined;
  /** Of a failure: whether it was mended, where known. */
  resolved: boolean | undefined;
}

export interface Step {
  node: KnowledgeNode;
  edge: EdgeName;
  depth: number;
}

export interface Graph {
  get(id: string): KnowledgeNode | undefined;
  /** What stands at the end of the chain of entries that replaced this one; itself when none did. */
  current(id: string): KnowledgeNode | undefined;
  /** By whatever a search shows of it: its id, an imported entry's own id, an event's id, the beginning of a commit's hash. */
  resolve(shown: string): KnowledgeNode | undefined;
  /** Breadth first, each node once. */
  traverse(
    id: string,
    options: { direction: "outgoing" | "incoming"; edges?: readonly EdgeName[] | undefined; depth?: number | undefined },
  ): Step[];
  /** Commits and entries that changed this file or symbol, newest first (VGD-050). */
  historyFor(id: string, limit?: number): { node: KnowledgeNode; change: string }[];
  symbolsOf(path: string, type?: string): { symbols: KnowledgeNode[]; truncated: boolean };
}

const LIMITS = { depth: 5, nodes: 200, candidates: 5, symbols: 100 };

interface Row {
  key: number;
  id: string;
  domain: KnowledgeNode["domain"];
  type: string;
  name: string;
  path: string | null;
  line: number | null;
  endLine: number | null;
  signature: string | null;
  content: string | null;
  category: string | null;
  time: string | null;
  author: string | null;
  url: string | null;
  verified: number;
  how: string;
  trust: number;
  superseded: string | null;
  owner: number | null;
  session: string | null;
  resolved: number | null;
}

const COLUMNS = `n.key, n.id, n.domain, n.node_type AS type, n.name, n.path, n.line_start AS line, n.line_end AS endLine, n.signature, n.content, n.category,
  n.timestamp AS time, n.author, n.url, n.verified, n.verification_type AS how, n.trust_level AS trust, n.owner, n.session_id AS session, json_extract(n.metadata, '$.resolved') AS resolved, (SELECT s.id FROM nodes s WHERE s.key = n.superseded_by) AS superseded`;

function toNode(row: Row): KnowledgeNode {
  return {
    id: row.id,
    domain: row.domain,
    type: row.type,
    name: row.name,
    path: row.path ?? undefined,
    line: row.line ?? undefined,
    endLine: row.endLine ?? undefined,
    signature: row.signature ?? undefined,
    content: row.content ?? undefined,
    category: row.category ?? undefined,
    time: row.time ?? undefined,
    author: row.author === null || row.author === "" ? undefined : row.author,
    url: row.url ?? undefined,
    verified: row.verified === 1,
    byUser: row.how === "by_user",
    trust: row.trust,
    supersededBy: row.superseded ?? undefined,
    session: row.session ?? undefined,
    resolved: row.resolved === null ? undefined : row.resolved === 1,
  };
}

const MENTIONED: Readonly<Record<string, string>> = {
  calls: "call",
  references: "reference",
  extends: "extends",
  implements: "implements",
};

export function openGraph(db: DatabaseSync): Graph {
  const rows = (sql: string, ...values: (string | number)[]): Row[] => db.prepare(sql).all(...values) as unknown as Row[];
  const find = (id: string): Row | undefined => rows(`SELECT ${COLUMNS} FROM nodes n WHERE n.id = ?`, id)[0];

  /** What a symbol mentions: in its own file first, then in files its file imports, then anywhere, if few bear the name. */
  const mentioned = (row: Row, kind: string): Row[] => {
    const own = row.owner ?? row.key;
    const names = db
      .prepare(`SELECT DISTINCT name FROM mentions WHERE ${row.owner === null ? "file" : "node"} = ? AND kind = ?`)
      .all(row.key, kind) as { name: string }[];
    return names.flatMap(({ name }) => {
      const all = rows(
        `SELECT ${COLUMNS}, (n.owner = ?) * 2 + EXISTS (SELECT 1 FROM edges e WHERE e.source = ? AND e.target = n.owner AND e.edge_type = 'imports') AS near
         FROM nodes n WHERE n.name = ? AND n.domain = 'code' AND n.owner IS NOT NULL AND n.key <> ? ORDER BY near DESC LIMIT ?`,
        own,
        own,
        name,
        row.key,
        LIMITS.candidates + 1,
      ) as (Row & { near: number })[];
      const best = all[0]?.near ?? 0;
      return best > 0 ? all.filter((one) => one.near === best) : all.length <= LIMITS.candidates ? all : [];
    });
  };

  const mentioning = (row: Row, kind: string): Row[] =>
    rows(
      `SELECT ${COLUMNS} FROM mentions m JOIN nodes n ON n.key = coalesce(m.node, m.file) WHERE m.name = ? AND m.kind = ? AND n.key <> ? LIMIT ?`,
      row.name,
      kind,
      row.key,
      LIMITS.nodes,
    );

  const oneHop = (row: Row, outgoing: boolean, wanted: (edge: string) => boolean): { row: Row; edge: EdgeName }[] => {
    const [from, to] = outgoing ? ["source", "target"] : ["target", "source"];
    const stored = rows(
      `SELECT ${COLUMNS}, e.edge_type AS edge FROM edges e JOIN nodes n ON n.key = e.${to} WHERE e.${from} = ? LIMIT ?`,
      row.key,
      LIMITS.nodes,
    );
    const linked = rows(
      `SELECT ${COLUMNS}, l.edge_type AS edge FROM links l JOIN nodes n ON n.id = l.${to} WHERE l.${from} = ? LIMIT ?`,
      row.id,
      LIMITS.nodes,
    );
    const found = [...stored, ...linked]
      .map((one) => ({ row: one, edge: (one as Row & { edge: EdgeName }).edge }))
      .filter(({ edge }) => wanted(edge));
    for (const [edge, kind] of Object.entries(MENTIONED))
      if (row.domain === "code" && wanted(edge))
        for (const one of outgoing ? mentioned(row, kind) : mentioning(row, kind)) found.push({ row: one, edge: edge as EdgeName });
    return found;
  };

  const need = (id: string): Row => {
    const row = find(id);
    if (row === undefined)
      throw new SylkError({
        code: "KNOWLEDGE_NO_SUCH_NODE",
        tier: "user_fixable",
        message: `nothing is known under ${id}`,
        fix: "ids look like src/file.ts:name, or come from a search",
      });
    return row;
  };

  return {
    get(id) {
      const row = find(id);
      return row === undefined ? undefined : toNode(row);
    },
    current(id) {
      let row = find(id);
      for (let hop = 0; typeof row?.superseded === "string" && hop < LIMITS.nodes; hop += 1) row = find(row.superseded);
      return row === undefined ? undefined : toNode(row);
    },
    resolve(shown) {
      const hash = shown.replace(/^commit:/u, "");
      const row =
        find(shown) ??
        rows(`SELECT ${COLUMNS} FROM turns t JOIN nodes n ON n.key = t.key WHERE t.external_id = ? LIMIT 1`, shown)[0] ??
        find(`journal:${shown}`) ??
        (/^[\da-f]{7,40}$/u.test(hash)
          ? rows(`SELECT ${COLUMNS} FROM nodes n WHERE n.id >= ? AND n.id < ? LIMIT 1`, `commit:${hash}`, `commit:${hash}g`)[0]
          : undefined);
      return row === undefined ? undefined : toNode(row);
    },
    traverse(id, { direction, edges, depth = 1 }) {
      const start = need(id);
      const seen = new Set([start.key]);
      const out: Step[] = [];
      let level = [start];
      for (let at = 1; at <= Math.min(depth, LIMITS.depth) && level.length > 0; at += 1) {
        const next: Row[] = [];
        for (const row of level) {
          for (const { row: other, edge } of oneHop(
            row,
            direction === "outgoing",
            (name) => edges === undefined || edges.includes(name as EdgeName),
          )) {
            if (seen.has(other.key) || out.length >= LIMITS.nodes) continue;
            seen.add(other.key);
            next.push(other);
            out.push({ node: toNode(other), edge, depth: at });
          }
        }
        level = next;
      }
      return out;
    },
    historyFor(id, limit = 10) {
      const row = need(id);
      const linked = rows(
        `SELECT ${COLUMNS}, l.edge_type AS edge FROM links l JOIN nodes n ON n.id = l.source WHERE l.target IN (?, ?) AND l.edge_type IN ('modified', 'created', 'deleted', 'referenced_in')`,
        row.id,
        row.path ?? row.id,
      ) as (Row & { edge: string })[];
      const commits = rows(
        `SELECT ${COLUMNS}, cf.change AS edge FROM commit_files cf JOIN nodes n ON n.key = cf.commit_key WHERE cf.path = ? ORDER BY n.timestamp DESC LIMIT ?`,
        row.path ?? "",
        limit,
      ) as (Row & { edge: string })[];
      return [...linked, ...commits]
        .sort((a, b) => ((a.time ?? "") < (b.time ?? "") ? 1 : -1))
        .slice(0, limit)
        .map((one) => ({ node: toNode(one), change: one.edge }));
    },
    symbolsOf(path, type) {
      const all = rows(
        `SELECT ${COLUMNS} FROM nodes n WHERE n.path = ? AND n.owner IS NOT NULL AND (? = '' OR n.node_type = ?) ORDER BY n.line_start LIMIT ?`,
        path,
        type ?? "",
        type ?? "",
        LIMITS.symbols + 1,
      );
      return { symbols: all.slice(0, LIMITS.symbols).map(toNode), truncated: all.length > LIMITS.symbols };
    },
  };
}
