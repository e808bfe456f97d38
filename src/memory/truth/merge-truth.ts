/** Brings what was found into what was known (GTR-005, GTR-006). The file system wins; nothing is lost silently. */
import { must } from "../../kernel/index.ts";
import { entryOf, renderEntry, type Fact, type GroundTruth, type TruthEntry } from "../sidecar/ground-truth.ts";

export interface Delta {
  added: string[];
  updated: { source: string; from: string; to: string }[];
  unchanged: number;
  removed: string[];
  /** Malformed ones: rebuilt from their source, or kept as they are. */
  rebuilt: string[];
  kept_malformed: string[];
}

const POINTER = /^<!-- archived \d{4}-\d\d-\d\d: (.+) → ground-truth-archive\.md -->$/gm;

const keyOf = (fact: Pick<Fact, "category" | "source">): string => `${fact.category}|${fact.source}`;

export function mergeTruth(
  known: GroundTruth,
  found: readonly Fact[],
  options: { today: string; full: boolean },
): { truth: GroundTruth; delta: Delta } {
  const { today, full } = options;
  const open = new Map(found.map((fact) => [keyOf(fact), fact]));
  const delta: Delta = { added: [], updated: [], unchanged: 0, removed: [], rebuilt: [], kept_malformed: [] };
  const entries = known.entries.map((entry): TruthEntry => {
    const now =
      open.get(keyOf(entry)) ?? (entry.malformed === undefined ? undefined : found.find((fact) => entry.raw.includes(fact.source)));
    if (now !== undefined) open.delete(keyOf(now));
    if (entry.malformed !== undefined) {
      if (now === undefined) {
        delta.kept_malformed.push(entry.statement || entry.raw.slice(0, 60));
        return entry;
      }
      delta.rebuilt.push(now.source);
      return entryOf(now, today, 1);
    }
    if (now === undefined) {
      if (!full || entry.removed !== undefined) return entry;
      delta.removed.push(entry.source);
      const raw = `${entry.raw.trimEnd()}\nRemoved: detected ${today}\n\n`;
      return { ...entry, removed: today, raw };
    }
    if (now.statement.replaceAll("`", "'") === entry.statement && entry.removed === undefined) {
      delta.unchanged += 1;
      return entryOf(now, today, entry.count + 1, changeNotes(entry));
    }
    delta.updated.push({ source: now.source, from: entry.statement, to: now.statement });
    const note = `Updated: ${entry.statement} → ${now.statement} (detected ${today}, previous value set ${entry.verified})`;
    return entryOf(now, today, 1, [note]);
  });
  // What was archived stays archived; its pointer says where it is.
  const archived = new Set([...known.preamble.matchAll(POINTER)].map((match) => match[1]));
  const news = [...open.values()].filter((fact) => !archived.has(fact.source));
  const added = news.map((fact) => {
    delta.added.push(fact.source);
    return entryOf(fact, today, 1);
  });
  const glue = added.length > 0 && entries.length > 0 ? withGap(entries) : entries;
  return { truth: { preamble: known.preamble, entries: [...glue, ...added] }, delta };
}

/** The note about the last change stays until the next one. */
const changeNotes = (entry: TruthEntry): string[] => entry.raw.match(/^Updated: .*$/gm)?.slice(-1) ?? [];

function withGap(entries: readonly TruthEntry[]): TruthEntry[] {
  const last = must(entries.at(-1));
  return last.raw.endsWith("\n\n") ? [...entries] : [...entries.slice(0, -1), { ...last, raw: `${last.raw.trimEnd()}\n\n` }];
}

/** What no recent validation run looked at first, then the oldest verification; what was verified often only when nobody looked at it (GTR-008). */
export function archivalOrder(entries: readonly TruthEntry[], referenced: (entry: TruthEntry) => boolean): TruthEntry[] {
  const movable = entries.filter((entry) => entry.malformed === undefined && (entry.count <= 10 || !referenced(entry)));
  return movable.toSorted(
    (a, b) =>
      Number(referenced(a)) - Number(referenced(b)) || (a.verified < b.verified ? -1 : a.verified > b.verified ? 1 : a.count - b.count),
  );
}

export function archivePointer(entry: TruthEntry, today: string): string {
  return `<!-- archived ${today}: ${entry.source} → ground-truth-archive.md -->\n`;
}

export function archivedText(entry: TruthEntry, today: string, reason: string, lastReference: string | undefined): string {
  const reference = lastReference ?? "none in the last validation runs";
  return renderEntry(entry, entry.verified, entry.count, [`Archived: ${today} | Reason: ${reason} | Last reference: ${reference}`]);
}
