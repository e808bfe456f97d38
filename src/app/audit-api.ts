/** The audit trail as surfaces see it: a view of the journal, nothing of its own. */
import { queryAudit, type AuditFilter, type AuditLine } from "../guard/index.ts";
import type { Store } from "../journal/index.ts";

export interface AuditApi {
  /** Matching entries, oldest first. */
  query(filter: AuditFilter, signal: AbortSignal): AsyncIterable<AuditLine>;
}

export function createAuditApi(store: () => Promise<Store>): AuditApi {
  return {
    async *query(filter, signal) {
      yield* queryAudit((await store()).journal, filter, signal);
    },
  };
}
