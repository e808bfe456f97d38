/** A goal said without a verb: `sylk "fix the bug"` and `sylk -p "fix the bug"` start a task. */
import { COMMANDS } from "./command-table.ts";

const PRINT = ["-p", "--print"];
/** Options commander knows of itself. */
const ASKS = ["-h", "--help", "-V", "--version"];

export function withVerb(args: readonly string[]): readonly string[] {
  const [first = ""] = args;
  if (first === "-v") return ["--version", ...args.slice(1)];
  if (PRINT.includes(first)) return ["exec", ...args.slice(1)];
  const isWord = first === "help" || ASKS.includes(first) || COMMANDS.some(({ name }) => name === first);
  const saysMore = args.some((arg) => !arg.startsWith("-") && /\s/.test(arg.trim()));
  return !isWord && saysMore ? ["exec", ...args] : args;
}
