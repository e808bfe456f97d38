/**
 * Which folders a command may use git in, as far as its line tells: where it starts, where `cd` leads, and every
 * folder that one of its words names. `open` when that is not all there may be: something is decided at run time,
 * a folder is not there yet, or the line itself moves things about.
 */
import { statSync } from "node:fs";
import path from "node:path";
import { parseShell } from "../shell/parse-shell.ts";
import { literalWord, type SimpleCommand, type Word } from "../shell/types.ts";
import { unwrapCommands, type Invocation } from "../shell/unwrap-command.ts";
import { expandHome } from "./decide-reads.ts";
import type { GuardedAction } from "./open-permissions.ts";

const MAX_FOLDERS = 64;
/** They put something where a repository could be looked for. */
const BRINGING: ReadonlySet<string> = new Set("cp mv ln tar unzip rsync install patch".split(" "));

interface Way {
  /** Where the line may stand. */
  at: Set<string>;
  named: Set<string>;
  open: boolean;
}

function isFolder(place: string): boolean {
  try {
    return statSync(place, { throwIfNoEntry: false })?.isDirectory() === true;
  } catch {
    return false;
  }
}

/** A word as it stands, and what may be a value in it: `--git-dir=x`, `-Cx`. */
function namesIn(text: string): string[] {
  if (!text.startsWith("-")) return [text];
  return [text.includes("=") ? text.slice(text.indexOf("=") + 1) : text.slice(2)].filter((name) => name !== "");
}

function goInto(way: Way, args: readonly Word[], home: string): void {
  const target = args.length === 0 ? home : args.length === 1 && args[0] !== undefined ? expandHome(args[0], home) : undefined;
  const there =
    target === undefined || target.startsWith("-") ? [] : [...way.at].map((from) => path.resolve(from, target)).filter(isFolder);
  if (there.length === 0) way.open = true;
  for (const folder of there) way.at.add(folder);
}

/** Options before the sub-command say where git works; `-C` may name what is not there. */
function lookAtGit(way: Way, args: readonly Word[], home: string): void {
  const sub = args.findIndex((word, i) => word.value?.startsWith("-") !== true && args[i - 1]?.value !== "-C");
  const before = sub === -1 ? args : args.slice(0, sub + 1);
  if (sub === -1 || before.some((word) => word.value === undefined)) way.open = true;
  args.forEach((word, i) => {
    const target = args[i - 1]?.value === "-C" ? expandHome(word, home) : undefined;
    if (target === undefined) return;
    const there = [...way.at, ...way.named].map((from) => path.resolve(from, target)).filter(isFolder);
    if (there.length === 0) way.open = true;
    for (const folder of there) way.named.add(folder);
  });
}

function walk(way: Way, { name, args, assignments }: Invocation, home: string): void {
  if (name === "cd") goInto(way, args, home);
  if (name === "pushd" || name === "popd") way.open = true;
  for (const word of [...args, ...assignments.map(({ value }) => value)]) {
    const text = expandHome(word, home);
    for (const place of text === undefined ? [] : namesIn(text))
      for (const from of way.at) if (isFolder(path.resolve(from, place))) way.named.add(path.resolve(from, place));
  }
  if (path.posix.basename(name) === "git") lookAtGit(way, args, home);
  if (way.at.size + way.named.size > MAX_FOLDERS) way.open = true;
}

function plants({ name, redirects }: Invocation): boolean {
  return BRINGING.has(name) || redirects.some(({ operator, target }) => operator.includes(">") && /\.git/iu.test(target.source));
}

export function enteredFolders(
  command: Extract<GuardedAction, { kind: "run" }>["command"],
  cwd: string,
  home: string,
): { folders: string[]; open: boolean } {
  const way: Way = { at: new Set([cwd]), named: new Set(), open: false };
  let commands: readonly SimpleCommand[];
  if (command.kind === "direct") commands = [{ assignments: [], words: command.argv.map(literalWord), redirects: [] }];
  else {
    const parsed = parseShell(command.line);
    if (parsed.kind === "refused") return { folders: [cwd], open: true };
    commands = parsed.commands;
  }
  const { kind, invocations } = unwrapCommands(commands);
  for (const invocation of invocations) walk(way, invocation, home);
  const folders = [...new Set([...way.at, ...way.named])].slice(0, MAX_FOLDERS);
  return { folders, open: way.open || kind === "unclear" || invocations.some(plants) };
}
