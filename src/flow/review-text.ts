/**
 * A change for whoever judges it, within bounds: whole files, what the change is about first, then its tests, then
 * documents, then what tools wrote. What is not shown is named, each with its length, and what was shown whole is told:
 * nothing else counts as read.
 */
import type { WorkTree } from "../workspace/index.ts";
import { diffText } from "./brief.ts";
import { isTestFile } from "./test-files.ts";

/** A file that differs. */
export type FileDiff = Awaited<ReturnType<WorkTree["fileDiffs"]>>[number];

/** Written by package managers; nobody reads them. */
const LOCK_FILE =
  /(?:^|\/)(?:package-lock\.json|pnpm-lock\.yaml|yarn\.lock|Cargo\.lock|go\.sum|poetry\.lock|uv\.lock|composer\.lock|Gemfile\.lock)$/u;
/** By their names; anybody can name a file so, and what a name hides may run all the same. */
const BY_TOOLS =
  /(?:^|\/)(?:[^/]*\.lockb?|npm-shrinkwrap\.json)$|(?:^|\/)(?:dist|__snapshots__|__generated__)\/|\.(?:min\.(?:js|css)|map|snap|pb\.go|g\.dart)$|_pb2(?:_grpc)?\.pyi?$|\.generated\.\w+$/u;
const SAYS_GENERATED = /^[- ].{0,10}(?:@generated\b|Code generated .* DO NOT EDIT|This file (?:is|was) (?:auto-?)?generated)/iu;
const README = /(?:^|\/)README[^/]*$/iu;
const DOCUMENT = /\.(?:md|mdx|markdown|rst|adoc|txt)$|(?:^|\/)(?:LICEN[CS]E|CHANGELOG|CHANGES|AUTHORS|NOTICE|CONTRIBUTING)[^/]*$/iu;
/** What is run, or built into what is. */
const RUNS =
  /\.(?:[cm]?[jt]sx?|vue|svelte|astro|html?|py[wi]?|rb|php\d?|phtml|p[lm]|lua|(?:ba|z|k|fi|c)?sh|psm?1|bat|cmd|vbs|go|rs|java|kts?|scala|groovy|gradle|clj[cs]?|c|cc|cpp|cxx|h|hh|hpp|mm?|cs|fsx?|vb|swift|dart|exs?|erl|hs|mli?|nim|zig|r|jl|sql|wasm|node|so|dll|exe|jar|class|mk|cmake|nix|el|tcl|awk)$/iu;
/** Read by programs that carry out what is in them. */
const BY_NAME = /(?:^|\/)(?:(?:GNU)?makefile|dockerfile|containerfile|jenkinsfile|rakefile|gemfile|procfile|justfile|vagrantfile)$/iu;
const PLAIN_MODE = "100644";
const MOST_NAMED = 40;
const SAID_WITHIN = 2_000;

/** The program and its settings, tests that were there, new tests, documents, what tools wrote, what is only named. */
type Rank = "source" | "test" | "new test" | "document" | "by tools" | "named";
const SHOWN: readonly Rank[] = ["source", "test", "new test", "document", "by tools"];

interface FilePart {
  of: FileDiff;
  rank: Rank;
  text: string;
  /** How much of it there is. */
  length: string;
}

export interface ReviewText {
  text: string;
  /** What is in it from beginning to end. */
  whole: readonly FileDiff[];
}

/** Of a file that is new these say nothing more. */
const KNOWN_OF_NEW = /^(?:--- \/dev\/null|\+\+\+ "?b\/.*|@@ -0,0 .*@@)$/su;

/** Above the first line of contents; only a line feed ends a line. */
function headOf(lines: readonly string[]): number {
  const at = lines.findIndex((line) => line.startsWith("@@ "));
  return at === -1 ? lines.length : at + 1;
}

/** Whether it said so of itself before this change, as far as its first lines are in it. */
function saidGenerated(text: string): boolean {
  const lines = text.split("\n");
  const at = headOf(lines);
  return (
    /^@@ -1[ ,]/u.test(lines[at - 1] ?? "") &&
    lines
      .slice(at)
      .join("\n")
      .slice(0, SAID_WITHIN)
      .split("\n")
      .some((line) => SAYS_GENERATED.test(line))
  );
}

/** By its name, or as it may be executed. */
const isRun = ({ path, oldMode, newMode }: FileDiff): boolean =>
  RUNS.test(path) || BY_NAME.test(path) || [oldMode, newMode].some((mode) => mode !== PLAIN_MODE && Number(mode) !== 0);

function rankOf(change: FileDiff): Rank {
  const { path, status, text = "" } = change;
  const runs = isRun(change);
  const isNew = status === "added";
  const byTools = BY_TOOLS.test(path) || (!isNew && saidGenerated(text));
  if (!runs && (LOCK_FILE.test(path) || (!isNew && (byTools || README.test(path))))) return "named";
  if (byTools && !(runs && isNew)) return "by tools";
  if (isTestFile(path)) return isNew ? "new test" : "test";
  return DOCUMENT.test(path) && !runs ? "document" : "source";
}

/** What they add and take away, in lines. */
export function countLines(changes: readonly FileDiff[]): { added: number; removed: number } {
  const lines = changes.flatMap(({ text = "" }) => text.split("\n").slice(headOf(text.split("\n"))));
  return { added: lines.filter((line) => line.startsWith("+")).length, removed: lines.filter((line) => line.startsWith("-")).length };
}

/** Of its characters so many are none, in what is no text. */
const ODD_SHARE = 0.25;

/** What nobody can read; what is run is shown whatever is in it. */
function isBinary(change: FileDiff): boolean {
  const { text = "" } = change;
  if (!text.includes("\0") || isRun(change)) return false;
  // eslint-disable-next-line no-control-regex -- these are what is looked for
  return (text.match(/[\0-\u0008\u000E-\u001F\uFFFD]/gu)?.length ?? 0) > ODD_SHARE * text.length;
}

function partOf(of: FileDiff): FilePart {
  const rank = rankOf(of);
  if (of.text === undefined || isBinary(of))
    return { of, rank, text: "", length: `${of.bytes} bytes${of.text === undefined ? "" : ", no text"}` };
  const lines = of.text.split("\n");
  const at = headOf(lines);
  const isNew = of.status === "added";
  const head = lines.slice(0, at).filter((line) => !/^index [\da-f]+\.\./u.test(line) && !(isNew && KNOWN_OF_NEW.test(line)));
  const whole = [...head, ...lines.slice(at)].join("\n");
  const changed = lines.slice(at).filter((line) => /^[+-]/u.test(line)).length;
  return { of, rank, text: whole.endsWith("\n") ? whole : `${whole}\n`, length: `${changed} lines changed` };
}

/** A name is one word of a line, whatever is in it. */
export const plainName = (file: string): string =>
  /[\p{Cc}\u2028\u2029]/u.test(file) ? JSON.stringify(file).replaceAll(/[\u2028\u2029]/gu, "?") : file;

/** The beginning of a file's part, up to the end of a line. */
function beginning({ of, text }: FilePart, room: number): string {
  const shown = text.slice(0, text.lastIndexOf("\n", room) + 1);
  return `${shown}… ${text.slice(shown.length).split("\n").length - 1} lines more in ${plainName(of.path)}\n`;
}

function namesOf(parts: readonly FilePart[]): string {
  const more = parts.length - MOST_NAMED;
  const names = parts.slice(0, MOST_NAMED).map(({ of, length }) => `${plainName(of.path)} (${length})`);
  return `${names.join(", ")}${more > 0 ? ` and ${more} more` : ""}`;
}

/** `read`: files that somebody read as they stand; `first`: what is shown before everything else. */
export function reviewText(
  changes: readonly FileDiff[],
  chars: number,
  { read = new Set(), first = new Set() }: { read?: ReadonlySet<string>; first?: ReadonlySet<string> } = {},
): ReviewText {
  const parts = changes.filter(({ path }) => !read.has(path)).map(partOf);
  // A change of nothing but such files is about them.
  const isOnlyNamed = parts.every(({ rank }) => rank === "named");
  const ranked = isOnlyNamed ? parts : SHOWN.flatMap((rank) => parts.filter((part) => part.rank === rank));
  const wanted = [...ranked.filter(({ of }) => first.has(of.path)), ...ranked.filter(({ of }) => !first.has(of.path))];
  let left = chars;
  const shown: FilePart[] = [];
  const missing: FilePart[] = [];
  for (const part of wanted) {
    if (part.text === "" || part.text.length > left) missing.push(part);
    else {
      shown.push(part);
      left -= part.text.length;
    }
  }
  // One that would not fit by itself either is seen as far as there is room for it.
  const long = missing.find((part) => part.text.length > chars && left > part.text.indexOf("\n") + 1);
  if (long !== undefined) missing.splice(missing.indexOf(long), 1);
  const written = isOnlyNamed ? [] : parts.filter(({ rank }) => rank === "named");
  const told = [
    ...(missing.length === 0
      ? []
      : [`Changed too, and not shown, for want of room or as it is no text; read each with read_file: ${namesOf(missing)}`]),
    ...(written.length === 0 ? [] : [`Changed too, and only named (lock files, READMEs, what tools wrote): ${namesOf(written)}`]),
  ];
  const begun = long === undefined ? "" : beginning(long, left);
  const text = `${shown.map((part) => part.text).join("")}${begun}${told.map((line) => `${line}\n`).join("")}`;
  return { text: diffText({ text, truncated: missing.length > 0 || long !== undefined }), whole: shown.map(({ of }) => of) };
}
