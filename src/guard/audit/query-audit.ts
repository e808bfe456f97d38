/** Reads the audit trail back (AUD-007). Events of other floors appear as entries of their category. */
import path from "node:path";
import type { Journal, JournalEvent } from "../../journal/index.ts";
import {
  auditRecorded,
  categoryOfEvent,
  type AuditCategory,
  type AuditOutcome,
  type AuditPayload,
  type AuditSeverity,
} from "./audit-entry.ts";

export interface AuditFilter {
  sinceMs?: number | undefined;
  untilMs?: number | undefined;
  category?: AuditCategory | undefined;
  severity?: AuditSeverity | undefined;
  outcome?: AuditOutcome | undefined;
  session?: string | undefined;
  /** The actor, or the agent's type. */
  agent?: string | undefined;
  action?: string | undefined;
  /** Glob. */
  target?: string | undefined;
  targetPattern?: RegExp | undefined;
  limit?: number | undefined;
  offset?: number | undefined;
}

/** One line of the trail, with what is needed to find its event in the journal. */
export interface AuditLine extends AuditPayload {
  position: number;
  id: string;
  at: number;
  actor: string;
  hash: string;
}

const PAGE = 1_000;

function lineOf(event: JournalEvent<unknown>): AuditLine | undefined {
  const place = { position: event.position, id: event.id, at: event.at, actor: event.actor, hash: event.hash };
  if (auditRecorded.is(event)) return { ...place, ...event.payload };
  const category = categoryOfEvent(event.type);
  if (category === undefined) return undefined;
  return {
    ...place,
    category,
    event_type: event.type,
    severity: "info",
    outcome: "allowed",
    action: event.type.slice(event.type.indexOf(".") + 1),
    target: event.stream,
    rule: null,
    session_id: event.correlationId,
    workflow_id: null,
    agent_type: null,
    details: {},
  };
}

function matches(line: AuditLine, filter: AuditFilter): boolean {
  const { target } = line;
  return (
    (filter.sinceMs === undefined || line.at >= filter.sinceMs) &&
    (filter.untilMs === undefined || line.at < filter.untilMs) &&
    (filter.category === undefined || line.category === filter.category) &&
    (filter.severity === undefined || line.severity === filter.severity) &&
    (filter.outcome === undefined || line.outcome === filter.outcome) &&
    (filter.session === undefined || line.session_id === filter.session) &&
    (filter.agent === undefined || line.actor === filter.agent || line.agent_type === filter.agent) &&
    (filter.action === undefined || line.action === filter.action || line.event_type === filter.action) &&
    (filter.target === undefined ||
      (target !== null && (path.matchesGlob(target, filter.target) || path.matchesGlob(path.basename(target), filter.target)))) &&
    (filter.targetPattern === undefined || (target !== null && filter.targetPattern.test(target)))
  );
}

/** Matching entries, oldest first. */
export async function* queryAudit(journal: Journal, filter: AuditFilter, signal: AbortSignal): AsyncGenerator<AuditLine> {
  let skip = filter.offset ?? 0;
  let left = filter.limit ?? Infinity;
  for (let after = 0; left > 0;) {
    signal.throwIfAborted();
    const events = await journal.readAll({ after, limit: PAGE });
    for (const event of events) {
      const line = lineOf(event);
      if (line === undefined || !matches(line, filter)) continue;
      if (skip > 0) skip -= 1;
      else if (left > 0) {
        left -= 1;
        yield line;
      }
    }
    if (events.length < PAGE) return;
    after = (events.at(-1) as JournalEvent).position;
  }
}
