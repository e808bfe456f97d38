/** What is said with a slash is a command, matched by this table and what people wrote themselves: no model is asked for it. */
import { wording } from "../../kernel/index.ts";
import type { Result } from "../../protocol/api/index.ts";
import { expand, type CustomCommand } from "./custom-commands.ts";

const COMMANDS = [
  { name: "status", does: "status", takes: "id", summary: "how the last request, or the one named, stands" },
  { name: "tasks", does: "tasks", takes: "nothing", summary: "the tasks, newest first" },
  { name: "sessions", does: "sessions", takes: "nothing", summary: "the requests, newest first" },
  { name: "plan", does: "plan", takes: "words", summary: "plan what follows, and build nothing", example: "add a --json flag" },
  {
    name: "task",
    does: "task",
    takes: "words",
    summary: "one piece of the last request: prompt <words>, query, interrupt, resume, cancel, ignore_inspector, ignore_tester",
    example: "n1 prompt keep it short",
  },
  {
    name: "add",
    does: "add",
    takes: "words",
    summary: "want something beside the last request: its plan is changed, what is merged stays",
    example: "and a --json flag",
  },
  { name: "approve", does: "approve", takes: "id", summary: "approve the plan that waits, and go on" },
  { name: "interrupt", does: "pause", takes: "id", summary: "nothing new begins; what is under way comes to its end" },
  { name: "pause", does: "pause", takes: "id", summary: "the same" },
  { name: "resume", does: "resume", takes: "id", summary: "go on with it" },
  { name: "stop", does: "stop", takes: "id", summary: "end it and every piece of it" },
  { name: "help", does: "help", takes: "nothing", summary: "these commands" },
] as const;

type SlashCommand = Result<"request.command">;

/** A path has another slash in it. */
const SLASH = /^\/(?<name>[a-z][a-z0-9_:-]*)(?:\s+(?<rest>.*))?$/su;

const help = (): string => COMMANDS.map(({ name, summary }) => `/${name.padEnd(10)} ${summary}`).join("\n");

/** `own`: what people wrote themselves; a name of the table stays the table's. */
export function commandOf(words: string, own: readonly CustomCommand[]): SlashCommand {
  const said = SLASH.exec(words.trim())?.groups;
  if (said === undefined) return { kind: "none" };
  const { name = "", rest = "" } = said;
  const found = COMMANDS.find((one) => one.name === name);
  if (found === undefined) {
    const custom = own.find((one) => one.name === name && one.idle === undefined);
    if (custom !== undefined) return { kind: "request", words: expand(custom, rest) };
    const idle = own.find((one) => one.name === name);
    if (idle !== undefined) return { kind: "wrong", message: `/${name} does not count: ${idle.file}`, fix: idle.idle ?? "" };
    const near = wording.nearest(name, [...COMMANDS.map((one) => one.name), ...own.map((one) => one.name)]);
    const fix = near === undefined ? "`/help` lists them; a request begins with another sign" : `did you mean /${near}?`;
    return { kind: "wrong", message: `there is no command /${name}`, fix };
  }
  const { does, takes } = found;
  if (takes === "words" && rest.trim() === "") return { kind: "wrong", message: `/${name} needs words`, fix: `/${name} ${found.example}` };
  if ((takes === "nothing" && rest.trim() !== "") || (takes === "id" && /\s/u.test(rest.trim())))
    return { kind: "wrong", message: `/${name} takes ${takes === "id" ? "one id at most" : "nothing more"}`, fix: `say only /${name}` };
  return { kind: "command", does, rest: rest.trim(), help: help() };
}
