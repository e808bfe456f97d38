/** Evidence for questions on long made conversations, against BM25 per turn. */
import { createHistoryRanker } from "../../src/knowledge/search/rank-history.ts";
import { openKnowledgeDatabase } from "../../src/knowledge/store/open-database.ts";
import { createTurnWriter } from "../../src/knowledge/store/turn-writer.ts";
import type { BenchRow } from "../run.ts";
import { bm25, passage } from "./baselines.ts";
import { makeConversation } from "./conversations.ts";

export function conversationQuality(): BenchRow[] {
  let ours = 0;
  let plain = 0;
  let count = 0;
  let turnCount = 0;
  for (let seed = 1; seed <= 12; seed += 1) {
    const { turns, questions } = makeConversation(seed * 7_919);
    using database = openKnowledgeDatabase(":memory:");
    createTurnWriter(database.db).write("import:bench", turns);
    const ranker = createHistoryRanker(database.db);
    const passages = turns.map((turn) => passage(turn.id, turn.text));
    turnCount += turns.length;
    for (const { text, evidence } of questions) {
      const share = (got: readonly string[]): number => evidence.filter((id) => got.includes(id)).length / evidence.length;
      ours += share(ranker.rank(text, 10).map(({ turn }) => turn.externalId ?? ""));
      plain += share(bm25(passages, text, 10));
      count += 1;
    }
  }
  const rate = ours / plain;
  const note = `${count} questions on ${turnCount} turns: ${(ours / count).toFixed(2)} against ${(plain / count).toFixed(2)}`;
  return [
    {
      name: "conversations: evidence recall@10 against BM25 per turn",
      value: rate,
      unit: "x",
      target: ">= 1.15x",
      met: rate >= 1.15,
      note,
    },
  ];
}
