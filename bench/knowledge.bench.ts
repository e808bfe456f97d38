/**
 * Retrieval quality and speed of knowledge. Further repositories to measure on:
 * SYLK_BENCH_REPOS=/path/one:/path/two, and with SYLK_BENCH_COMMAND=1 through the command too. SYLK_BENCH_FILES sets
 * the size of the large project (20000).
 */
import { codeQuality } from "./knowledge/code-quality.ts";
import { conversationQuality } from "./knowledge/conversation-quality.ts";
import { indexSpeed, largeProject } from "./knowledge/speed.ts";
import type { BenchRow } from "./run.ts";

export async function run(): Promise<BenchRow[]> {
  const { rows, perFileMs } = await indexSpeed();
  return [...conversationQuality(), ...rows, ...(await largeProject(perFileMs)), ...(await codeQuality())];
}
