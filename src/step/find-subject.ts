/** Looks up in the files what a task of this type is about. */
import { CHOICES } from "../protocol/index.ts";
import { shortLine } from "./context/fit-lines.ts";
import { problemInFocus, type SubjectTexts } from "./context/subject-fragments.ts";
import { isTestPath } from "./verdict/changed-files.ts";
import type { StepRun } from "./step-run.ts";
import type { TaskState } from "./task-state.ts";

const LINES_AROUND = 12;
const MAX_FILES = 20_000;
const MAX_EXAMPLE_LINES = 200;

async function findSpot(run: StepRun, state: TaskState): Promise<SubjectTexts["spot"]> {
  const first = problemInFocus(state);
  if (first?.path === undefined) return undefined;
  const { path, line = 1 } = first;
  const inView = state.memory.items.some(({ source }) => source?.path === path && source.from <= line && line <= source.to);
  if (inView) return undefined;
  const from = Math.max(1, line - LINES_AROUND);
  const read = await run.workspace.files.read({ path, fromLine: from, maxLines: 2 * LINES_AROUND + 1, signal: run.signal });
  if (read.kind !== "text") return undefined;
  const width = String(read.lines.at(-1)?.number ?? 0).length;
  const mark = (number: number): string => (number === first.line ? ">" : " ");
  return {
    path,
    text: read.lines.map(({ number, text }) => `${mark(number)}${String(number).padStart(width)}│${shortLine(text)}`).join("\n"),
  };
}

/** `@src/cart.ts` in the user's words; in quotes where the name has spaces. */
const NAMED = /(?<![\w@])@(?:"(?<quoted>[^"\n]+)"|(?<plain>[\p{L}\p{N}_./-]*[\p{L}\p{N}_]))/gu;
const MAX_NAMED = 5;
const MAX_NAMED_LINES = 400;

const numbered = (lines: readonly { number: number; text: string }[]): string[] => {
  const width = String(lines.at(-1)?.number ?? 0).length;
  return lines.map(({ number, text }) => `${String(number).padStart(width)}│${shortLine(text)}`);
};

/** What whoever gave the task says it is about. */
const pointedAt = ({ created }: TaskState): string[] =>
  (created.inputs[CHOICES.input.pointedAt] ?? "").split("\n").filter((line) => line !== "");

/** Files that the user or the plan points at and nobody has looked at yet; what no file is called so is only a word. */
async function findNamed(run: StepRun, state: TaskState): Promise<SubjectTexts["named"]> {
  const words = [...state.created.goal.matchAll(NAMED)].flatMap(({ groups }) => groups?.["quoted"] ?? groups?.["plain"] ?? []);
  const shown: NonNullable<SubjectTexts["named"]> = [];
  for (const path of new Set([...words, ...pointedAt(state)])) {
    if (shown.length === MAX_NAMED) break;
    if (path in state.changedFiles || state.memory.items.some((item) => item.source?.path === path)) continue;
    const read = await run.workspace.files.read({ path, maxLines: MAX_NAMED_LINES, signal: run.signal });
    if (read.kind !== "text") continue;
    shown.push({ path, lines: numbered(read.lines) });
  }
  return shown;
}

const wordsOf = (text: string): Set<string> => new Set(text.toLowerCase().match(/[a-z]{3,}/g));

/** They stand among the tests, and test nothing. */
const NO_TEST = /(?:^|\/)(?:__init__|conftest)\.py$|\.(?:json|snap|md|txt|ya?ml|lock|html|css)$/;

/** More than words in common. */
const POINTED = 1_000;

/** The existing test whose name shares most with the goal; the shortest name among equals. */
async function chooseExample(run: StepRun, state: TaskState): Promise<string | undefined> {
  const listed = await run.workspace.search.list({ maxFiles: MAX_FILES, signal: run.signal });
  if (listed.kind !== "files") return undefined;
  const wanted = wordsOf([state.created.goal, ...state.created.criteria].join(" "));
  const pointed = new Set(pointedAt(state));
  const shared = (file: string): number => [...wordsOf(file.replace(/\.\w+$/, ""))].filter((word) => wanted.has(word)).length;
  return listed.files
    .filter((file) => isTestPath(file) && /\.\w{1,4}$/.test(file) && !NO_TEST.test(file))
    .filter((file) => state.changedFiles[file] === undefined)
    .map((file) => ({ file, shared: shared(file) + (pointed.has(file) ? POINTED : 0) }))
    .toSorted((a, b) => b.shared - a.shared || a.file.length - b.file.length || (a.file < b.file ? -1 : 1))[0]?.file;
}

async function findExample(run: StepRun, state: TaskState): Promise<SubjectTexts["exampleTest"]> {
  run.exampleTest ??= chooseExample(run, state);
  const path = await run.exampleTest;
  if (path === undefined || state.memory.items.some((item) => item.source?.path === path)) return undefined;
  const read = await run.workspace.files.read({ path, maxLines: MAX_EXAMPLE_LINES, signal: run.signal });
  return read.kind === "text" ? { path, lines: numbered(read.lines) } : undefined;
}

export async function findSubject(run: StepRun, state: TaskState): Promise<SubjectTexts> {
  const { shows } = run.type;
  return {
    named: await findNamed(run, state),
    spot: shows.includes("violation") ? await findSpot(run, state) : undefined,
    exampleTest: shows.includes("example_test") ? await findExample(run, state) : undefined,
  };
}
