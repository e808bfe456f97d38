/**
 * A goal said without a verb: `sylk "fix the bug"`, `sylk -m gpt-5 -p "fix the bug"`, `sylk -- fix` and `sylk fix -m gpt-5` start
 * a task; `sylk "what does mul do?"` is a question, and is answered.
 */
import { isPlainQuestion } from "./plain-question.ts";
import { COMMANDS } from "./command-table.ts";
import { SHORT_WORDS } from "./short-words.ts";
import { meantBy } from "./unknown-words.ts";

const PRINT = ["-p", "--print"];
/** The last request, and the one that is named or chosen. */
const CONTINUE = ["-c", "--continue"];
const RESUME = ["-r", "--resume"];
/** Also after `help`. */
function withoutShortWord(args: readonly string[]): readonly string[] {
  const at = args[0] === "help" ? 1 : 0;
  const word = args[at] ?? "";
  return Object.hasOwn(SHORT_WORDS, word) ? [...args.slice(0, at), ...(SHORT_WORDS[word] ?? []), ...args.slice(at + 1)] : args;
}

/** Options commander knows of itself. */
const ASKS = ["-h", "--help", "-V", "--version"];

/** Options that only a start has, so that one word beside them is a goal. */
const OF_START =
  /^(?:-m|-w|--(?:model|check|no-checks|worktree|detach|type|role|criterion|constraint|reproduce|profile|max-steps|given|folder)(?:=.*)?)$/su;

/** One word that nobody could take for a command. */
function isShortGoal(args: readonly string[]): boolean {
  const [first = ""] = args;
  if (!args.some((arg) => OF_START.test(arg))) return false;
  return first.startsWith("-") ? args.length > 1 : meantBy(first) === undefined;
}

/** Options that say nothing of whether something is to be changed; each has a value. */
const OF_BOTH = /^(?:-m|--model|--profile|--image)$/u;

/** The words of a command line without the values of options; undefined: an option says that it is a task. */
function wordsOf(args: readonly string[]): string | undefined {
  const words: string[] = [];
  for (let at = 0; at < args.length; at += 1) {
    const arg = args[at] ?? "";
    if (arg === "--") return [...words, ...args.slice(at + 1)].join(" ");
    if (!arg.startsWith("-")) words.push(arg);
    else if (OF_BOTH.test(arg)) at += 1;
    else if (!OF_BOTH.test(arg.split("=", 1)[0] ?? "")) return undefined;
  }
  return words.join(" ");
}

/** What is plainly a question is answered; everything else is a task. */
function taken(args: readonly string[]): readonly string[] {
  const words = wordsOf(args);
  return words !== undefined && isPlainQuestion(words) ? ["run", "--question", ...args] : ["exec", ...args];
}

/** Asked for anywhere before `--`; beside one word only where that is no command, well or badly spelled. */
function withoutPrint(args: readonly string[]): readonly string[] | undefined {
  const end = args.includes("--") ? args.indexOf("--") : args.length;
  const rest = args.filter((arg, at) => at >= end || !PRINT.includes(arg));
  const [first = ""] = args;
  const isGoal = first.startsWith("-") || /\s/.test(first.trim()) || meantBy(first) === undefined;
  return rest.length < args.length && isGoal ? rest : undefined;
}

/** These open a session where there is a terminal; what they stand for comes first in it. */
export const opensSession = ([first = "", ...rest]: readonly string[]): boolean =>
  [...CONTINUE, ...RESUME, "resume"].includes(first) && !rest.some((arg) => ASKS.includes(arg));

/** What opened a session, as it was said. */
export function saidAs(args: readonly string[]): string {
  const [what, verb, ...rest] = args;
  if (what !== "session" || verb !== "continue") return ["sylk", ...args].join(" ");
  return ["sylk", ...(rest[0] === "--newest" ? ["-c", ...rest.slice(1)] : ["resume", ...rest])].join(" ");
}

export function withVerb(given: readonly string[]): readonly string[] {
  const args = withoutShortWord(given);
  const [first = ""] = args;
  if (first === "-v") return ["--version", ...args.slice(1)];
  if (CONTINUE.includes(first)) return ["session", "continue", "--newest", ...args.slice(1)];
  if (RESUME.includes(first)) return ["session", "continue", ...args.slice(1)];
  const isWord = first === "help" || ASKS.includes(first) || COMMANDS.some(({ name }) => name === first);
  const printed = isWord ? undefined : withoutPrint(args);
  if (printed !== undefined) return taken(printed);
  const saysMore = args.some((arg) => !arg.startsWith("-") && /\s/.test(arg.trim()));
  const isGoal = saysMore || (first === "--" && args.length > 1) || isShortGoal(args);
  return !isWord && isGoal ? taken(args) : args;
}
