/** Writes summaries, documents and links: what people and agents add to what was read. */
import type { DatabaseSync } from "node:sqlite";
import { isoTime, sha256, SylkError } from "../../kernel/index.ts";
import { LINK_WEIGHTS } from "../graph/node-types.ts";
import { cutSections } from "./cut-chunks.ts";
import { describePiece } from "./describe-piece.ts";
import { indexText } from "../text/tokenize.ts";
import { verifyEntry, type Verdict } from "../truth/verify-entry.ts";
import { transaction } from "../store/transaction.ts";
import { prepareWrite } from "../store/prepare-write.ts";
import { createPieceWriter } from "../store/piece-writer.ts";
import { createHistoryWriter } from "../store/history-writer.ts";
import { LINK_DOMAINS } from "../link-domains.ts";
import type { Payload } from "../../protocol/events/index.ts";
import { linesOf } from "../../code/lines/index.ts";

export interface StoredEntry {
  nodeId: string;
  edges: number;
  unresolvedReferences: string[];
  verdict: Verdict;
}

export interface NewDocument {
  slug: string;
  title: string;
  type: Payload<"knowledge.document_stored">["type"];
  url: string | undefined;
  text: string;
}

export interface DocumentReport {
  added: number;
  updated: number;
  removed: number;
  unchanged: number;
}

export interface NewLink {
  source: string;
  target: string;
  type: Payload<"knowledge.linked">["type"];
  weight?: number | undefined;
}

export interface EntryWriter {
  summary(entry: Payload<"knowledge.summary_stored">, at: number): StoredEntry;
  document(document: NewDocument, at: number): DocumentReport;
  /** All of them or, when one cannot be, none. */
  link(links: readonly NewLink[]): void;
}

export function createEntryWriter(db: DatabaseSync): EntryWriter {
  const nodeOf = db.prepare("SELECT key, domain FROM nodes WHERE id = ?");
  const putLink = prepareWrite(
    db,
    "INSERT INTO links (source, target, edge_type, weight) VALUES (?, ?, ?, ?) ON CONFLICT DO UPDATE SET weight = excluded.weight",
  );
  const judge = prepareWrite(
    db,
    "UPDATE nodes SET verified = ?, verification_type = ?, confidence = ?, trust_level = ?, metadata = ? WHERE id = ?",
  );
  const prove = prepareWrite(
    db,
    "INSERT INTO provenance (node, source_type, source_path, confidence, verified_at) VALUES (?, 'code', ?, ?, ?)",
  );
  const entries = createHistoryWriter(db);

  /** MIT-011: chains may grow, circles may not. */
  const supersede = (newer: string, older: string): void => {
    const replacedBy = db.prepare("SELECT s.id FROM nodes n JOIN nodes s ON s.key = n.superseded_by WHERE n.id = ?");
    for (let at: string | undefined = newer; at !== undefined; at = (replacedBy.get(at) as { id: string } | undefined)?.id)
      if (at === older)
        throw new SylkError({
          code: "KNOWLEDGE_BAD_LINK",
          tier: "user_fixable",
          message: `${newer} cannot replace ${older}, which replaces it`,
        });
    prepareWrite(
      db,
      "UPDATE nodes SET superseded_by = (SELECT key FROM nodes WHERE id = ?), updated_at = max(updated_at, coalesce((SELECT timestamp FROM nodes WHERE id = ?), '')) WHERE id = ?",
    ).run(newer, newer, older);
  };

  const putOne = ({ source, target, type, weight }: NewLink): void => {
    const wanted = LINK_DOMAINS[type];
    for (const [i, id] of [source, target].entries()) {
      const found = nodeOf.get(id) as { domain: string } | undefined;
      if (found !== undefined && found.domain !== wanted[i])
        throw new SylkError({
          code: "KNOWLEDGE_BAD_LINK",
          tier: "user_fixable",
          message: `${type} goes from ${wanted[0]} to ${wanted[1]}, but ${id} is ${found.domain}`,
        });
    }
    if (type === "supersedes") supersede(source, target);
    putLink.run(source, target, type, weight ?? LINK_WEIGHTS[type] ?? 1);
  };

  const writeDocument = (document: NewDocument, at: number): DocumentReport => {
    const id = `doc:${document.slug}`;
    const now = isoTime(at);
    const known = (nodeOf.get(id) as { key: number } | undefined)?.key;
    const key =
      known ??
      Number(
        prepareWrite(
          db,
          `INSERT INTO nodes (id, domain, node_type, name, url, content_hash, verified, verification_type, confidence, trust_level, created_at, updated_at) VALUES (?, 'academic', ?, ?, ?, ?, 1, 'from_source', 1, 70, ?, ?)`,
        ).run(id, document.type, document.title, document.url ?? null, sha256(document.text), now, now).lastInsertRowid,
      );
    prepareWrite(db, "UPDATE nodes SET node_type = ?, name = ?, url = ?, content_hash = ?, updated_at = ? WHERE key = ?").run(
      document.type,
      document.title,
      document.url ?? null,
      sha256(document.text),
      now,
      key,
    );
    prepareWrite(
      db,
      "INSERT INTO files (key, path, hash, size, mtime_ms, kind, lines, test) VALUES (?, ?, ?, ?, 0, 'external', ?, 0) ON CONFLICT (key) DO UPDATE SET hash = excluded.hash",
    ).run(key, id, sha256(document.text), document.text.length, linesOf(document.text).length);
    return writeSections(key, document);
  };

  /** Placed by section and number, recognised by content: only what is new is embedded (ING-004). */
  const writeSections = (key: number, document: NewDocument): DocumentReport => {
    const lines = linesOf(document.text);
    const old = new Map(
      (db.prepare("SELECT key, name, hash FROM chunks WHERE file = ?").all(key) as { key: number; name: string; hash: string }[]).map(
        (row) => [row.hash, row],
      ),
    );
    const report: DocumentReport = { added: 0, updated: 0, removed: 0, unchanged: 0 };
    const names = new Set([...old.values()].map((row) => row.name));
    const pieces = createPieceWriter(db);
    for (const section of cutSections(lines)) {
      const text = lines.slice(section.line - 1, section.endLine).join("\n");
      // Progress marks of a plan are not its content (ING-008).
      const hash = sha256(`${section.trail.join("/")}\n${text.replaceAll(/^(\s*[-*] )\[[ xX~-]\] /gmu, "$1")}`);
      if (old.delete(hash)) {
        report.unchanged += 1;
        prepareWrite(db, "UPDATE chunks SET line_start = ?, line_end = ?, text = ? WHERE file = ? AND hash = ?").run(
          section.line,
          section.endLine,
          text,
          key,
          hash,
        );
        continue;
      }
      report[names.has(section.name) ? "updated" : "added"] += 1;
      pieces.add(key, null, { ...section, hash, text, ...describePiece(document.title, section.trail.join(" "), text) });
    }
    for (const row of old.values()) {
      pieces.remove(row.key);
      report.removed += 1;
    }
    prepareWrite(db, "DELETE FROM file_fts WHERE rowid = ?").run(key);
    prepareWrite(db, "INSERT INTO file_fts (rowid, path, symbols) VALUES (?, ?, ?)").run(
      key,
      indexText(document.slug.replaceAll("-", " ")),
      indexText(document.title),
    );
    return report;
  };

  return {
    summary(entry, at) {
      const nodeId = `summary:${entry.id}`;
      entries.write("summary", [
        {
          id: entry.id,
          externalId: undefined,
          thread: entry.session_id,
          author: entry.agent,
          at,
          text: entry.content,
          kind: entry.summary_type,
        },
      ]);
      const verdict = verifyEntry(db, { content: entry.content, files: entry.code_references });
      const unresolved: string[] = [];
      let edges = 0;
      transaction(db, () => {
        for (const reference of entry.code_references) {
          if (nodeOf.get(reference) === undefined) unresolved.push(reference);
          else edges += 1;
          // Kept even when unknown: it may be the name of something that is gone.
          putLink.run(nodeId, reference, "referenced_in", LINK_WEIGHTS.referenced_in ?? 1);
        }
        const details = {
          tags: entry.tags,
          task_id: entry.task_id,
          resolved: entry.resolved,
          warnings: verdict.warnings,
          contradictions: verdict.contradictions,
          needs_review: !verdict.verified,
        };
        judge.run(
          verdict.verified ? 1 : 0,
          verdict.verification,
          verdict.confidence,
          verdict.verified ? 80 : 20,
          JSON.stringify(details),
          nodeId,
        );
        const { key } = nodeOf.get(nodeId) as { key: number };
        for (const source of new Set(verdict.sources)) prove.run(key, source, verdict.confidence, verdict.verified ? isoTime(at) : null);
      });
      return { nodeId, edges, unresolvedReferences: unresolved, verdict };
    },
    document: (document, at) => transaction(db, () => writeDocument(document, at)),
    link: (links) =>
      transaction(db, () => {
        for (const link of links) putOne(link);
      }),
  };
}
