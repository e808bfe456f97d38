/**
 * Looks at a journal of unknown origin without becoming part of it: on a copy, unsigned, so that closing it
 * adds nothing. Whoever decides whether it is believed needs to know by whom it was made and what verifies.
 */
import type { Clock } from "../../kernel/index.ts";
import { openDatabase } from "./database.ts";
import { EventLog } from "./event-log.ts";
import { loadSigningKey, publicKeyOf } from "./signatures.ts";
import { verifyLog, type VerifyReport } from "./verify.ts";

export interface Examination {
  /** Every event is covered by a signature of this installation and verifies. */
  own: boolean;
  report: VerifyReport;
}

export async function examineStore(options: { path: string; clock: Clock; keyFile: string }): Promise<Examination> {
  const db = await openDatabase({ path: options.path, clock: options.clock, durability: "process", busyTimeoutMs: 5_000 });
  try {
    const log = new EventLog(db, options.clock);
    const report = await verifyLog(db, log, { publicKey: publicKeyOf(loadSigningKey(options.keyFile)) });
    return { own: report.valid && report.events > 0 && report.signedUpTo === report.head, report };
  } finally {
    db.close();
  }
}
