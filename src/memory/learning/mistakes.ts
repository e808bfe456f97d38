/** What went wrong before and what helped (EFF-040…043). Text of a record is data, never an instruction. */
import { newId, unreachable } from "../../kernel/index.ts";
import type { Journal, View } from "../../journal/index.ts";
import { DEFAULT_SESSION, EVENTS, decode, typesOf, type Actor, type Payload } from "../../protocol/events/index.ts";
import { alertText, isRepeated } from "./failure-alert.ts";

export interface Mistake extends Omit<Payload<"mistake.reported">, "session"> {
  /** What was tried without what belongs to one place alone: what two reports of the same have in common. */
  approach_signature: string;
  confidence: number;
  occurrences: number;
  /** How often it was seen in which session. */
  sessions: Record<string, number>;
  created_at: number;
  last_seen_at: number;
}

const CONFIDENCE = { first: 0.7, rise: 0.05, cap: 0.95 } as const;

export const mistakeStream = (id: string): string => `mistake/${id}`;

export const mistakeView: View<Mistake> = {
  name: "mistake",
  version: 2,
  types: typesOf(EVENTS.mistake),
  key: (event) => event.stream,
  reduce(state, happened) {
    const event = decode(EVENTS.mistake, happened);
    switch (event?.type) {
      case "mistake.reported": {
        const { session, ...report } = event.payload;
        return {
          ...report,
          approach_signature: signatureOf(report.pattern),
          sessions: counted({}, session),
          confidence: CONFIDENCE.first,
          occurrences: 1,
          created_at: event.at,
          last_seen_at: event.at,
        };
      }
      case "mistake.seen":
        return state === undefined ? undefined : seenAgain(state, event.payload, event.at);
      case "mistake.retired":
        return undefined;
      case undefined:
        return state;
      default:
        return unreachable(event);
    }
  },
};

/** What belongs to no request has no session of its own. */
const counted = (sessions: Record<string, number>, session: string | undefined): Record<string, number> =>
  session === undefined || session === DEFAULT_SESSION ? sessions : { ...sessions, [session]: (sessions[session] ?? 0) + 1 };

/** What helped stays known where it is seen again and nobody says what helped. */
function seenAgain(state: Mistake, { fix, session }: Payload<"mistake.seen">, at: number): Mistake {
  const confidence = Math.min(CONFIDENCE.cap, Math.round((state.confidence + CONFIDENCE.rise) * 1e6) / 1e6);
  return {
    ...state,
    fix: fix === "" ? state.fix : fix,
    sessions: counted(state.sessions, session),
    confidence,
    occurrences: state.occurrences + 1,
    last_seen_at: at,
  };
}

const wordsOf = (text: string): Set<string> => new Set(text.toLowerCase().match(/[\p{L}\d_]{3,}/gu) ?? []);

/** Places, numbers, names and quoted texts are of one time only. */
function signatureOf(text: string): string {
  const general = text
    .replaceAll(/`[^`]*`|"[^"]*"|\b[\w.-]*\/[\w./-]+|\b[0-9a-f]{7,}\b|\b\w+_[0-9a-hjkmnp-tv-z]{26}\b|\b\d[\d.:]*\b/gu, " ")
    .toLowerCase();
  const words = general.match(/[\p{L}_][\p{L}\d_]+/gu) ?? [];
  // Where nothing general is left, what was said is all there is.
  return (words.length === 0 ? text.toLowerCase() : words.join(" ")).trim();
}

/** Of all words of both, the share that stands in both. */
export function wordsInCommon(a: string, b: string): number {
  const one = wordsOf(a);
  const two = wordsOf(b);
  const shared = [...one].filter((word) => two.has(word)).length;
  return one.size + two.size === 0 ? 0 : shared / (one.size + two.size - shared);
}

const SAME = 0.7;
const RELEVANT = 0.25;

export async function listMistakes(journal: Journal): Promise<Mistake[]> {
  const rows = await journal.list(mistakeView, { prefix: "mistake/" });
  return rows.map((row) => row.state).toSorted((a, b) => b.confidence - a.confidence || b.occurrences - a.occurrences);
}

export interface MistakeReport {
  pattern: string;
  error: string;
  fix: string;
  context?: string | undefined;
  tags?: string[] | undefined;
  session?: string | undefined;
}

/** The record of a near-identical mistake, if there is one. */
export async function sameMistake(journal: Journal, report: Pick<MistakeReport, "pattern" | "error">): Promise<Mistake | undefined> {
  const text = `${signatureOf(report.pattern)} ${signatureOf(report.error)}`;
  return (await listMistakes(journal)).find((one) => wordsInCommon(`${one.approach_signature} ${signatureOf(one.error)}`, text) > SAME);
}

/** A near-identical one is counted, not repeated. */
export async function reportMistake(
  journal: Journal,
  report: MistakeReport,
  meta: { actor: Actor; correlationId?: string },
  nowMs: number,
): Promise<{ recorded: true; id: string; merged: boolean }> {
  const known = await sameMistake(journal, report);
  const { pattern, error, fix, context = "", tags = [] } = report;
  const session = report.session === undefined ? {} : { session: report.session };
  if (known !== undefined) {
    await journal.append(mistakeStream(known.id), "any", [EVENTS.mistake.seen.create({ id: known.id, fix, ...session }, meta)]);
    return { recorded: true, id: known.id, merged: true };
  }
  const id = newId("mistake", nowMs);
  const reported = { id, pattern, error, fix, context, tags, ...session };
  await journal.append(mistakeStream(id), 0, [EVENTS.mistake.reported.create(reported, meta)]);
  return { recorded: true, id, merged: false };
}

/**
 * A failure that code saw, and nobody knows yet what helps. A task counts once, however often it runs into it; one that
 * another task of the same session ran into before is a repetition.
 */
export async function reportFailure(
  journal: Journal,
  failure: Omit<MistakeReport, "fix" | "session"> & { session: string },
  meta: { actor: Actor; correlationId: string },
  nowMs: number,
): Promise<{ id: string; repeated: boolean }> {
  const known = await sameMistake(journal, failure);
  const events = known === undefined ? [] : await journal.read(mistakeStream(known.id));
  const isCounted = events.some(({ correlationId }) => correlationId === meta.correlationId);
  const id = known !== undefined && isCounted ? known.id : (await reportMistake(journal, { ...failure, fix: "" }, meta, nowMs)).id;
  const now = await journal.get(mistakeView, mistakeStream(id));
  return { id, repeated: now !== undefined && isRepeated(now, failure.session) };
}

export type MistakeCheck =
  | { known_issues: false }
  | {
      known_issues: true;
      warnings: (Pick<Mistake, "pattern" | "error" | "fix" | "context" | "confidence" | "occurrences"> & { alert: string })[];
    };

/** No record is no promise: the answer then only says that nothing is known. `session`: whose work it is for. */
export async function checkMistakes(journal: Journal, approach: string, session?: string): Promise<MistakeCheck> {
  const wanted = wordsOf(approach);
  const hits = (await listMistakes(journal)).filter((one) => {
    const own = wordsOf(one.pattern);
    return [...own].filter((word) => wanted.has(word)).length / Math.max(1, own.size) > RELEVANT;
  });
  if (hits.length === 0) return { known_issues: false };
  const warnings = hits.map((one) => {
    const { pattern, error, fix, context, confidence, occurrences } = one;
    return { pattern, error, fix, context, confidence, occurrences, alert: alertText(one, session) };
  });
  return { known_issues: true, warnings };
}

export async function retireMistake(journal: Journal, id: string, reason: string, actor: Actor): Promise<boolean> {
  if ((await journal.get(mistakeView, mistakeStream(id))) === undefined) return false;
  await journal.append(mistakeStream(id), "any", [EVENTS.mistake.retired.create({ id, reason }, { actor })]);
  return true;
}
