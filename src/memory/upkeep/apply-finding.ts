/** Moves an entry a user decided about into the sidecar's archive (HYG-003). */
import { isoTime, SylkError, wording } from "../../kernel/index.ts";
import { parseDecisions, printDecisions, withoutEntries, type LoggedDecision } from "../sidecar/decision-log.ts";
import { logHeader } from "../sidecar/save-session.ts";
import { appended, asText, readSidecar, writeSidecar, type SidecarParts } from "../sidecar/sidecar-store.ts";
import type { Finding } from "./hygiene.ts";
import { USER } from "../../protocol/events/index.ts";

type Moved = Pick<Finding, "agent" | "entry" | "date" | "evidence"> & { class?: Finding["class"] | undefined };

/** In the archive an entry says how it ended and why; all its other words stay. */
function withEnd(entry: LoggedDecision, finding: Moved): string {
  const status = finding.class === "DUPLICATE" || entry.status === "superseded" ? "superseded" : "archived";
  const raw = entry.raw.replace(/^([-*] \**Status\**:\**[ \t]*).*$/im, `$1${status}`);
  return `${raw.trimEnd()}\n\nNote: ${status}, ${wording.oneLine(finding.evidence)}\n\n`;
}

export async function archiveEntry(parts: SidecarParts, finding: Moved, signal: AbortSignal): Promise<void> {
  const { agent } = finding;
  const date = isoTime(parts.clock.now()).slice(0, 10);
  let moved = "";
  const take = (): string => {
    const { text, readable } = asText(readSidecar(parts.memoryDir, agent, "decision-log.md") ?? Buffer.alloc(0));
    if (!readable)
      throw new SylkError({
        code: "MEMORY_NOT_TEXT",
        tier: "user_fixable",
        message: `${agent}/decision-log.md is partly not text, so nothing can be moved out of it safely`,
        fix: `take the garbage out by hand, or bring back an earlier version with \`sylk memory restore ${agent}\``,
      });
    const log = parseDecisions(text);
    const entry = log.entries.find((one) => one.title === finding.entry && one.date === finding.date);
    if (entry === undefined)
      throw new SylkError({
        code: "MEMORY_NO_SUCH_ENTRY",
        tier: "user_fixable",
        message: `${agent} has no entry [${finding.date}] ${finding.entry}`,
        fix: "`sylk memory hygiene` shows what is there now",
      });
    moved = withEnd(entry, finding);
    return printDecisions(withoutEntries(log, new Set([entry])));
  };
  let left = "";
  await writeSidecar(
    parts,
    { actor: USER, agent, reason: "cleaned", note: `${finding.entry}: ${finding.evidence}` },
    [
      {
        file: `archive/decision-log-${date}.md`,
        next: (now) => {
          left = take();
          return appended(now, logHeader(agent), moved);
        },
        entries: 1,
      },
      { file: "decision-log.md", next: () => left, entries: 0 },
    ],
    signal,
  );
}
