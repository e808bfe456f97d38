/**
 * What a project's committed configuration may set, as data beside the schema. A setting that is named
 * nowhere here counts only in a trusted folder, so a new one starts on the safe side.
 */
type Path = readonly string[];

/** Harmless whoever wrote it: nothing is sent, run, written, spent or loosened by these. */
const FREE_SETTINGS: readonly Path[] = [
  ["log", "level"],
  ["knowledge", "retrieval", "initial_k"],
  ["knowledge", "retrieval", "max_depth"],
  ["knowledge", "retrieval", "confidence_threshold"],
  ["knowledge", "retrieval", "max_retrieval_tokens"],
];

/** Sections the user alone decides, trusted folder or not: safety, accounts, limits of spending, files to write. */
const PERSONAL_SETTINGS: readonly Path[] = [
  ["security"],
  ["hooks"],
  ["tools", "language_servers"],
  ["tools", "formatter"],
  ["tools", "package_check"],
  ["tools", "package_registries"],
  ["terminal"],
  ["credential_scopes"],
  ["profile"],
  ["subscription"],
  ["llm", "record"],
  ["llm", "budgets"],
  ["log", "retention_days"],
  ["storage", "backup"],
  ["storage", "integrity"],
  ["storage", "retention"],
];

const begins = (path: Path, start: Path): boolean => start.length <= path.length && start.every((part, i) => part === path[i]);

export function standingOf(path: Path): "free" | "trusted" | "personal" {
  if (PERSONAL_SETTINGS.some((start) => begins(path, start))) return "personal";
  return FREE_SETTINGS.some((free) => free.length === path.length && begins(path, free)) ? "free" : "trusted";
}
