/** Events for people, and files they are written to. */
import { open, type FileHandle } from "node:fs/promises";
import { messageOf, shortIds, SylkError, wording } from "../../kernel/index.ts";
import type { WireEvent } from "../../protocol/index.ts";
import type { Output } from "./output.ts";

export function brief(event: WireEvent, out: Output): string {
  const time = new Date(event.at).toISOString().replace("T", " ").slice(0, 19);
  const payload = shortIds.shorten(JSON.stringify(event.payload));
  const room = Math.max(40, (process.stdout.columns || 160) - 70);
  const short = wording.shorten(payload, room);
  return `${String(event.position).padStart(6)}  ${out.style("dim", time)}  ${shortIds.shorten(event.stream)}#${event.seq}  ${out.style("bold", event.type)}  ${short}`;
}

export async function openOutput(file: string): Promise<FileHandle> {
  try {
    return await open(file, "w", 0o600);
  } catch (error) {
    throw new SylkError({
      code: "USAGE_OUTPUT",
      tier: "user_fixable",
      message: `cannot write ${file}: ${messageOf(error)}`,
      fix: "name a file in a folder that exists and that you may write to",
    });
  }
}
