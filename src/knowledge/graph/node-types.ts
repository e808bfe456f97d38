/** Names of what the graph holds (VGD-018, VGD-019, KNO-013), as text in the database. */
export const SUMMARY_TYPES = ["task_completion", "decision", "failure", "pattern", "refactoring", "bug_fix", "feature"] as const;

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

export const DOCUMENT_TYPES = [
  "paper",
  "documentation",
  "best_practice",
  "rfc",
  "stack_overflow",
  "blog_post",
  "tutorial",
  "research_paper",
  "plan",
] as const;
export type DocumentType = (typeof DOCUMENT_TYPES)[number];

/** Who may point to whom. */
export const LINK_TYPES = {
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
} as const;
export type LinkType = keyof typeof LINK_TYPES;

/** Weights of edges that are made without saying one (KNO-041). */
export const LINK_WEIGHTS: Partial<Record<LinkType, number>> = { referenced_in: 0.9, implements_pattern: 0.85, inspired_by: 0.8 };

export const CODE_EDGES = ["imports", "calls", "references", "extends", "implements", "defines", "tests"] as const;
export type EdgeName = (typeof CODE_EDGES)[number] | LinkType;
