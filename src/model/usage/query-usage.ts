/** Reports over the usage view: filtered, grouped, with one total that every breakdown adds up to. */
import type { Journal } from "../../journal/index.ts";
import type { CHOICES } from "../../protocol/index.ts";
import { EVENTS, STREAMS } from "../../protocol/events/index.ts";
import { isoTime, shortIds } from "../../kernel/index.ts";
import { addSums, NO_SUMS, usagePrefix, usageView, type UsageRow, type UsageSums } from "./usage-view.ts";

export type UsageDimension = (typeof CHOICES.usageDimension)[number];

export interface UsageQuery {
  by: UsageDimension;
  /** Exact values; absent means all. */
  where?: Partial<Record<UsageDimension, string>> | undefined;
  /** First day, inclusive, `YYYY-MM-DD`. */
  fromDay?: string | undefined;
}

export interface UsageReportRow extends UsageSums {
  key: string;
  /** Of a piece of a request: its number in the plan, and its title. */
  name?: string | undefined;
  /** Mean error of the tokenizer's count against what providers reported, in percent; null when unknown. */
  estimateErrorPercent: number | null;
}

export interface UsageReport {
  by: UsageDimension;
  rows: UsageReportRow[];
  total: UsageReportRow;
}

/** Pieces of requests: which one a task worked for, and what each is called. */
interface Pieces {
  ofTask: Map<string, string>;
  names: Map<string, string>;
}

const PAGE = 1_000;

/** As the journal tells it. */
async function piecesIn(journal: Journal | undefined): Promise<Pieces> {
  const pieces: Pieces = { ofTask: new Map(), names: new Map() };
  const { opened, phaseBegan } = EVENTS.pipeline;
  const filter = { types: [opened.type, phaseBegan.type] };
  for (let after = 0; ;) {
    const events = (await journal?.readAll({ after, limit: PAGE, filter })) ?? [];
    for (const event of events) {
      if (opened.is(event)) pieces.names.set(event.payload.id, `${event.payload.node.id} ${event.payload.node.title}`);
      if (phaseBegan.is(event)) pieces.ofTask.set(event.payload.task, event.stream.slice(STREAMS.pipeline("").length));
    }
    const last = events.at(-1);
    if (last === undefined) return pieces;
    after = last.position;
  }
}

function valueOf(row: UsageRow, dimension: UsageDimension, { ofTask }: Pieces): string {
  if (dimension === "pipeline") return row.pipeline || (ofTask.get(row.task) ?? "");
  return dimension === "model" ? `${row.provider}/${row.model}` : row[dimension];
}

function matches(row: UsageRow, query: UsageQuery, pieces: Pieces): boolean {
  if (query.fromDay !== undefined && row.day < query.fromDay) return false;
  return Object.entries(query.where ?? {}).every(([dimension, value]) => {
    const found = valueOf(row, dimension as UsageDimension, pieces);
    // As the table shows it.
    return value === undefined || found === value || (dimension === "pipeline" && shortIds.shorten(found) === value);
  });
}

function report(key: string, sums: UsageSums, name?: string): UsageReportRow {
  return {
    key,
    ...(name === undefined ? {} : { name }),
    ...sums,
    estimateErrorPercent: sums.countedTokens === 0 ? null : ((sums.countedTokens - sums.reportedTokens) / sums.reportedTokens) * 100,
  };
}

const DAY_MS = 86_400_000;

/** All calls of one task, or of a whole session, between two times, read by key: the cost does not grow with what others used. */
export async function taskUsage(
  journal: Journal,
  { session, task, fromMs, toMs }: { session: string; task?: string | undefined; fromMs: number; toMs: number },
): Promise<UsageSums> {
  let sums = NO_SUMS;
  const last = isoTime(toMs).slice(0, 10);
  for (let at = fromMs; ; at += DAY_MS) {
    const day = isoTime(Math.min(at, toMs)).slice(0, 10);
    for (const { state } of await journal.list(usageView, { prefix: usagePrefix(day, session, task) })) sums = addSums(sums, state);
    if (day >= last) return sums;
  }
}

export async function queryUsage(journal: Journal | undefined, query: UsageQuery): Promise<UsageReport> {
  const groups = new Map<string, UsageSums>();
  let total = NO_SUMS;
  const asks = query.by === "pipeline" || query.where?.pipeline !== undefined;
  const pieces = await piecesIn(asks ? journal : undefined);
  for (const { state } of (await journal?.list(usageView)) ?? []) {
    if (!matches(state, query, pieces)) continue;
    const key = valueOf(state, query.by, pieces);
    groups.set(key, addSums(groups.get(key) ?? NO_SUMS, state));
    total = addSums(total, state);
  }
  const rows = [...groups].map(([key, sums]) => report(key, sums, query.by === "pipeline" ? pieces.names.get(key) : undefined));
  rows.sort((a, b) => (query.by === "day" ? (a.key < b.key ? -1 : 1) : b.costNanoUsd - a.costNanoUsd || b.inputTokens - a.inputTokens));
  return { by: query.by, rows, total: report("total", total) };
}
