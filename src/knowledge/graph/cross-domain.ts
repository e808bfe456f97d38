/** From one domain to another (VGD-050, VGD-051): what was done to this code, which code a past work touched, what either rests on. */
import type { DatabaseSync } from "node:sqlite";
import type { EdgeName } from "./node-types.ts";
import { openGraph, type Graph, type KnowledgeNode } from "./open-graph.ts";

export interface Related {
  node: KnowledgeNode;
  edge: string;
}

export interface Enriched {
  code: Related[];
  history: Related[];
  academic: Related[];
}

export interface CrossDomain {
  codeForHistory(id: string): Related[];
  academicForCode(id: string): Related[];
  academicForHistory(id: string): Related[];
  codeForAcademic(id: string): Related[];
  historyForAcademic(id: string): Related[];
  /** Everything of the other two domains that is linked to a node. */
  enrich(id: string, limit?: number): Enriched;
  /** Entries of one session by time; the cap is told. */
  session(
    sessionId: string,
    options?: { types?: readonly string[] | undefined; chronological?: boolean | undefined },
  ): {
    entries: KnowledgeNode[];
    truncated: boolean;
  };
}

const TOUCHES: readonly EdgeName[] = ["modified", "created", "deleted", "referenced_in"];
const RESTS_ON: readonly EdgeName[] = ["based_on", "references", "validated_by"];
const FOLLOWS: readonly EdgeName[] = ["implements_pattern", "uses_library"];
const LIMITS = { session: 100, files: 50, enriched: 5 };

export function openCrossDomain(db: DatabaseSync): CrossDomain {
  const graph: Graph = openGraph(db);
  const hop = (id: string, direction: "outgoing" | "incoming", edges: readonly EdgeName[]): Related[] =>
    graph.traverse(id, { direction, edges, depth: 1 }).map(({ node, edge }) => ({ node, edge }));
  /** Links are kept by name on files too: a symbol has what its file has. */
  const withFile = (id: string, direction: "outgoing" | "incoming", edges: readonly EdgeName[]): Related[] => {
    const own = hop(id, direction, edges);
    const file = graph.get(id)?.path;
    const seen = new Set(own.map(({ node }) => node.id));
    return file === undefined || file === id ? own : [...own, ...hop(file, direction, edges).filter(({ node }) => !seen.has(node.id))];
  };
  const cross: CrossDomain = {
    codeForHistory(id) {
      const changed = db
        .prepare(
          "SELECT f.path, cf.change FROM nodes n JOIN commit_files cf ON cf.commit_key = n.key JOIN files f ON f.path = cf.path WHERE n.id = ? ORDER BY f.path LIMIT ?",
        )
        .all(id, LIMITS.files) as { path: string; change: string }[];
      return [
        ...hop(id, "outgoing", TOUCHES),
        ...changed.flatMap(({ path, change }) => {
          const node = graph.get(path);
          return node === undefined ? [] : [{ node, edge: change }];
        }),
      ];
    },
    academicForCode: (id) => [...withFile(id, "incoming", ["documents"]), ...withFile(id, "outgoing", FOLLOWS)],
    academicForHistory: (id) => hop(id, "outgoing", RESTS_ON),
    codeForAcademic: (id) => [...hop(id, "outgoing", ["documents"]), ...hop(id, "incoming", FOLLOWS)],
    historyForAcademic: (id) => [...hop(id, "incoming", RESTS_ON), ...hop(id, "outgoing", ["inspired_by"])],
    enrich(id, limit = LIMITS.enriched) {
      const node = graph.get(id);
      const none: Enriched = { code: [], history: [], academic: [] };
      if (node === undefined) return none;
      const cut = (related: readonly Related[]): Related[] => related.slice(0, limit);
      if (node.domain === "code")
        return {
          ...none,
          history: graph.historyFor(id, limit).map((one) => ({ node: one.node, edge: one.change })),
          academic: cut(cross.academicForCode(id)),
        };
      if (node.domain === "history") return { ...none, code: cut(cross.codeForHistory(id)), academic: cut(cross.academicForHistory(id)) };
      return { ...none, code: cut(cross.codeForAcademic(id)), history: cut(cross.historyForAcademic(id)) };
    },
    session(sessionId, { types, chronological = true } = {}) {
      const order = chronological ? "ASC" : "DESC";
      const rows = db
        .prepare(
          `SELECT id FROM nodes WHERE session_id = ? AND domain = 'history' AND (? = '' OR instr(?, ',' || node_type || ',') > 0)
           ORDER BY timestamp ${order}, key ${order} LIMIT ?`,
        )
        .all(sessionId, (types ?? []).join(","), `,${(types ?? []).join(",")},`, LIMITS.session + 1) as { id: string }[];
      return {
        entries: rows.slice(0, LIMITS.session).flatMap(({ id }) => graph.get(id) ?? []),
        truncated: rows.length > LIMITS.session,
      };
    },
  };
  return cross;
}
