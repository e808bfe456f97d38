/**
 * Rules for agents: the user's own, then the project's `AGENTS.md` and `CLAUDE.md` from its root to the folder that is
 * worked in, with the files they take in by `@path`. A project's are somebody else's text: read only where they are
 * regular files of the project, and never from what must not leave the machine.
 */
import path from "node:path";
import { fileSensitivity } from "../../guard/index.ts";
import { projectFile } from "../../kernel/index.ts";
import { importsOf, type RuleImport } from "./rule-imports.ts";

/** Both are read; the last one where there is none of them. */
const NAMES = ["AGENTS.md", "CLAUDE.md"];
const OTHERWISE = "GEMINI.md";
const MAX_RULE_BYTES = 256 * 1024;
/** Short files work better than long ones. */
const LONG_BYTES = 32 * 1024;
const MAX_IMPORT_DEPTH = 5;
const MAX_IMPORTS = 20;

export interface ProjectRule {
  /** Below the project; the user's own by its whole path. */
  path: string;
  text: string;
}

/** Which of these rules hold a secret on disk. */
export function rulesWithSecrets(project: string, rules: readonly ProjectRule[], redact: (text: string) => string): string[] {
  return rules.flatMap((rule) => {
    const now = readRule(path.isAbsolute(rule.path) ? path.dirname(rule.path) : project, rule.path);
    return now?.text !== undefined && redact(now.text) !== now.text ? [rule.path] : [];
  });
}

/** Rule files that are longer than helps. */
export function longRules(rules: readonly ProjectRule[]): { path: string; kib: number }[] {
  return rules
    .map((rule) => ({ path: rule.path, bytes: Buffer.byteLength(rule.text) }))
    .filter(({ bytes }) => bytes > LONG_BYTES)
    .map(({ path: file, bytes }) => ({ path: file, kib: Math.round(bytes / 1024) }));
}

type Read = { text: string; real: string } | { text: undefined; reason: string };

/** Undefined: there is none. */
function readRule(root: string, file: string): Read | undefined {
  const found = projectFile.read(root, file, { maxBytes: MAX_RULE_BYTES });
  if (found.kind === "none") return undefined;
  if (found.kind === "refused") return { text: undefined, reason: found.reason };
  if (found.real.toLowerCase().split("/").includes(".git")) return { text: undefined, reason: "lies in the git folder" };
  if (fileSensitivity(found.real).handling === "skip") return { text: undefined, reason: `leads to ${found.real}, which is never shown` };
  if (found.bytes.includes(0)) return { text: undefined, reason: "is not text" };
  if (!found.cut) return { text: found.text.trim(), real: found.real };
  const whole = found.text.slice(0, found.text.lastIndexOf("\n") + 1).trim();
  return { text: `${whole}\n\n(The file is longer; its first ${MAX_RULE_BYTES / 1024} KiB are shown.)`, real: found.real };
}

function foldersBetween(project: string, folder: string): string[] {
  const relative = path.relative(project, folder);
  // A work tree lies elsewhere; the project's own rules hold in it.
  const below = relative.startsWith("..") ? [] : relative.split(path.sep).filter((part) => part !== "");
  return [".", ...below.map((_part, i) => path.join(...below.slice(0, i + 1)))];
}

/** Whether git ignores what really lies there, below the project. */
type IsIgnored = (real: string) => boolean;

export interface ProjectRules {
  rules: ProjectRule[];
  /** Rule files that are there and were not read. */
  refused: { path: string; reason: string }[];
}

/** Reads rule files of one folder tree, each once, however it is called or taken in. */
class Reader {
  readonly #root: string;
  readonly #found: ProjectRules;
  readonly #nameOf: (file: string) => string;
  readonly #isIgnored: IsIgnored;
  readonly #seen = new Set<string>();
  readonly #told = new Set<string>();
  #imported = 0;

  constructor(root: string, found: ProjectRules, { nameOf, isIgnored }: { nameOf?: (file: string) => string; isIgnored?: IsIgnored }) {
    this.#root = root;
    this.#found = found;
    this.#nameOf = nameOf ?? ((file) => file);
    this.#isIgnored = isIgnored ?? (() => false);
  }

  /** Whether it is there and was read. */
  add(file: string): boolean {
    const rule = readRule(this.#root, file);
    if (rule === undefined) return false;
    if (rule.text === undefined) {
      this.#refuse(file, rule.reason);
      return false;
    }
    this.#keep(file, rule, 0);
    return true;
  }

  /** Once each, however often it is mentioned. */
  #refuse(file: string, reason: string): void {
    if (this.#told.has(file)) return;
    this.#told.add(file);
    this.#found.refused.push({ path: this.#nameOf(file), reason });
  }

  #keep(file: string, { text, real }: Extract<Read, { text: string }>, depth: number): void {
    if (this.#seen.has(real)) return;
    this.#seen.add(real);
    if (text !== "") this.#found.rules.push({ path: this.#nameOf(file), text });
    for (const wanted of importsOf(file, text)) this.#take(wanted, depth + 1);
  }

  #take({ file, sure, likely }: RuleImport, depth: number): void {
    if (this.#imported > MAX_IMPORTS) return;
    const rule = file.startsWith("~") ? { text: undefined, reason: "leads out of the project" } : readRule(this.#root, file);
    // A package or a person may be called so: only what looks like a text file is missed.
    if (rule === undefined) {
      if (sure) this.#refuse(file, "is taken in by @ and is not there");
      return;
    }
    if (rule.text === undefined) {
      if (likely) this.#refuse(file, rule.reason);
      return;
    }
    if (this.#seen.has(rule.real)) return;
    if (this.#isIgnored(rule.real)) return this.#refuse(file, "is ignored by git");
    if (depth > MAX_IMPORT_DEPTH) return this.#refuse(file, `is taken in more than ${MAX_IMPORT_DEPTH} levels deep`);
    this.#imported += 1;
    if (this.#imported > MAX_IMPORTS) return this.#refuse(file, `is one of more than ${MAX_IMPORTS} files that are taken in`);
    this.#keep(file, rule, depth);
  }
}

/** Rules that hold in `folder`: the user's own first, then the project's, nearer ones after those above. */
export function readProjectRules(project: string, folder: string = project, userDir?: string, isIgnored?: IsIgnored): ProjectRules {
  const found: ProjectRules = { rules: [], refused: [] };
  if (userDir !== undefined) new Reader(userDir, found, { nameOf: (file) => path.join(userDir, file) }).add("AGENTS.md");
  const reader = new Reader(project, found, isIgnored === undefined ? {} : { isIgnored });
  for (const dir of foldersBetween(project, folder)) {
    const read = NAMES.map((name) => reader.add(path.join(dir, name)));
    if (!read.includes(true)) reader.add(path.join(dir, OTHERWISE));
  }
  return found;
}
