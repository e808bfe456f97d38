/** The audit trail as surfaces see it: a view of the journal, nothing of its own. */
import { queryAudit, type AuditFilter, type AuditLine } from "../guard/index.ts";
import type { Store } from "../journal/index.ts";

export interface AuditApi {
  /** Matching entries, oldest first. */
  query(filter: AuditFilter, signal: AbortSignal): AsyncIterable<AuditLine>;
}

export function createAuditApi(existing: () => Promise<Store | undefined>): AuditApi {
  return {
    async *query(filter, signal) {
      const store = await existing();
      if (store !== undefined) yield* queryAudit(store.journal, filter, signal);
    },
  };
}
