/** Reads the audit trail back (AUD-007). Events of other floors appear as entries of their category. */
import { must } from "../../kernel/index.ts";
import path from "node:path";
import type { Journal } from "../../journal/index.ts";
import { categoryOfEvent } from "./event-category.ts";
import { EVENTS, type JournalEvent, actorText, type Payload } from "../../protocol/events/index.ts";

export interface AuditFilter {
  sinceMs?: number | undefined;
  untilMs?: number | undefined;
  category?: Payload<"audit.recorded">["category"] | undefined;
  severity?: Payload<"audit.recorded">["severity"] | undefined;
  outcome?: Payload<"audit.recorded">["outcome"] | undefined;
  session?: string | undefined;
  task?: string | undefined;
  /** The actor, or the agent's type. */
  agent?: string | undefined;
  action?: string | undefined;
  /** Glob. */
  target?: string | undefined;
  targetPattern?: RegExp | undefined;
  /** Only what stands after this position. */
  after?: number | undefined;
  limit?: number | undefined;
  offset?: number | undefined;
}

/** One line of the trail, with what is needed to find its event in the journal. */
export interface AuditLine extends Omit<Payload<"audit.recorded">, "also"> {
  position: number;
  id: string;
  at: number;
  actor: string;
  hash: string;
}

const PAGE = 1_000;

/** Whose work an event of another floor was. */
function ownersOf(event: JournalEvent<unknown>): { session_id: string | null; task_id: string | null } {
  if (EVENTS.usage.callFinished.is(event)) return { session_id: event.payload.session, task_id: event.payload.task };
  const task_id = /^task\/(.+)$/u.exec(event.stream)?.[1] ?? null;
  return { session_id: EVENTS.task.created.is(event) ? event.payload.session : null, task_id };
}

/** What an event tells, one line for each thing it is about. */
function linesOf(event: JournalEvent<unknown>): AuditLine[] {
  const place = { position: event.position, id: event.id, at: event.at, actor: event.actor, hash: event.hash };
  if (EVENTS.audit.recorded.is(event)) {
    const { also = [], ...payload } = event.payload;
    return [payload.target, ...also].map((target) => ({ ...place, ...payload, target }));
  }
  const category = event.type === EVENTS.audit.recorded.type ? "permission" : categoryOfEvent(event.type);
  if (category === undefined) return [];
  return [
    {
      ...place,
      ...ownersOf(event),
      category,
      event_type: event.type,
      severity: event.fault === undefined ? "info" : "warning",
      outcome: event.fault === undefined ? "allowed" : "error",
      action: event.type.slice(event.type.indexOf(".") + 1),
      target: event.stream,
      rule: event.fault === undefined ? null : `cannot be understood: ${event.fault}`,
      workflow_id: null,
      agent_type: null,
      details: {},
    },
  ];
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
    (filter.task === undefined || line.task_id === filter.task) &&
    (filter.agent === undefined || line.actor === actorText.spell(actorText.read(filter.agent)) || line.agent_type === filter.agent) &&
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
  for (let after = filter.after ?? 0; left > 0;) {
    signal.throwIfAborted();
    const events = await journal.readAll({ after, limit: PAGE });
    for (const line of events.flatMap(linesOf)) {
      if (!matches(line, filter)) continue;
      if (skip > 0) skip -= 1;
      else if (left > 0) {
        left -= 1;
        yield line;
      }
    }
    if (events.length < PAGE) return;
    after = must(events.at(-1)).position;
  }
}
