/** Programs that start other commands: each is followed to what it starts, or not at all. */
import { readdirSync } from "node:fs";
import { shellLines } from "../../guard/index.ts";
import { must } from "../../kernel/index.ts";
import type { Reader, Run, Stand, Word } from "./behind.ts";
import type { Follower } from "./interpreters.ts";
import { walkOptions, type KnownOptions } from "./options.ts";
import { packageScript, scriptNames } from "./package-scripts.ts";
import { takeDeciding } from "./tools.ts";
import { judgeVariable } from "./variables.ts";

const ASSIGNED = /^([A-Za-z_]\w*)=([\s\S]*)$/u;

const crossEnv: Follower = (reader, { name, args, stand }) => {
  let at = 0;
  for (; at < args.length; at += 1) {
    const assigned = ASSIGNED.exec(args[at]?.value ?? "");
    if (assigned === null) break;
    judgeVariable(reader.behind, must(assigned[1]), shellLines.literalWord(must(assigned[2])), stand);
  }
  // It puts values of variables in by itself, whatever the quotes.
  if (args.some(({ value }) => value === undefined || value.includes("$")))
    reader.behind.cannot(`what ${name} runs is decided when it runs`);
  if (at < args.length) reader.words(args.slice(at), stand);
};

const starter =
  (options: KnownOptions): Follower =>
  (reader, run) => {
    const walked = walkOptions(reader.behind, run, options);
    if (walked !== undefined && walked.rest.length > 0) reader.words(walked.rest, run.stand);
  };

const COVER: KnownOptions = {
  flags:
    /^--(?:all|check-coverage|clean|silent|skip-full|per-file|100|exclude-after-remap|source-map|cache|no-cache|no-clean|instrument)$/u,
  valued:
    /^(?:-n|-x|-e|-t|-o|--(?:include|exclude|extension|lines|branches|functions|statements|report-dir|reports-dir|temp-directory|temp-dir|src))$/u,
  loads: /^(?:-r|-i|--(?:reporter|require))$/u,
};
const RUNS_NAMES: KnownOptions = {
  flags: /^(?:-[cslnp]+|--(?:parallel|sequential|serial|silent|aggregate-output|print-label|print-name|continue-on-error|race))$/u,
  valued: /^--max-parallel$/u,
};
const AT_ONCE: KnownOptions = {
  flags: /^(?:-[kgr]+|--(?:kill-others|kill-others-on-fail|raw|group|no-color|timings|hide))$/u,
  valued: /^(?:-[ncsml]|--(?:names|prefix-colors|success|max-processes|kill-signal|prefix-length))$/u,
};

/** `test:*` is one step deep, `test:**` any number. */
function matching(pattern: string, names: readonly string[]): string[] {
  if (!pattern.includes("*")) return [pattern];
  const text = pattern
    .split(/(\*+)/u)
    .map((part) => (part === "*" ? "[^:]*" : part.startsWith("*") ? ".*" : RegExp.escape(part)))
    .join("");
  return names.filter((name) => new RegExp(`^${text}$`, "u").test(name));
}

/** A pattern that no file fits stays as it is written. */
function unmatched({ glob, computed, splits, quoted, leading, source }: Word, stand: Stand): string | undefined {
  if (!glob || computed || splits || quoted || leading === "" || leading.includes("/")) return undefined;
  return stand.at.some((folder) => readdirSync(folder).some((name) => name.startsWith(leading))) ? undefined : source;
}

function runNamed(reader: Reader, { name, stand }: Run, word: Word): void {
  const text = word.value ?? unmatched(word, stand);
  // Of several commands in one word the first is the script's name; the rest are words for it.
  const [script = "", ...rest] = (text ?? "").split(" ").filter((one) => one !== "");
  const more = rest[0] === "--" ? rest.slice(1) : rest;
  if (text === undefined || !/^[\w:.*@/-]+(?: -- [\w:.=,@/ -]+| -[\w:.=,@/ -]+)?$/u.test(text) || script.startsWith("-")) {
    reader.behind.cannot(`which script ${word.source} of ${name} is cannot be said`);
    return;
  }
  const names = matching(script, scriptNames(reader.behind, stand));
  if (names.length === 0) reader.behind.cannot(`${script} is no script of the package`);
  for (const one of names) packageScript(reader, stand, one, more.map(shellLines.literalWord));
}

const runAll: Follower = (reader, run) => {
  // Options and names may be mixed.
  const walkFrom = (args: readonly Word[]): void => {
    const walked = walkOptions(reader.behind, { ...run, args }, RUNS_NAMES);
    const [first, ...rest] = walked?.rest ?? [];
    if (first === undefined) return;
    runNamed(reader, run, first);
    walkFrom(rest);
  };
  walkFrom(run.args);
};

const concurrently: Follower = (reader, run) => {
  const walkFrom = (args: readonly Word[]): void => {
    const walked = walkOptions(reader.behind, { ...run, args }, AT_ONCE);
    const [first, ...rest] = walked?.rest ?? [];
    if (first === undefined) return;
    const text = first.value;
    const named = /^(?:npm|pnpm|yarn|bun|node):(.*)$/u.exec(text ?? "");
    if (text === undefined || text.includes("{")) reader.behind.cannot(`${first.source} of ${run.name} is decided when it runs`);
    else if (named === null) reader.line(text, run.stand);
    else runNamed(reader, run, { ...first, value: must(named[1]) });
    walkFrom(rest);
  };
  walkFrom(run.args);
};

const RUN_OPTIONS: KnownOptions = {
  flags:
    /^(?:-q|-v|--(?:frozen|locked|no-sync|offline|quiet|verbose|isolated|no-dev|all-extras|all-groups|dev|exact|no-interaction|no-ansi))$/u,
  valued: /^(?:-p|--(?:python|extra|group|only-group|no-group))$/u,
};

/** `poetry run`, `uv run`, `bundle exec`: what the project's own settings make of the name counts, too. */
const within =
  (verb: string): Follower =>
  (reader, run) => {
    takeDeciding(reader.behind, run.name, run);
    const walked = walkOptions(reader.behind, run, { flags: /^(?:-q|--quiet|--no-interaction|-n)$/u, valued: /^$/u });
    const [first, ...rest] = walked?.rest ?? [];
    if (first?.value !== verb) {
      reader.behind.cannot(`what ${run.name} ${first?.source ?? ""} runs cannot be said`);
      return;
    }
    const inner = walkOptions(reader.behind, { ...run, args: rest }, RUN_OPTIONS);
    const program = inner?.rest[0];
    if (inner === undefined || program === undefined) reader.behind.cannot(`what ${run.name} runs cannot be said`);
    // A script of Python is run as one.
    else if (program.value?.endsWith(".py") === true) reader.words([shellLines.literalWord("python3"), ...inner.rest], run.stand);
    else reader.words(inner.rest, run.stand);
  };

export const STARTERS: Readonly<Record<string, Follower>> = {
  "cross-env": crossEnv,
  c8: starter(COVER),
  nyc: starter(COVER),
  "npm-run-all": runAll,
  "npm-run-all2": runAll,
  "run-s": runAll,
  "run-p": runAll,
  concurrently,
  conc: concurrently,
  poetry: within("run"),
  uv: within("run"),
  bundle: within("exec"),
};
