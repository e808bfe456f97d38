export { openStore, type Store, type StoreOptions } from "./open-store.ts";
export { examineStore, type Examination } from "./internal/examine.ts";
export { salvageStore, type SalvageReport } from "./internal/salvage.ts";
export type { VerifyReport } from "./internal/verify.ts";
export type { VerifyProblem, VerifyProgress } from "./internal/verify-content.ts";
export type { BlobRef, Blobs, Claim, Counters, EventFilter, Fence, Journal, Subscription, View, ViewRow, Work } from "./types.ts";
