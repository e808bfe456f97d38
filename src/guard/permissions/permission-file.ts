/**
 * Remembered answers: `permissions.yaml` in the user's space (SEC-007). Rewriting keeps comments, both flags and
 * keys this version does not know. A file that cannot be read grants nothing.
 */
import { existsSync, readFileSync, statSync } from "node:fs";
import { Document, parseDocument } from "yaml";
import { z } from "zod";
import { SylkError, writeFileAtomic } from "../../kernel/index.ts";
import type { Rules } from "./rules.ts";
import type { Remember } from "./types.ts";

const list = z.array(z.string()).default([]);
const schema = z.looseObject({
  commands: list,
  lines: list,
  domains: list,
  tools: list,
  credentials: list,
  paths: z.record(z.string(), z.enum(["read", "write", "delete"])).default({}),
  deny: z
    .looseObject({ commands: list, domains: list, paths: list, tools: list })
    .default({ commands: [], domains: [], paths: [], tools: [] }),
  allow_modify_env: z.boolean().default(false),
  allow_modify_gitignore: z.boolean().default(false),
});

export interface PermissionFile {
  rules: Rules;
  /** Accounts an agent may use without being asked again, as `agent:provider` (CRE-016). */
  credentials: readonly string[];
  allowModifyEnv: boolean;
  allowModifyGitignore: boolean;
}

function unreadable(file: string, cause: unknown): SylkError {
  return new SylkError({
    code: "PERMISSIONS_UNREADABLE",
    tier: "user_fixable",
    message: `${file} is not a valid permission file, so it grants nothing`,
    fix: `correct or delete ${file}`,
    cause,
  });
}

function load(file: string): Document {
  if (!existsSync(file)) return new Document({});
  const document = parseDocument(readFileSync(file, "utf8"));
  if (document.errors.length > 0) throw unreadable(file, document.errors[0]);
  return document.contents === null ? new Document({}) : document;
}

/** Reads a file again only when it changed: every action asks for the rules. */
export function createPermissionReader(file: string): () => PermissionFile {
  let known: { stamp: string; content: PermissionFile } | undefined;
  return () => {
    const stat = statSync(file, { throwIfNoEntry: false });
    const stamp = stat === undefined ? "absent" : `${stat.ino} ${stat.size} ${stat.mtimeMs}`;
    if (known?.stamp !== stamp) known = { stamp, content: readPermissionFile(file) };
    return known.content;
  };
}

export function readPermissionFile(file: string): PermissionFile {
  return contentOf(load(file), file);
}

function contentOf(document: Document, file: string): PermissionFile {
  const parsed = schema.safeParse(document.toJS());
  if (!parsed.success) throw unreadable(file, parsed.error);
  const { commands, lines, domains, tools, credentials, paths, deny, allow_modify_env, allow_modify_gitignore } = parsed.data;
  const denied = { denyCommands: deny.commands, denyDomains: deny.domains, denyPaths: deny.paths, denyTools: deny.tools };
  return {
    rules: { commands, lines, domains, tools, paths, ...denied },
    credentials,
    allowModifyEnv: allow_modify_env,
    allowModifyGitignore: allow_modify_gitignore,
  };
}

/** `items` is what stands at that place now. */
function addToList(document: Document, at: readonly string[], items: readonly string[], value: string): void {
  if (items.length === 0) document.setIn(at, [value]);
  else if (!items.includes(value)) document.addIn(at, value);
}

/** Takes a rule of any kind out again; false when there was none. */
export function forgetRule(file: string, value: string): boolean {
  const document = load(file);
  const { rules: content, credentials } = readPermissionFile(file);
  const lists: [(string | number)[], readonly string[]][] = [
    [["commands"], content.commands],
    [["lines"], content.lines],
    [["domains"], content.domains],
    [["tools"], content.tools],
    [["credentials"], credentials],
    [["deny", "commands"], content.denyCommands],
    [["deny", "domains"], content.denyDomains],
    [["deny", "paths"], content.denyPaths],
    [["deny", "tools"], content.denyTools],
  ];
  let removed = value in content.paths && document.deleteIn(["paths", value]);
  for (const [at, items] of lists) if (items.includes(value)) removed = document.deleteIn([...at, items.indexOf(value)]) || removed;
  if (removed) writeFileAtomic(file, document.toString(), { mode: 0o600 });
  return removed;
}

/** Adds what the user agreed to; what is there already stays once. */
export function rememberAnswers(file: string, answers: readonly Remember[]): void {
  const document = load(file);
  for (const answer of answers) {
    const { rules, credentials } = contentOf(document, file);
    if (answer.kind === "path") document.setIn(["paths", answer.value], answer.access);
    else addToList(document, [`${answer.kind}s`], { ...rules, credentials }[`${answer.kind}s`], answer.value);
  }
  writeFileAtomic(file, document.toString(), { mode: 0o600 });
}

/** Adds what a user forbids: it stands above everything that is allowed. */
export function rememberDenial(file: string, denied: { kind: "command" | "domain" | "path" | "tool"; value: string }): void {
  const document = load(file);
  const { denyCommands: commands, denyDomains: domains, denyPaths: paths, denyTools: tools } = contentOf(document, file).rules;
  const list = `${denied.kind}s` as const;
  addToList(document, ["deny", list], { commands, domains, paths, tools }[list], denied.value);
  writeFileAtomic(file, document.toString(), { mode: 0o600 });
}
