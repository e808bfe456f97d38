export { openStore, type Store, type StoreOptions } from "./open-store.ts";
export { examineStore, type Examination } from "./internal/examine.ts";
export { salvageStore, type SalvageReport } from "./internal/salvage.ts";
export type { VerifyReport } from "./internal/verify.ts";
export type { VerifyProgress } from "./internal/verify-content.ts";
export type { BlobRef, Blobs, Claim, Counters, EventFilter, Fence, Journal, View, Work } from "./types.ts";
