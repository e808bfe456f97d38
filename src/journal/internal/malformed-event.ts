/** An event of a known type that does not fit its schema, or that a newer version wrote. */
import { SylkError } from "../../kernel/index.ts";
import type { JournalEvent } from "../../protocol/events/index.ts";

export function malformedEvent({ position, stream, seq, type, fault }: JournalEvent): SylkError {
  return new SylkError({
    code: "JOURNAL_MALFORMED_EVENT",
    tier: "permanent",
    message: `position ${position} (${stream}#${seq}, ${type}) cannot be understood: ${fault}`,
    fix: "update Sylk if a newer one wrote it; `sylk journal verify` names every such event",
    details: { position, stream, seq, type },
  });
}
