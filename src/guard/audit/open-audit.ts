/**
 * Writes the audit trail: who did what, permitted by which rule. Text is redacted before it is written.
 * A security entry is written even when its category is switched off, and when it cannot be written the
 * act it describes must not happen: `record` rejects.
 */
import { isDeepStrictEqual } from "node:util";
import type { Journal } from "../../journal/index.ts";
import type { CredentialRecord } from "../credentials/create-broker.ts";
import type { GuardedAction, PermissionRecord } from "../permissions/open-permissions.ts";
import { EVENTS, STREAMS, type Actor, type Payload } from "../../protocol/events/index.ts";

export interface AuditEntry {
  category: Payload<"audit.recorded">["category"];
  eventType: string;
  severity: Payload<"audit.recorded">["severity"];
  outcome: Payload<"audit.recorded">["outcome"];
  action: string;
  target?: string | undefined;
  rule?: string | undefined;
  role?: string | undefined;
  details?: Record<string, string | number | boolean> | undefined;
}

/** Looks that were permitted alike and are not written yet. */
interface Looks {
  entry: AuditEntry;
  targets: string[];
  written: Promise<void>;
}

/** Who acts, for all entries of one writer. */
export interface AuditActor {
  actor: Actor;
  sessionId?: string | undefined;
  taskId?: string | undefined;
  workflowId?: string | undefined;
}

export interface Audit {
  record(entry: AuditEntry): Promise<void>;
  /** For `openPermissions`. */
  permission(record: PermissionRecord): Promise<void>;
  /** For `createBroker`. */
  credential(record: CredentialRecord): Promise<void>;
  /** A secret was found (AUD-010); never with its value. */
  secrets(found: {
    place: "prompt" | "tool_output" | "tool_parameter" | "index" | "agent_dispatch";
    subject: string;
    count: number;
    patterns: readonly string[];
  }): Promise<void>;
}

export interface AuditOptions extends AuditActor {
  journal: Journal;
  redact: (text: string) => string;
  /** Categories that are switched off. */
  off?: ReadonlySet<Payload<"audit.recorded">["category"]> | undefined;
}

const MAX_TARGET = 2_000;
/** Targets of one event. */
const MAX_LOOKS = 100;

/** As one would type it. */
function shown(argument: string): string {
  return /^[\w@%+=:,./-]+$/.test(argument) ? argument : `'${argument.replaceAll("'", "'\\''")}'`;
}

function describe(action: GuardedAction): {
  category: Payload<"audit.recorded">["category"];
  action: string;
  target: string;
  details: Record<string, string | number | boolean>;
} {
  switch (action.kind) {
    case "read":
      return { category: "file", action: "read", target: action.path, details: {} };
    case "write":
      return { category: "file", action: action.operation, target: action.path, details: { bytes: action.bytes } };
    case "connect":
      return { category: "network", action: "connect", target: action.target, details: { method: action.method } };
    case "call":
      return { category: "process", action: "call", target: `${action.server}/${action.tool}`, details: { call: action.line } };
    case "run": {
      const target = action.command.kind === "shell" ? action.command.line : action.command.argv.map(shown).join(" ");
      return {
        category: "process",
        action: "run",
        target,
        details: { cwd: action.cwd, shell: action.command.kind === "shell", background: action.background },
      };
    }
  }
}

export function openAudit(options: AuditOptions): Audit {
  const { journal, redact, off } = options;
  const payloadOf = (entry: AuditEntry): Payload<"audit.recorded"> => ({
    category: entry.category,
    event_type: entry.eventType,
    severity: entry.severity,
    outcome: entry.outcome,
    action: entry.action,
    target: entry.target === undefined ? null : shortened(entry.target),
    rule: entry.rule === undefined ? null : redact(entry.rule),
    session_id: options.sessionId ?? null,
    task_id: options.taskId ?? null,
    workflow_id: options.workflowId ?? null,
    agent_type: entry.role ?? null,
    details: Object.fromEntries(
      Object.entries(entry.details ?? {}).map(([key, value]) => [key, typeof value === "string" ? redact(value) : value]),
    ),
  });
  const shortened = (target: string): string => redact(target).slice(0, MAX_TARGET);
  const eventOf = (payload: Payload<"audit.recorded">) =>
    EVENTS.audit.recorded.create(payload, { actor: options.actor, correlationId: options.taskId ?? options.sessionId });
  const isOff = (entry: AuditEntry): boolean => {
    const isSecurity = entry.severity === "security" || entry.severity === "critical" || entry.outcome === "denied";
    return !isSecurity && off?.has(entry.category) === true;
  };
  const record = async (entry: AuditEntry): Promise<void> => {
    if (!isOff(entry)) await journal.append(STREAMS.audit, "any", [eventOf(payloadOf(entry))]);
  };

  /** Nobody waits for a look: it is written with whatever is written next, together with those like it. */
  let looks: Looks | undefined;
  const look = (entry: AuditEntry, target: string): Promise<void> => {
    if (isOff(entry)) return Promise.resolve();
    if (looks !== undefined && looks.targets.length < MAX_LOOKS && isDeepStrictEqual(looks.entry, entry)) {
      if (!looks.targets.includes(target)) looks.targets.push(target);
      return looks.written;
    }
    const more: Looks = { entry, targets: [target], written: Promise.resolve() };
    const isOver = (): void => {
      if (looks === more) looks = undefined;
    };
    more.written = journal
      .appendSoon(STREAMS.audit, () => {
        isOver();
        const [first, ...also] = more.targets.map(shortened);
        return [eventOf({ ...payloadOf(entry), target: first ?? null, ...(also.length === 0 ? {} : { also }) })];
      })
      .then(() => undefined)
      // What a store that is too busy did not take is not waited for by those that come later.
      .finally(isOver);
    looks = more;
    return more.written;
  };
  return {
    record,
    async permission({ role, action, outcome, source, detail }) {
      const { category, action: verb, target, details } = describe(action);
      const entry: AuditEntry = {
        category: outcome === "denied" ? "permission" : category,
        eventType: outcome === "denied" ? "permission_denied" : "permission_granted",
        severity: outcome === "denied" ? "security" : "info",
        outcome,
        action: verb,
        rule: `${source}: ${detail}`,
        role,
        details: { ...details, source },
      };
      await (outcome === "allowed" && action.kind === "read" ? look(entry, target) : record({ ...entry, target }));
    },
    async credential(entry) {
      await record({
        category: "config",
        eventType: `credential_${entry.action}`,
        severity: "security",
        outcome: entry.action === "denied" || entry.action === "expired" ? "denied" : "allowed",
        action: "credential",
        target: entry.provider,
        rule: entry.reason,
        role: entry.role,
        details: {
          agent_id: entry.agentId,
          tool_call_id: entry.toolCallId,
          ...(entry.handleId === undefined ? {} : { handle_id: entry.handleId }),
        },
      });
    },
    async secrets({ place, subject, count, patterns }) {
      const refused = place === "prompt" || place === "tool_parameter";
      await record({
        category: "permission",
        eventType: refused ? "secret_detected" : "secret_redacted",
        severity: "security",
        outcome: refused ? "denied" : "allowed",
        action: place,
        target: subject,
        details: { count, patterns: [...new Set(patterns)].sort().join(",") },
      });
    },
  };
}
