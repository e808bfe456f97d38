/** Names of what the graph holds (VGD-018, VGD-019, KNO-013), as text in the database. */
import type { Payload } from "../../protocol/events/index.ts";

type LinkType = Payload<"knowledge.linked">["type"];

export const CODE_TYPES = [
  "file",
  "function",
  "method",
  "class",
  "struct",
  "interface",
  "enum",
  "trait",
  "type",
  "module",
  "variable",
  "constant",
] as const;

/** Weights of edges that are made without saying one (KNO-041). */
export const LINK_WEIGHTS: Partial<Record<LinkType, number>> = { referenced_in: 0.9, implements_pattern: 0.85, inspired_by: 0.8 };

export const CODE_EDGES = ["imports", "calls", "references", "extends", "implements", "defines", "tests"] as const;
export type EdgeName = (typeof CODE_EDGES)[number] | LinkType;
