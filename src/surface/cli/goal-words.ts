/** A goal said without a verb: `sylk "fix the bug"`, `sylk -p "fix the bug"`, `sylk -- fix` and `sylk fix -m gpt-5` start a task. */
import { COMMANDS } from "./command-table.ts";
import { meantBy } from "./unknown-words.ts";

const PRINT = ["-p", "--print"];
/** The last request, and the one that is named or chosen. */
const CONTINUE = ["-c", "--continue"];
const RESUME = ["-r", "--resume"];
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

/** These open a session where there is a terminal; what they stand for comes first in it. */
export const opensSession = ([first = ""]: readonly string[]): boolean => [...CONTINUE, ...RESUME].includes(first);

export function withVerb(args: readonly string[]): readonly string[] {
  const [first = ""] = args;
  if (first === "-v") return ["--version", ...args.slice(1)];
  if (PRINT.includes(first)) return ["exec", ...args.slice(1)];
  if (CONTINUE.includes(first)) return ["session", "continue", "last", ...args.slice(1)];
  if (RESUME.includes(first)) return ["session", "continue", ...args.slice(1)];
  const isWord = first === "help" || ASKS.includes(first) || COMMANDS.some(({ name }) => name === first);
  const saysMore = args.some((arg) => !arg.startsWith("-") && /\s/.test(arg.trim()));
  const isGoal = saysMore || (first === "--" && args.length > 1) || isShortGoal(args);
  return !isWord && isGoal ? ["exec", ...args] : args;
}
