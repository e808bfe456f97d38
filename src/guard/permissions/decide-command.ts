/**
 * May this agent run this command? Every program the line could start is judged by itself, and the
 * strictest answer counts. What is not understood is asked about, never assumed.
 */
import path from "node:path";
import { parseShell } from "../shell/parse-shell.ts";
import { literalWord, type SimpleCommand, type Word } from "../shell/types.ts";
import { unwrapCommands, type Invocation } from "../shell/unwrap-command.ts";
import { decideGit } from "./git-matrix.ts";
import { questionOfGit } from "./git-programs.ts";
import { must, wording } from "../../kernel/index.ts";
import { decideEverywhere, decideReads, expandHome, liesAbove, mayNameFolder, patternMayBeOption, type Place } from "./decide-reads.ts";
import { projectsProgram } from "./project-programs.ts";
import { bringsPrograms, makesFiles, rearranges } from "./rearranges.ts";
import { hasCapability } from "./rights.ts";
import { searchedSecret } from "./searched-secrets.ts";
import { foreignWork } from "./session-isolation.ts";
import { findCommandRule, findDomainRule, findLineRule, findMentionedRule, type RuleHit } from "./rules.ts";
import { CODE_OPTIONS, FILE_COMMANDS, HARMLESS_VARIABLES, PRIVILEGED, SAFE_COMMANDS, WIDENED, type SafeCommand } from "./safe-lists.ts";
import { allow, ask, combine, deny, denyByRule, type Decision, type PermissionContext, type Remember } from "./types.ts";

const MAX_FOLDERS = 8;
/** Of a command in a reason; whoever asks a user shows the whole line as well. */
const MAX_REASON_CHARS = 200;
const NO_EFFECT = new Set(["/dev/null", "/dev/stdout", "/dev/stderr", "/dev/stdin"]);

/** Whether the word could turn out to be an option. */
function mayBeOption(place: Place, word: Word): boolean {
  if (word.value !== undefined) return word.value.startsWith("-");
  if (word.glob && !word.computed && word.leading === "") return patternMayBeOption(place, word.source);
  return word.splits || word.leading === "" || word.leading.startsWith("-");
}

/** `--out` is `--output` for many programs; short options hide in clusters. */
export function isForbidden(argument: string, forbidden: readonly string[]): boolean {
  const name = must(argument.split("=")[0]);
  return forbidden.some((option) => {
    if (option.startsWith("--")) return name.length >= 3 && name.startsWith("--") && option.startsWith(name);
    if (option.length === 2 && !argument.startsWith("--")) return argument.startsWith("-") && argument.slice(1).includes(option.slice(1));
    return name === option || name === `-${option}`;
  });
}

/** Options of git's committing commands that take text or names from a file anywhere, or start a program of the configuration's. */
const GIT_COMMIT_FORBIDDEN = [
  "-F",
  "--file",
  "-t",
  "--template",
  "--pathspec-from-file",
  "-S",
  "--gpg-sign",
  "-e",
  "--edit",
  "-p",
  "--patch",
  "-i",
  "--interactive",
];

/** What is known of each before it runs. */
const wordsOf = (args: readonly Word[]): string[] => args.map((w) => w.value ?? w.source);

/** Words that are no options: those without a dash, and all after `--`. */
function plainWords(args: readonly Word[]): Word[] {
  const end = args.findIndex((w) => w.value === "--");
  return args.filter((w, i) => i !== end && ((end !== -1 && i > end) || w.value?.startsWith("-") !== true));
}

function coversArguments(place: Place, safe: SafeCommand, args: readonly Word[]): boolean {
  const { forbidden, options, argumentForm, maxArguments, maxChars } = safe;
  if (maxChars !== undefined && args.some((w) => (w.value ?? w.source).length > maxChars)) return false;
  const isOption = (w: Word): boolean => w.value?.startsWith("-") === true;
  if (options !== undefined && args.some((w) => (w.value === undefined ? mayBeOption(place, w) : isOption(w) && !options.test(w.value))))
    return false;
  if (forbidden !== undefined && args.some((w) => (w.value === undefined ? mayBeOption(place, w) : isForbidden(w.value, forbidden))))
    return false;
  const plain = plainWords(args);
  // A pattern may become several words.
  if (maxArguments !== undefined && (plain.length > maxArguments || plain.some((w) => w.value === undefined))) return false;
  if (argumentForm === undefined) return true;
  // sed: the first plain argument is the script; make: every one is a target; jq: what it takes for no option is its program.
  const checked = safe.command === "sed" ? plain.slice(0, 1) : safe.command === "jq" ? args : plain;
  return checked.every((w) => w.value !== undefined && argumentForm.test(w.value)) && (safe.command !== "sed" || plain.length > 0);
}

function decideSafe(place: Place, { name, args }: Invocation): Decision | undefined {
  if (!place.context.useSafeLists) return undefined;
  const words = [name, ...args.map((w) => w.value)];
  for (const safe of SAFE_COMMANDS) {
    const wanted = safe.command.split(" ");
    if (!wanted.every((token, i) => token === words[i])) continue;
    const rest = args.slice(wanted.length - 1);
    if (!coversArguments(place, safe, rest) || (safe.filesOnly === true && mayNameFolder(place, rest))) return undefined;
    if (safe.steeredBy !== undefined && !place.context.buildsAreSafe && liesAbove(place, safe.steeredBy)) return undefined;
    if (safe.class === "build" && (!place.context.buildsAreSafe || !hasCapability(place.context.role, "execute"))) return undefined;
    const reads =
      safe.reads === true
        ? decideReads(place, safe.command === "sed" ? rest.slice(rest.findIndex((w) => !mayBeOption(place, w)) + 1) : rest)
        : [];
    const secret = safe.searches === true && !place.context.buildsAreSafe ? searchedSecret(place, rest) : undefined;
    const searched = secret === undefined ? [] : [ask(`search where ${secret} may be shown`)];
    return combine([allow(safe.class === "build" ? "safe_list_build" : "safe_list", safe.command), ...reads, ...searched]);
  }
  return decideCheckProgram(place, words, args);
}

/** Ways to start a program that the project has installed; each only where it is really there. */
const STARTERS: readonly (readonly string[])[] = [["npx", "--no-install"], ["npx"], ["pnpm", "exec"]];
const LOCAL_PROGRAM = /^(?:\.\/)?node_modules\/\.bin\/([\w.-]+)$/u;

/** The program of a check, with other arguments: one test file, one name. Only where the sandbox bounds it. */
function decideCheckProgram(place: Place, words: readonly (string | undefined)[], args: readonly Word[]): Decision | undefined {
  const { context } = place;
  if (!context.buildsAreSafe || !hasCapability(context.role, "execute") || args.some((w) => w.value === undefined)) return undefined;
  const starter = STARTERS.find((wanted) => wanted.every((token, i) => token === words[i]));
  const rest = words.slice(starter?.length ?? 0);
  if (starter !== undefined && !liesAbove(place, `node_modules/.bin/${rest[0] ?? ""}`)) return undefined;
  const [first = "", ...others] = rest;
  const asked = [LOCAL_PROGRAM.exec(first)?.[1] ?? first, ...others];
  const known = (context.checkPrograms ?? []).find((wanted) => wanted.length > 0 && wanted.every((token, i) => token === asked[i]));
  if (known === undefined) return undefined;
  const files = args.slice(words.length - rest.length - 1 + known.length);
  return combine([allow("safe_list_build", `what the check ${known.join(" ")} runs`), ...decideReads(place, files)]);
}

/** `rm`, `mkdir` and the like: allowed exactly where the files they name may be changed. */
function decideFileCommand(place: Place, { name, args }: Invocation): Decision | undefined {
  const spec = Object.hasOwn(FILE_COMMANDS, name) ? FILE_COMMANDS[name] : undefined;
  if (spec === undefined || args.length === 0) return undefined;
  const decisions: Decision[] = [];
  for (const word of args) {
    const text = expandHome(word, place.context.home);
    if (text === undefined || text === "") return undefined;
    if (text.startsWith("-")) {
      if (!spec.flags.test(text)) return undefined;
    } else {
      decisions.push(decideEverywhere(place, text, spec.access));
      // A copy of a file that may not be read is that file; of a folder, all that is closed for standing in it.
      if (spec.copies === true)
        decisions.push(decideEverywhere(place, text, "read"), decideEverywhere(place, path.join(text, "*"), "read"));
    }
  }
  // Outside the work tree the question is about the command, not about a path rule.
  return decisions.length > 0 && decisions.every((d) => d.kind !== "ask") ? combine(decisions) : undefined;
}

/** The sub-command that may be allowed for good; nothing when its arguments could make it run or write anything. */
function widened(name: string, args: readonly Word[]): Remember[] {
  const words = [name, ...args.map((w) => w.value)];
  const prefix = WIDENED.map((command) => command.split(" ")).find((wanted) =>
    wanted.every((token, i) => (token === "*" ? /^[A-Za-z][\w:.-]*$/.test(words[i] ?? "") : token === words[i])),
  );
  return prefix === undefined ? [] : [{ kind: "command", value: words.slice(0, prefix.length).join(" ") }];
}

/** The host of a plain fetch that only prints what it gets; undefined for every other use of the network. */
function fetchedHost(name: string, args: readonly Word[]): string | undefined {
  if (name !== "curl" || args.some((w) => w.value === undefined)) return undefined;
  const hosts = new Set<string>();
  for (const { value = "" } of args) {
    if (/^(?:-[sSfI]+|--(?:silent|show-error|fail|head|compressed))$/.test(value)) continue;
    const host = /^https:\/\/([a-z0-9-]+(?:\.[a-z0-9-]+)+)(?::\d+)?(?:\/[^\s{}[\]]*)?$/.exec(value)?.[1];
    if (host === undefined) return undefined;
    hosts.add(host);
  }
  return hosts.size === 1 ? [...hosts][0] : undefined;
}

function decideFetch(context: PermissionContext, host: string, shown: string): Decision {
  const listed = findDomainRule(context.rules, host);
  if (listed?.effect === "deny") return denyByRule(listed.scope, `${host} is closed by the rule ${listed.rule}`);
  return listed === undefined ? ask(`run ${shown}`, { kind: "domain", value: host }) : allow(`${listed.scope}_allowlist`, listed.rule);
}

function decideProgram(place: Place, invocation: Invocation, listed: RuleHit | undefined): Decision {
  const { name, args, transparent } = invocation;
  const { context } = place;
  const shown = wording.shorten([name, ...args.map((w) => w.value ?? w.source)].join(" "), MAX_REASON_CHARS);
  if (name === "") return allow("wrapper", "no command");
  // Without a sandbox it could do anything, whatever it is called.
  const theirs = context.buildsAreSafe || listed?.effect === "allow" ? undefined : projectsProgram(place, name);
  if (theirs !== undefined)
    return hasCapability(context.role, "execute")
      ? ask(`run ${shown}, which is ${theirs} here`)
      : deny("role_insufficient", `${context.role.id} may only run commands that look: not ${theirs}`);
  if (transparent) return allow("wrapper", name);
  if (PRIVILEGED.has(name)) return ask(`run ${shown} with more rights`);
  if (path.posix.basename(name) === "git") {
    const sub = args.findIndex((w) => w.value?.startsWith("-") !== true);
    const operation = args[sub]?.value;
    if (operation === undefined) return ask(`run ${shown}`);
    const gitArgs = args.slice(sub + 1);
    const foreign = context.role.git === "all" ? undefined : foreignWork(operation, wordsOf(args), context.roots);
    if (foreign !== undefined) return deny("session_isolation", foreign);
    const git = decideGit({
      role: context.role,
      operation,
      args: gitArgs.map((w) => w.value ?? "--undecided"),
      ...(context.testsImproved === undefined ? {} : { testsImproved: context.testsImproved }),
    });
    if (git.kind === "denied") return deny("git_matrix", git.reason);
    const unbounded = !context.buildsAreSafe && listed?.effect !== "allow";
    if (unbounded && place.lost) return ask(`run ${shown} in a folder that is decided at run time`);
    const question = unbounded ? questionOfGit(context.cwd, place.folders) : undefined;
    if (question !== undefined) return ask(`run ${shown} ${question}`);
    const isPlain = sub === 0 && gitArgs.every((w) => w.value !== undefined);
    const outside = gitArgs.some((w) => w.value === undefined || isForbidden(w.value, GIT_COMMIT_FORBIDDEN));
    if (git.class === "commit" && isPlain && name === "git" && !outside) {
      // What is added becomes readable in history, so it is judged like any other read.
      const reads =
        operation === "add"
          ? decideReads(
              place,
              gitArgs.filter((w) => w.value?.startsWith("-") !== true),
            )
          : [];
      return combine([allow("git_matrix", `git ${operation}`), ...reads]);
    }
  }
  const codeOptions = Object.hasOwn(CODE_OPTIONS, path.posix.basename(name)) ? must(CODE_OPTIONS[path.posix.basename(name)]) : [];
  const runsCode =
    codeOptions.length > 0 && args.some((w) => (w.value === undefined ? mayBeOption(place, w) : isForbidden(w.value, codeOptions)));
  const safe = decideSafe(place, invocation) ?? decideFileCommand(place, invocation);
  if (safe !== undefined && safe.kind !== "ask") return safe;
  if (!hasCapability(context.role, "execute"))
    return deny("role_insufficient", `${context.role.id} may only run commands that look: not ${shown}`);
  if (listed?.effect === "allow" && !runsCode) return allow(`${listed.scope}_allowlist`, listed.rule);
  if (safe !== undefined) return safe;
  const host = fetchedHost(name, args);
  if (host !== undefined) return decideFetch(context, host, shown);
  return ask(`run ${shown}`, ...(runsCode ? [] : widened(name, args)));
}

function decideSurroundings(place: Place, invocation: Invocation): Decision[] {
  const decisions: Decision[] = [];
  for (const { name } of invocation.assignments) {
    if (!HARMLESS_VARIABLES.some((pattern) => pattern.test(name))) decisions.push(ask(`set the variable ${name} for a command`));
  }
  for (const { operator, target } of invocation.redirects) {
    if (operator === "<<" || operator === "<<<") continue;
    const file = expandHome(target, place.context.home);
    if (file !== undefined && ((/^[<>]&$/.test(operator) && /^(?:[0-9]+|-)$/.test(file)) || NO_EFFECT.has(file))) continue;
    if (file === undefined) decisions.push(ask(`redirect to ${target.source}, which is decided at run time`));
    else if (operator === "<") decisions.push(decideEverywhere(place, file, "read"));
    else decisions.push(decideEverywhere(place, file, "write"));
  }
  return decisions;
}

function follow(place: Place, { name, args }: Invocation): void {
  if (name === "pushd" || name === "popd") place.lost = true;
  if (name !== "cd") return;
  const target = args.length === 0 ? place.context.home : args.length === 1 ? expandHome(must(args[0]), place.context.home) : undefined;
  if (target === undefined || target.startsWith("-")) place.lost = true;
  else place.folders = [...new Set([...place.folders, ...place.folders.map((from) => path.resolve(from, target))])];
  if (place.folders.length > MAX_FOLDERS) place.lost = true;
}

function decideCommands(context: PermissionContext, commands: readonly SimpleCommand[], line: string): Decision {
  if (!hasCapability(context.role, "execute") && !hasCapability(context.role, "execute_inspection"))
    return deny("role_insufficient", `${context.role.id} may not run commands`);
  const { invocations, ...unwrapped } = unwrapCommands(commands);
  const rules = invocations.map(({ name, args }) => findCommandRule(context.rules, [name, ...args.map((w) => w.value)]));
  const denied = rules.find((hit) => hit?.effect === "deny");
  if (denied !== undefined) return denyByRule(denied.scope, `the rule ${denied.rule} forbids it`);
  const isOpaque = unwrapped.kind === "unclear" || invocations.some(({ name }) => PRIVILEGED.has(name));
  const hidden = isOpaque ? findMentionedRule(context.rules, line) : undefined;
  if (hidden !== undefined)
    return denyByRule(hidden.scope, `the rule ${hidden.rule} may forbid it, and the command is not fully understood`);
  const approved = findLineRule(context.rules, line);
  const place: Place = {
    context,
    folders: [context.cwd],
    lost: false,
    makesFiles: makesFiles(invocations),
    bringsPrograms: false,
  };
  const decisions = invocations.map((invocation, i) => {
    place.bringsPrograms = bringsPrograms(invocations, invocation);
    const decision = combine([decideProgram(place, invocation, rules[i]), ...decideSurroundings(place, invocation)]);
    follow(place, invocation);
    return decision;
  });
  if (unwrapped.kind === "unclear") decisions.push(ask(unwrapped.reason));
  if (rearranges(place, invocations)) decisions.push(ask("use files which the same line moves or brings"));
  const all = combine(decisions);
  if (all.kind !== "ask") return all;
  if (approved !== undefined && hasCapability(context.role, "execute")) return allow(`${approved.scope}_allowlist`, "approved line");
  // A line that uses files elsewhere is kept as it stands, not as a right to that place.
  const wider = all.offers.filter((offer) => offer.every((r) => r.kind !== "path"));
  return { ...all, offers: [[{ kind: "line", value: line }], ...(unwrapped.kind === "clear" ? wider : [])] };
}

/** Judges a whole line for `sh -c`. */
export function decideShellLine(context: PermissionContext, line: string): Decision {
  const parsed = parseShell(line);
  if (parsed.kind === "parsed") return decideCommands(context, parsed.commands, line);
  if (!hasCapability(context.role, "execute")) return deny("role_insufficient", `${context.role.id} may only run commands that look`);
  const denied = findMentionedRule(context.rules, line);
  if (denied !== undefined) return denyByRule(denied.scope, `the rule ${denied.rule} may forbid it, and the line is not fully understood`);
  const approved = findLineRule(context.rules, line);
  if (approved !== undefined) return allow(`${approved.scope}_allowlist`, "approved line");
  return ask(`run a line that is not fully understood (${parsed.reason})`, { kind: "line", value: line });
}

/** A program and its arguments as a line that means the same in a shell. */
export function lineOf(argv: readonly string[]): string {
  const isPlain = (word: string): boolean => /^(?:-[\w./:=@%+,-]*|[\w./:@%+,-]+)$/.test(word);
  return argv.map((word) => (isPlain(word) ? word : `'${word.replaceAll("'", "'\\''")}'`)).join(" ");
}

/** Judges a program started without a shell. */
export function decideArguments(context: PermissionContext, argv: readonly string[]): Decision {
  return decideCommands(context, [{ assignments: [], words: argv.map(literalWord), redirects: [] }], lineOf(argv));
}
