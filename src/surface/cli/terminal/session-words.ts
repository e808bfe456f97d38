/** What can be said with a slash in a session: words of the command line under the names people know them by. */
import { wording } from "../../../kernel/index.ts";

interface SessionWord {
  name: string;
  description: string;
  /** The words it stands for; what follows it is put behind them. */
  args: readonly string[];
  /** What is put behind them when nothing follows. */
  otherwise?: readonly string[];
}

/** A task of this folder, where nothing else is named. */
const LAST = ["last"];

const WORDS: readonly SessionWord[] = [
  { name: "agents", description: "the roles, and where each of their fields comes from", args: ["agents"], otherwise: ["list"] },
  { name: "answer", description: "answer what waits for you, while the rest goes on: /answer 4m2kq7ds yes", args: ["answer"] },
  { name: "ask", description: "answer from what is known, without a task", args: ["ask"] },
  { name: "btw", description: "ask beside the work, which goes on: answered from what is known", args: ["ask"] },
  { name: "config", description: "what is set, and where; /config list shows every setting", args: ["config"] },
  {
    name: "context",
    description: "what the input of the step under way, or the last one, is made of, by tokens",
    args: ["task", "context", "--sections"],
    otherwise: LAST,
  },
  { name: "continue", description: "go on with a request of earlier; you choose which", args: ["session", "continue"] },
  { name: "cost", description: "what was spent", args: ["usage"] },
  { name: "demo", description: "a recorded request from a sentence to merged code", args: ["demo"] },
  { name: "diff", description: "what was changed last here, or what is at work changed so far", args: ["task", "diff"] },
  { name: "doctor", description: "whether this machine is ready", args: ["doctor"] },
  {
    name: "export",
    description: "a request with all its events, as a file",
    args: ["session", "export", "last", "-o"],
    otherwise: ["sylk-session.json"],
  },
  { name: "hooks", description: "the hooks that would run", args: ["hooks"], otherwise: ["list"] },
  { name: "init", description: "make this folder a project of Sylk", args: ["init"] },
  {
    name: "mcp",
    description: "MCP servers that agents may use; /server:prompt says one of a server's prompts",
    args: ["mcp"],
    otherwise: ["list"],
  },
  { name: "merge", description: "bring a task's work tree into your folder: /merge last", args: ["task", "merge"], otherwise: LAST },
  { name: "memory", description: "what is remembered", args: ["memory"], otherwise: ["show"] },
  { name: "permissions", description: "what may be done without asking", args: ["permissions"], otherwise: ["list"] },
  { name: "questions", description: "what waits for you", args: ["questions"] },
  { name: "resume", description: "go on with the last task", args: ["task", "resume"], otherwise: LAST },
  { name: "review", description: "the Inspector looks at what is not committed, or at a range", args: ["review"] },
  { name: "search", description: "find code and what was done", args: ["search"] },
  { name: "sessions", description: "requests, newest first", args: ["session", "list"] },
  { name: "skills", description: "the skills there are", args: ["skill"], otherwise: ["list"] },
  {
    name: "task",
    description: "one verified task in this folder, without planning; `/task n1 pause` speaks of a piece of the last request",
    args: ["exec"],
  },
  { name: "tasks", description: "tasks, newest first", args: ["task", "list"] },
  { name: "trust", description: "what this folder brings, and what you said about it", args: ["trust"], otherwise: ["status"] },
  { name: "undo", description: "take back what was changed last and not undone", args: ["task", "undo"] },
  { name: "usage", description: "what was spent", args: ["usage"] },
  { name: "why", description: "why a line is as it is: /why path:line", args: ["why"] },
];

/** These the session does itself; `command`: the word of the command line they stand beside in help. */
const OWN_WORDS = [
  { name: "clear", description: "an empty screen; nothing is forgotten", command: "completion" },
  { name: "compact", description: "there is nothing to compact", command: "completion" },
  { name: "exit", description: "leave", command: "completion" },
  { name: "help", description: "these keys and words", command: "completion" },
  { name: "login", description: "a provider's key, or the address of a local server", command: "auth" },
  { name: "model", description: "the models there are; /model name uses another for what you say next", command: "models" },
  { name: "quit", description: "leave; so does exit or quit without a slash", command: "completion" },
  { name: "rewind", description: "back to a step of the last task, files and all; also Escape twice", command: "task" },
] as const;

/** These are a request's own; see `sylk run "/help"`. */
const REQUEST_WORDS = [
  { name: "plan", description: "plan what follows, and build nothing", command: "plan" },
  { name: "add", description: "want something beside the last request; its plan is changed", command: "run" },
  { name: "approve", description: "approve the plan that waits, and go on", command: "run" },
  { name: "status", description: "how the last request stands", command: "status" },
  { name: "pause", description: "nothing new begins", command: "session" },
  { name: "stop", description: "end the last request", command: "session" },
] as const;

export const ALL_WORDS = [...WORDS.map((word) => ({ ...word, command: word.args[0] ?? "" })), ...OWN_WORDS, ...REQUEST_WORDS]
  .map(({ name, description, command }) => ({ name, description, command }))
  .toSorted((a, b) => (a.name < b.name ? -1 : 1));

type Said =
  | { kind: "own"; name: (typeof OWN_WORDS)[number]["name"]; rest: string }
  | { kind: "command"; args: string[] }
  /** To be run as it is. */
  | { kind: "shell"; line: string }
  /** A prompt of an MCP server, to be said as a request. */
  | { kind: "prompt"; server: string; prompt: string; words: string[] }
  | { kind: "wrong"; message: string; fix: string };

/** Words as a shell reads them, as far as quotes go. */
function splitWords(text: string): string[] {
  const words = text.match(/(?:[^\s"']|"(?:\\.|[^"\\])*"|'[^']*'|["'])+/gu) ?? [];
  return words.map((word) =>
    word.replaceAll(/"((?:\\.|[^"\\])*)"|'([^']*)'/gu, (_all, double: string | undefined, single: string | undefined) =>
      double === undefined ? (single ?? "") : double.replaceAll(/\\(.)/gu, "$1"),
    ),
  );
}

/** `/task n1 …` speaks of a piece of the last request; with other words it is a task of its own. */
const OF_PIECE = /^\/task\s+n?\d{1,2}(?:\s+(?:prompt|query|interrupt|pause|resume|cancel|ignore_inspector|ignore_tester)\b|\s*$)/u;
/** These are carried out while something else runs: what they are about is what runs. */
const AT_ONCE = /^\/(?:add|answer|btw|status|pause|stop|questions)\b/u;
/** And these only look: they are answered beside what runs. */
const LOOKS = /^(?:\/(?:agents|ask|context|cost|diff|help|model|search|sessions|tasks|usage|why)(?=\s|$)|!)/u;
export const isAtOnce = (text: string): boolean => AT_ONCE.test(text.trim()) || LOOKS.test(text.trim()) || OF_PIECE.test(text.trim());

/** A path has another slash in it. */
const SLASH = /^\/(?<name>[a-z][a-z0-9_:-]*)(?:\s+(?<rest>[\s\S]*))?$/u;

/** `/server:prompt` and what fills it in. */
const PROMPT = /^\/(?<server>[a-z0-9_-]+):(?<prompt>[\w.-]+)(?:\s+(?<rest>[\s\S]*))?$/u;

/** `@librarian …` is a question to that role, which looks and changes nothing. */
const TO_ROLE = /^@(?<role>[a-z][a-z0-9_-]*)[\s,:]+(?<asked>\S[\s\S]*)$/u;

/** Of a request, as a session says it. */
const OF_REQUEST: readonly Pick<SessionWord, "name" | "args">[] = [
  { name: "resume", args: ["session", "resume"] },
  { name: "undo", args: ["session", "undo"] },
  { name: "status", args: ["session", "show"] },
];

/** Words of the command line as they are said here; those without a name of their own stay as a shell knows them. */
export function slashOf(words: string): string {
  const said = [...OF_REQUEST, ...WORDS].find(({ args }) => `${words} `.startsWith(`${args.join(" ")} `));
  return said === undefined ? `sylk ${words}` : `/${said.name}${words.slice(said.args.join(" ").length)}`;
}

/** Said without a slash as well. */
const LEAVES = /^(?:exit|quit)$/iu;

/** Plain words: no word of the session, no line for the shell, nothing for a role. */
export function isSaid(text: string, roles: readonly string[]): boolean {
  const said = text.trim();
  return (
    !LEAVES.test(said) &&
    !SLASH.test(said) &&
    !PROMPT.test(said) &&
    !said.startsWith("!") &&
    !roles.includes(TO_ROLE.exec(said)?.groups?.["role"] ?? "")
  );
}

/** `written`: words people wrote down themselves, which stand for a request; `roles`: who can be asked by name. */
export function readWords(text: string, written: readonly string[], roles: readonly string[]): Said {
  if (LEAVES.test(text.trim())) return { kind: "own", name: "quit", rest: "" };
  const line = /^!\s*(?<line>\S[\s\S]*)$/u.exec(text.trim())?.groups?.["line"];
  if (line !== undefined) return { kind: "shell", line };
  const { server, prompt, rest: words = "" } = PROMPT.exec(text.trim())?.groups ?? {};
  if (server !== undefined && prompt !== undefined && !written.includes(`${server}:${prompt}`))
    return { kind: "prompt", server, prompt, words: splitWords(words) };
  const { role, asked } = TO_ROLE.exec(text.trim())?.groups ?? {};
  if (role !== undefined && asked !== undefined && roles.includes(role))
    return { kind: "command", args: ["exec", "--role", role, "--type", "discover", "--no-checks", "--", asked] };
  const said = SLASH.exec(text.trim())?.groups;
  if (said === undefined) return { kind: "command", args: ["run", "--", text.trim()] };
  const { name = "", rest = "" } = said;
  const own = OWN_WORDS.find((one) => one.name === name);
  if (own !== undefined) return { kind: "own", name: own.name, rest: rest.trim() };
  if (REQUEST_WORDS.some((one) => one.name === name) || OF_PIECE.test(text.trim()))
    return { kind: "command", args: ["run", "--", text.trim()] };
  const word = WORDS.find((one) => one.name === name);
  if (word !== undefined) {
    const behind = rest.trim() === "" ? (word.otherwise ?? []) : splitWords(rest);
    return { kind: "command", args: [...word.args, ...behind] };
  }
  if (written.includes(name)) return { kind: "command", args: ["run", "--", text.trim()] };
  const near = wording.nearest(name, [...ALL_WORDS.map((one) => one.name), ...written]);
  return {
    kind: "wrong",
    message: `there is no /${name}`,
    fix: near === undefined ? "/help lists what there is" : `did you mean /${near}?`,
  };
}
