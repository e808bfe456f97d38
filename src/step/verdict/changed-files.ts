/** What a task changed, by what it can show: the program itself, or what judges it. */
import { toCommandLine } from "../../workspace/index.ts";
import type { TaskState } from "../task-state.ts";

const TEST_PATH = /(^|\/)(tests?|spec|__tests__)\/|[._-](test|spec)\.|(^|\/)test_/i;
/** A file that holds tests and nothing else would load: a new one takes nothing away from those that were there. */
const TEST_FILE = /[._-](test|spec)\.\w+$|(^|\/)test_[^/]*\.py$/i;
/** What tells a runner, a linter or a compiler what to do. */
const SETTINGS =
  /(^|\/)(package\.json|[jt]sconfig[^/]*\.json|pyproject\.toml|setup\.cfg|tox\.ini|pytest\.ini|conftest\.py|noxfile\.py|Cargo\.toml|go\.mod|Makefile|makefile|GNUmakefile|justfile|Rakefile|\.?(eslint|biome|ruff|prettier|stylelint|mocharc|nycrc|c8rc|golangci|rubocop|rspec|xo-config|flake8|mypy)[^/]*|(vitest|jest|ava|karma|playwright|cypress|webpack|vite|rollup|babel|tap|lab)[^/]*\.config\.\w+|\.taprc|phpunit\.xml[^/]*)$/;
const DOCUMENT =
  /\.(md|mdx|markdown|rst|adoc)$|(^|\/)(LICEN[CS]E|CHANGELOG|CHANGES|AUTHORS|NOTICE|README|CONTRIBUTING|\.gitignore|\.editorconfig|\.gitattributes)[^/]*$/i;

export function isTestPath(file: string): boolean {
  return TEST_PATH.test(file);
}

export function isDocument(file: string): boolean {
  return DOCUMENT.test(file);
}

const CHECKS_BY_NAME = /check|test|spec|verif|assert|lint|valid|repro/i;

/** Files of the project that a command runs to judge: `./run.sh`, `node check.mjs`; `node main.mjs` runs the program itself. */
function namedBy(commands: readonly string[]): Set<string> {
  const words = commands.flatMap((command) => {
    const line = toCommandLine(command);
    const all = line?.kind === "direct" ? [...line.argv] : command.split(/[\s;&|()<>"'=]+/u);
    return all.filter((word, index) => index === 0 || CHECKS_BY_NAME.test(word));
  });
  return new Set(words.map((word) => word.replace(/^\.\//u, "")));
}

export interface ChangedFiles {
  /** The program. */
  sources: string[];
  /** Tests, what a check itself runs, and what tells it how: changed, they could let anything pass. */
  judges: string[];
  /** Of these, the ones that only add tests. */
  newTests: string[];
  /** Of these, test files that are gone. */
  deletedTests: string[];
}

export function changedFilesOf(state: TaskState): ChangedFiles {
  const named = namedBy(state.created.checks.map(({ command }) => command));
  const files = Object.entries(state.changedFiles);
  const judges = files.filter(([file]) => isTestPath(file) || SETTINGS.test(file) || named.has(file));
  const isJudge = new Set(judges.map(([file]) => file));
  const names = (entries: typeof files): string[] => entries.map(([file]) => file);
  const kept = judges.filter(([, { after }]) => after !== null).map(([file]) => file.slice(file.lastIndexOf("/") + 1));
  return {
    sources: names(files.filter(([file]) => !isJudge.has(file))),
    judges: names(judges),
    newTests: names(judges.filter(([file, { before, after }]) => before === null && after !== null && TEST_FILE.test(file))),
    // Moved, it has its name elsewhere.
    deletedTests: names(
      judges.filter(([file, { after }]) => after === null && isTestPath(file) && !kept.includes(file.slice(file.lastIndexOf("/") + 1))),
    ),
  };
}

const COMMENT = /^\s*(?:\/\/|\/\*|\*|#(?!!|include|define|if|endif|else|pragma)|--\s|<!--)/u;

/** Whether two texts of a program differ in comments and empty lines only. */
export function sameButComments(before: string, after: string): boolean {
  const code = (text: string): string =>
    text
      .split("\n")
      .filter((line) => line.trim() !== "" && !COMMENT.test(line))
      .map((line) => line.trim())
      .join("\n");
  return code(before) === code(after);
}
