/** Evidence for questions on what was said, against BM25 per turn: long made conversations, and samples of other kinds. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { createHistoryRanker } from "../../src/knowledge/search/rank-history.ts";
import { openKnowledgeDatabase } from "../../src/knowledge/store/open-database.ts";
import { createHistoryWriter, type HistoryEntry } from "../../src/knowledge/store/history-writer.ts";
import type { BenchRow } from "../run.ts";
import { bm25, passage } from "./baselines.ts";
import { makeConversation, makeSmallTalk, type Conversation } from "./conversations.ts";
import { publicConversations } from "./public-conversations.ts";
import { SAMPLES, type Sample } from "./spoken-samples.ts";

const K = 10;

interface Rates {
  ours: number;
  plain: number;
  questions: number;
  entries: number;
}

function measure(conversations: readonly Conversation[]): Rates {
  const rates: Rates = { ours: 0, plain: 0, questions: 0, entries: 0 };
  for (const { entries, questions } of conversations) {
    const folder = mkdtempSync(path.join(tmpdir(), "sylk-bench-"));
    using database = openKnowledgeDatabase(path.join(folder, "knowledge.db"));
    createHistoryWriter(database.db).write("import:bench", entries);
    const ranker = createHistoryRanker(database.db);
    const passages = entries.map((entry) => passage(entry.id, entry.text));
    rates.entries += entries.length;
    rates.questions += questions.length;
    for (const { text, evidence } of questions) {
      const share = (got: readonly string[]): number => evidence.filter((id) => got.includes(id)).length / evidence.length;
      rates.ours += share(ranker.rank(text, K).map(({ entry }) => entry.externalId ?? ""));
      rates.plain += share(bm25(passages, text, K));
    }
    rmSync(folder, { recursive: true, force: true });
  }
  return rates;
}

function row(name: string, rates: Rates): BenchRow {
  const value = rates.ours / rates.plain;
  const mean = (sum: number): string => (sum / rates.questions).toFixed(2);
  return {
    name: `${name}: evidence recall@${K} against BM25 per turn`,
    value,
    unit: "x",
    target: ">= 1.15x",
    met: value >= 1.15,
    note: `${rates.questions} questions on ${rates.entries} turns: ${mean(rates.ours)} against ${mean(rates.plain)}`,
  };
}

function recallRow(name: string, rates: Rates): BenchRow {
  const value = rates.ours / rates.questions;
  const note = `${rates.questions} questions on ${rates.entries} turns; BM25 per turn ${(rates.plain / rates.questions).toFixed(4)}`;
  return { name: `${name}: evidence recall@${K}`, value, unit: "", target: ">= 0.82", met: value >= 0.82, note };
}

/** Reads a sample and puts small talk of other days around it. */
function readSample({ text, questions }: Sample): Conversation {
  const entries: HistoryEntry[] = [];
  let thread = "";
  let at = 0;
  for (const line of text.split("\n")) {
    const head = /^# (?<thread>\S+) (?<time>\S+)$/u.exec(line)?.groups;
    if (head !== undefined) {
      thread = head["thread"] as string;
      at = Date.parse(`${head["time"] as string}Z`);
      continue;
    }
    const colon = line.indexOf(": ");
    at += 60_000;
    const id = `t${entries.length}`;
    entries.push({ id, externalId: id, thread, author: line.slice(0, colon), at, text: line.slice(colon + 2), kind: "history_entry" });
  }
  const answer = (part: string): string => {
    const entry = entries.find((one) => one.text.includes(part));
    if (entry === undefined) throw new Error(`no turn of the sample says: ${part}`);
    return entry.id;
  };
  const asked = questions.map(([question, ...answers]) => ({ text: question, evidence: answers.map(answer) }));
  return { entries: [...entries, ...makeSmallTalk([...new Set(entries.map((entry) => entry.author))], 12)], questions: asked };
}

export function conversationQuality(): BenchRow[] {
  const seeds = Array.from({ length: 12 }, (_, i) => (i + 1) * 7_919);
  const long = publicConversations();
  return [
    ...(long.length === 0 ? [] : [recallRow("long public conversations", measure(long))]),
    row("conversations", measure(seeds.map((seed) => makeConversation(seed)))),
    row("chat, minutes, issues, a club", measure(SAMPLES.map(readSample))),
  ];
}
