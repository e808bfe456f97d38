/**
 * What a remembered statement rests on. Only what has a source is kept: a file with its hash, a command
 * that ran, or the user's own words; guesses are not stored. On recall a changed file makes it stale.
 */
import { sha256, must, wording, projectFile } from "../../kernel/index.ts";
import type { Decision } from "./decision-log.ts";

export type Evidence =
  | { kind: "file"; path: string; hash: string }
  | { kind: "command"; command: string; result: string }
  | { kind: "user"; words: string };

/** What a piece of work saw and did, as far as it can back a statement. */
export interface EvidenceSources {
  root: string;
  files: readonly string[];
  commands: readonly { command: string; result: string }[];
  words: readonly string[];
}

export interface Statement {
  subject: string;
  text: string;
}

const MIN_WORDS_CHARS = 12;
const MAX_EVIDENCE_BYTES = 64 * 1024 * 1024;
const plain = (text: string): string => wording.oneLine(text.toLowerCase());

function fileHash(root: string, file: string): string | undefined {
  const found = projectFile.read(root, file, { maxBytes: MAX_EVIDENCE_BYTES });
  return found.kind === "read" && !found.cut ? sha256(found.bytes) : undefined;
}

/** The first source that holds; undefined: it is a guess. */
export function findEvidence(claim: Statement, witness: EvidenceSources): Evidence | undefined {
  const where = `${claim.subject} ${claim.text}`;
  const named = witness.files.filter((file) => mentions(where, file)).toSorted((a, b) => b.length - a.length)[0];
  const hash = named === undefined ? undefined : fileHash(witness.root, named);
  if (named !== undefined && hash !== undefined) return { kind: "file", path: named, hash };
  const ran = witness.commands.findLast(({ command }) => where.includes(command));
  if (ran !== undefined) return { kind: "command", ...ran };
  const wanted = plain(claim.text);
  if (wanted.length >= MIN_WORDS_CHARS && witness.words.some((said) => plain(said).includes(wanted)))
    return { kind: "user", words: claim.text };
  return undefined;
}

function mentions(text: string, file: string): boolean {
  const at = text.indexOf(file);
  if (at === -1) return false;
  const around = `${text[at - 1] ?? " "}${text[at + file.length] ?? " "}`;
  return !/[\w/-]/.test(around);
}

export function evidenceLine(evidence: Evidence): string {
  if (evidence.kind === "file") return `Evidence: file \`${evidence.path}\` sha256:${evidence.hash}`;
  if (evidence.kind === "command")
    return `Evidence: command \`${evidence.command.replaceAll("`", "'")}\`: ${wording.oneLine(evidence.result, 200)}`;
  return `Evidence: the user said “${wording.oneLine(evidence.words, 200)}”`;
}

const FILE_EVIDENCE = /^Evidence: file `([^`]+)` sha256:([0-9a-f]{64})$/m;

/** The file that changed or went since this was noted, if one did. */
export function staleBecause(decision: Pick<Decision, "body">, root: string): string | undefined {
  const match = FILE_EVIDENCE.exec(decision.body);
  if (match === null) return undefined;
  const now = fileHash(root, must(match[1]));
  if (now === match[2]) return undefined;
  return `${match[1]} ${now === undefined ? "is gone" : "changed"}`;
}
