/**
 * Reads the lines of a project strictly, with the guard's own reader of shell lines: whatever of a line is not
 * understood to its end makes the check one that nobody can agree to for good.
 */
import { readdirSync, statSync } from "node:fs";
import path from "node:path";
import { must } from "../../kernel/index.ts";
import { shellLines } from "../../guard/index.ts";
import { Behind, type Invocation, places, takeNamed, type Reader, type Run, type Stand, type Word } from "./behind.ts";
import { interpreters, type Follower } from "./interpreters.ts";
import { MAKES, PLAIN, SUBCOMMANDS, TOOLS } from "./known-programs.ts";
import { followMake } from "./make-goals.ts";
import { followBun, followNpm, followNpx, followPnpm, followYarn } from "./package-managers.ts";
import { MAKES_WORD } from "./make-text.ts";
import { packageScript } from "./package-scripts.ts";
import { STARTERS } from "./starters.ts";
import { followSubcommand, followTool, followUnknown, isShipped } from "./tools.ts";
import { judgeVariable } from "./variables.ts";

const FOLLOWERS: ReadonlyMap<string, Follower> = new Map(
  Object.entries({
    ...interpreters({ script: (reader, run, name) => packageScript(reader, run.stand, name, []), tool: followTool }),
    ...STARTERS,
    npm: followNpm,
    npx: followNpx,
    pnpm: followPnpm,
    yarn: followYarn,
    yarnpkg: followYarn,
    bun: followBun,
    make: followMake,
    gmake: followMake,
    ...Object.fromEntries(Object.keys(SUBCOMMANDS).map((name) => [name, followSubcommand])),
  } satisfies Record<string, Follower>),
);
/** One command after the other, each only when the one before went well: where it stands is known. */
const IN_ORDER = /^(?:[^;|&(){}`\n]|&&)*$/u;
/** Options of plain commands that write, run or evaluate. */
const REFUSED_OF: Readonly<Record<string, RegExp>> = {
  find: /^-f(?:print|ls)/u,
  sort: /^(?:-o|--o|--c)/u,
  printf: /^-v/u,
  test: /^-[vR]$/u,
  "[": /^-[vR]$/u,
  wait: /^-p/u,
};
const COPIES = /^(?:cp|mv|ln|install|cpy)$/u;
const SETTINGS_OF_SHELL = /^(?:[-+][euxo]+|pipefail|errexit|nounset|xtrace)$/u;

const starts = (name: string): boolean => FOLLOWERS.has(name) || /^(?:env|xargs|eval|exec|time|timeout|nice|nohup)$/u.test(name);
const known = (name: string): string => name.replace(/^(python[23]?|ruby|php|lua|perl)[\d.]+$/u, "$1");

function hasOptionLikeFile(folder: string): boolean {
  try {
    return readdirSync(folder).some((name) => name.startsWith("-"));
  } catch {
    return false;
  }
}

function fromMake(word: Word): Word {
  const at = word.leading.indexOf(MAKES_WORD);
  return at === -1 ? word : { ...word, value: undefined, leading: word.leading.slice(0, at), computed: true };
}

class LineReader implements Reader {
  readonly behind: Behind;

  constructor(root: string) {
    this.behind = new Behind(root);
  }

  line(text: string, stand: Stand): void {
    if (!this.behind.once(JSON.stringify([text, stand]))) return;
    const parsed = shellLines.parse(text);
    if (parsed.kind === "refused") {
      this.behind.cannot(`a line cannot be read: ${parsed.reason}`);
      return;
    }
    let at = stand.at;
    for (const command of parsed.commands) {
      const unwrapped = shellLines.unwrap([command], "named");
      if (unwrapped.kind === "unclear") this.behind.cannot(unwrapped.reason);
      const exact = IN_ORDER.test(text) && unwrapped.invocations.length === 1;
      for (const invocation of unwrapped.invocations) at = this.#invocation(invocation, { ...stand, at }, exact);
    }
  }

  words(words: readonly Word[], stand: Stand): void {
    const unwrapped = shellLines.unwrap([{ assignments: [], words: [...words], redirects: [] }], "named");
    if (unwrapped.kind === "unclear") this.behind.cannot(unwrapped.reason);
    for (const invocation of unwrapped.invocations) this.#invocation(invocation, stand, false);
  }

  /** Where the next command may stand. */
  #invocation({ name, args, assignments, redirects, transparent }: Invocation, stand: Stand, exact: boolean): readonly string[] {
    for (const { name: variable, value } of assignments) judgeVariable(this.behind, variable, value, stand);
    for (const { operator, target } of redirects) {
      if (operator === "<<" || operator === "<<<" || (/[<>]&/u.test(operator) && /^\d+$|^-$/u.test(target.value ?? ""))) continue;
      if (target.value === undefined || target.tilde || target.value.includes(MAKES_WORD))
        this.behind.cannot(`${target.source} is decided when it runs`);
      else if (operator.includes(">") && !target.value.startsWith("/dev/"))
        for (const file of places(target.value, stand)) this.behind.makes(file);
    }
    if (name === "") return stand.at;
    if (name.includes(MAKES_WORD)) this.behind.cannot("which program make puts into a line cannot be said");
    const words = args.map(fromMake);
    for (const word of words) this.#pattern(word, stand);
    if (name === "cd" || name === "set" || name === "export") return this.#builtin(name, words, stand, exact);
    this.#program({ name, args: words, stand }, transparent);
    return stand.at;
  }

  /** A pattern that begins with a wildcard may stand for an option: a file can have such a name. */
  #pattern(word: Word, stand: Stand): void {
    if (
      word.glob &&
      (word.leading === "" || word.leading.startsWith("-")) &&
      !word.splits &&
      (word.leading !== "" || stand.at.some(hasOptionLikeFile))
    )
      this.behind.cannot(`${word.source} may stand for an option`);
  }

  #builtin(name: string, args: readonly Word[], stand: Stand, exact: boolean): readonly string[] {
    const { behind } = this;
    if (name === "set" && !args.every(({ value }) => value !== undefined && SETTINGS_OF_SHELL.test(value)))
      behind.cannot("what set changes cannot be said");
    if (name === "export")
      for (const { value, leading, source } of args) {
        const assigned = /^([A-Za-z_]\w*)=([\s\S]*)$/u.exec(value ?? leading);
        const text = value === undefined ? undefined : assigned?.[2];
        if (assigned === null) behind.cannot(`what export ${source} hands on cannot be said`);
        else judgeVariable(behind, must(assigned[1]), { ...must(args[0]), value: text }, stand);
      }
    if (name !== "cd") return stand.at;
    const target = args.length === 1 ? args[0]?.value : undefined;
    const there =
      target === undefined || args[0]?.tilde === true || target.startsWith("-") || target === ""
        ? []
        : places(target, stand).filter(
            (place) => behind.isInside(place) && statSync(place, { throwIfNoEntry: false })?.isDirectory() === true,
          );
    if (there.length === 0) behind.cannot(`where cd ${args[0]?.source ?? ""} leads cannot be said`);
    return exact && there.length > 0 ? there : [...new Set([...stand.at, ...there])];
  }

  #program(run: Run, transparent: boolean): void {
    const { behind } = this;
    const { args, stand } = run;
    const isPath = run.name.includes("/");
    if (isPath) {
      if (run.name.startsWith("/") && !behind.isInside(run.name)) behind.cannot(`${run.name} lies outside the project`);
      else takeNamed(behind, shellLines.literalWord(run.name), stand);
    }
    const installed = !isPath && behind.takeInstalled(run.name, stand);
    const name = known(path.basename(run.name));
    if (transparent) return;
    const follower = FOLLOWERS.get(name);
    if (isShipped(name, args) && (follower === undefined || name === "ruby" || Object.hasOwn(SUBCOMMANDS, name)))
      followTool(this, { name, args: [], stand });
    else if (follower !== undefined) follower(this, { name, args, stand });
    else if (PLAIN.has(name)) this.#plain({ name, args, stand });
    else if (TOOLS.has(name)) followTool(this, { name, args, stand });
    else if (isPath || installed) followUnknown(this, { name, args, stand }, starts, isPath && !run.name.includes("node_modules/.bin/"));
    else behind.cannot(`what ${name} runs is not known`);
  }

  #plain({ name, args, stand }: Run): void {
    const refused = REFUSED_OF[name];
    if (refused !== undefined && args.some(({ leading }) => refused.test(leading)))
      this.behind.cannot(`what ${name} writes or runs cannot be said`);
    if (!MAKES.has(name)) return;
    args.forEach((word, at) => {
      if (word.computed || word.tilde) this.behind.cannot(`where ${name} puts ${word.source} is decided when it runs`);
      else if (word.leading.startsWith("-")) {
        if (/^(?:-t|--target)/u.test(word.leading)) this.behind.cannot(`where ${name} puts things cannot be said`);
      } else
        for (const file of places(word.leading, stand)) {
          // What is copied is what stands there afterwards.
          if (COPIES.test(name) && at < args.length - 1 && !word.glob && this.behind.isInside(file)) this.behind.take(file);
          else this.behind.makes(file);
        }
    });
  }
}

export interface LineReading {
  reader: Reader;
  result: () => { lines: string[]; unclear: string | undefined };
}

export function createLineReader(root: string): LineReading {
  const reader = new LineReader(root);
  return { reader, result: () => reader.behind.result() };
}
