/**
 * Long public conversations of many sessions with questions and the turns that answer them, in the form of
 * the LoCoMo data set: SYLK_BENCH_CONVERSATIONS names a folder of such files. None are kept here.
 */
import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { z } from "zod";
import type { Conversation } from "./conversations.ts";

const turn = z.object({ speaker: z.string(), dia_id: z.string(), text: z.string() });
const asked = z.object({ question: z.string(), evidence: z.array(z.string()) });

/** "1:56 pm on 8 May, 2023" */
function timeOf(text: string): number {
  const parts = /(\d+):(\d+) ([ap]m) on (\d+) (\w+), (\d+)/u.exec(text);
  if (parts === null) throw new Error(`cannot read the time "${text}"`);
  const [, hour, minute, half, day, month, year] = parts;
  return Date.parse(`${day} ${month} ${year} ${(Number(hour) % 12) + (half === "pm" ? 12 : 0)}:${minute} UTC`);
}

function readConversation(file: string): Conversation {
  const record = z.record(z.string(), z.unknown()).parse(JSON.parse(readFileSync(file, "utf8")));
  const entries: Conversation["entries"] = [];
  for (let n = 1; record[`session_${n}`] !== undefined; n += 1) {
    const at = timeOf(z.string().parse(record[`session_${n}_date_time`]));
    for (const [i, one] of z.array(turn).parse(record[`session_${n}`]).entries())
      entries.push({
        id: one.dia_id,
        externalId: one.dia_id,
        thread: path.basename(file),
        author: one.speaker,
        at: at + i * 30_000,
        text: one.text,
        kind: "history_entry",
      });
  }
  const known = new Set(entries.map(({ id }) => id));
  const questions = z
    .array(asked)
    .parse(record["qa"])
    .map(({ question, evidence }) => ({ text: question, evidence: evidence.filter((id) => known.has(id)) }))
    .filter(({ evidence }) => evidence.length > 0);
  return { entries, questions };
}

export function publicConversations(): Conversation[] {
  const folder = process.env["SYLK_BENCH_CONVERSATIONS"];
  if (folder === undefined) return [];
  return readdirSync(folder)
    .filter((name) => name.endsWith(".json"))
    .toSorted()
    .map((name) => readConversation(path.join(folder, name)));
}
