/**
 * A goal that is nothing but a new name for something is shown by the texts themselves: the old name stood there when
 * the task began and stands nowhere now, the new one is new, and apart from it no changed file says anything else.
 */
import path from "node:path";
import type { BlobRef } from "../../journal/index.ts";
import type { StepRun } from "../step-run.ts";
import type { TaskState } from "../task-state.ts";
import { isDocument, isTestPath } from "./changed-files.ts";

const NAME = "[`\"']?([A-Za-z_$][\\w$]*)(?:\\(\\))?[`\"']?";
const WHAT = "(?:function|method|class|type|interface|variable|constant|symbol|parameter|field|property)";
const EVERYWHERE = "(?:everywhere|throughout(?: the (?:project|code|codebase))?|in the (?:whole )?(?:project|code|codebase))";
/** All of the goal, and not a part of it: what else it asked for would not be shown. */
const RENAME = new RegExp(`^\\s*rename (?:the )?(?:${WHAT} )?${NAME} (?:to|into|as) ${NAME}(?: ${EVERYWHERE})?\\s*\\.?\\s*$`, "iu");
const MOST_FOUND = 200;

/** The name as a whole word, `$` included. */
const wordOf = (name: string): RegExp => new RegExp(`(?<![\\w$])${RegExp.escape(name)}(?![\\w$])`, "gu");

async function textOf({ texts }: StepRun, hash: string): Promise<string | undefined> {
  const ref: BlobRef = `blob:sha256:${hash}`;
  return (await texts.has(ref)) ? Buffer.from(await texts.get(ref)).toString("utf8") : undefined;
}

const bare = (text: string): string => text.replaceAll(/\s+/gu, "");

async function standsNowhere({ workspace, signal }: StepRun, name: string): Promise<boolean> {
  const found = await workspace.search.grep({ pattern: name, literal: true, maxMatches: MOST_FOUND, signal });
  if (found.kind !== "matches" || found.truncated || found.timedOut) return false;
  // A line that was cut before the name may hold it.
  return found.matches.every((one) => isDocument(one.path) || (one.text.includes(name) && !wordOf(name).test(one.text)));
}

/** What shows it, in words; undefined: the goal is another, or this does not show it. */
export async function shownRename(run: StepRun, state: TaskState): Promise<string | undefined> {
  const { goal, criteria } = state.created;
  const [, from, to] = RENAME.exec(goal) ?? [];
  if (from === undefined || to === undefined || from === to || criteria.length > 0) return undefined;
  let stood = 0;
  const files = Object.entries(state.changedFiles);
  for (const [, { before, after }] of files) {
    const [was, is] = [before === null ? undefined : await textOf(run, before), after === null ? undefined : await textOf(run, after)];
    if (was === undefined || is === undefined || wordOf(to).test(was)) return undefined;
    if (bare(was.replaceAll(wordOf(from), () => to)) !== bare(is)) return undefined;
    if (wordOf(from).test(was)) stood += 1;
  }
  if (stood === 0 || !(await standsNowhere(run, from))) return undefined;
  return `${from} is called ${to} in ${stood} file${stood === 1 ? "" : "s"}, stands nowhere any more, and nothing else changed`;
}

/** What speaks for a change that was to keep behaviour, though it shows no goal: tests that passed before and after, and whether they know what was changed. */
export async function keptBehaviour({ workspace, signal }: StepRun, state: TaskState, sources: readonly string[]): Promise<string> {
  const passed = (checks: readonly { tests?: { passed: number } | undefined }[]): number =>
    checks.reduce((sum, { tests }) => sum + (tests?.passed ?? 0), 0);
  const before = passed(state.atStart?.checks ?? []);
  const now = passed(state.verification?.checks ?? []);
  const tests = new Set<string>();
  for (const source of sources.slice(0, 10)) {
    const stem = path.posix.basename(source, path.posix.extname(source));
    const found = await workspace.search.grep({ pattern: stem, literal: true, maxMatches: MOST_FOUND, signal });
    if (found.kind === "matches") for (const one of found.matches) if (isTestPath(one.path)) tests.add(one.path);
  }
  const counted = before === 0 ? "the checks passed before and after" : `tests passed: ${before} before, ${now} after`;
  const named = `test files that name what was changed: ${tests.size}`;
  return `${counted}, ${named}`;
}
