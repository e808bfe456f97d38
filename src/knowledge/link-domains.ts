import type { Payload } from "../protocol/events/index.ts";

type Domain = "code" | "history" | "academic";

/** Who may point to whom. */
export const LINK_DOMAINS: Readonly<Record<Payload<"knowledge.linked">["type"], readonly [from: Domain, to: Domain]>> = {
  modified: ["history", "code"],
  created: ["history", "code"],
  deleted: ["history", "code"],
  referenced_in: ["history", "code"],
  based_on: ["history", "academic"],
  references: ["history", "academic"],
  validated_by: ["history", "academic"],
  supersedes: ["history", "history"],
  documents: ["academic", "code"],
  implements_pattern: ["code", "academic"],
  uses_library: ["code", "academic"],
  inspired_by: ["academic", "history"],
  cites: ["academic", "academic"],
  related_to: ["academic", "academic"],
};
