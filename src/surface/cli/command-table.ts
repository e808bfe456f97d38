/** Every sub-command, by what people do with it, what is used most first. A module is loaded only when its command runs. */
import type { CommandEntry } from "./command.ts";

const group = (heading: string, entries: readonly Omit<CommandEntry, "group">[]): CommandEntry[] =>
  entries.map((entry) => ({ ...entry, group: `${heading}:` }));

export const COMMANDS: readonly CommandEntry[] = [
  ...group("Say what you want", [
    { name: "run", summary: "from a sentence to merged, tested code: plan, build, judge, merge", load: () => import("./commands/run.ts") },
    {
      name: "plan",
      summary: "a request's plan, and nothing built until you say so",
      load: async () => ({ command: (await import("./commands/run.ts")).planCommand }),
    },
    { name: "exec", summary: 'start a task in one word: `sylk exec "…"`, or just `sylk "…"`', load: () => import("./commands/exec.ts") },
    { name: "ask", summary: "answer a question about this project, with its sources", load: () => import("./commands/ask.ts") },
    { name: "review", summary: "look at a change, of any commits, without changing anything", load: () => import("./commands/review.ts") },
    { name: "demo", summary: "watch a request become merged code, in a copy and without a key", load: () => import("./commands/demo.ts") },
  ]),
  ...group("See how it stands", [
    { name: "status", summary: "one screen: what runs, what waits for you, what today cost", load: () => import("./commands/status.ts") },
    { name: "questions", summary: "what tasks and skills ask you", load: () => import("./commands/questions.ts") },
    { name: "answer", summary: "answer a question, from any terminal", load: () => import("./commands/answer.ts") },
    {
      name: "session",
      summary: "requests: list, search, show, attach, logs, resume, pause, stop, fork, export",
      load: () => import("./commands/session.ts"),
    },
    { name: "task", summary: "start, watch, resume and inspect tasks", load: () => import("./commands/task.ts") },
    { name: "goal", summary: "what the goal monitor saw", load: () => import("./commands/goal.ts") },
  ]),
  ...group("Set it up", [
    { name: "init", summary: "prepare this folder as a Sylk project", load: () => import("./commands/init.ts") },
    { name: "auth", summary: "keys of model providers and tools", load: () => import("./commands/auth.ts") },
    { name: "models", summary: "list and try models", load: () => import("./commands/models.ts") },
    { name: "config", summary: "show and change settings", load: () => import("./commands/config.ts") },
    {
      name: "doctor",
      summary: "check this machine and project, and say how to fix what is wrong",
      load: () => import("./commands/doctor.ts"),
    },
    {
      name: "import",
      summary: "bring rules, skills, commands, servers, roles and open tasks of another tool along",
      load: () => import("./commands/import.ts"),
    },
    { name: "trust", summary: "what this folder brings, and whether you let it count", load: () => import("./commands/trust.ts") },
  ]),
  ...group("Find out about the project", [
    { name: "search", summary: "find code, documents and what was done before", load: () => import("./commands/search.ts") },
    { name: "why", summary: "why a file, or a line of it, is as it is", load: () => import("./commands/why.ts") },
    {
      name: "map",
      summary: "the project in a page: its most important files and what they define",
      load: () => import("./commands/map.ts"),
    },
    { name: "history", summary: "what was done, said and decided; import conversations", load: () => import("./commands/history.ts") },
    { name: "index", summary: "read the project so that it can be searched", load: () => import("./commands/index-project.ts") },
    { name: "knowledge", summary: "state of the index; verify and rebuild it", load: () => import("./commands/knowledge.ts") },
  ]),
  ...group("What agents may do, know and use", [
    { name: "permissions", summary: "what agents may do here", load: () => import("./commands/permissions.ts") },
    { name: "sandbox", summary: "how commands are kept apart from your machine", load: () => import("./commands/sandbox.ts") },
    { name: "secrets", summary: "find and redact secrets in files and text", load: () => import("./commands/secrets.ts") },
    {
      name: "agents",
      summary: "the roles that work here, and where each of their fields comes from",
      load: () => import("./commands/agents.ts"),
    },
    { name: "hooks", summary: "programs of yours that are asked about what agents do", load: () => import("./commands/hooks.ts") },
    {
      name: "memory",
      summary: "what agents remember: read, save, refresh, check, undo, forget",
      load: () => import("./commands/memory.ts"),
    },
    { name: "skill", summary: "create, check and install skills for your coding agents", load: () => import("./commands/skill.ts") },
    {
      name: "mcp",
      summary: "serve this project's knowledge to other agents; servers that agents here may use",
      load: () => import("./commands/mcp.ts"),
    },
    { name: "tools", summary: "how this project is formatted, linted, tested and built", load: () => import("./commands/tools.ts") },
  ]),
  ...group("What happened, and what it cost", [
    { name: "usage", summary: "tokens, money and calls, by whom and for what", load: () => import("./commands/usage.ts") },
    { name: "audit", summary: "who did what, permitted by which rule", load: () => import("./commands/audit.ts") },
    { name: "journal", summary: "read, verify, export and repair the journal", load: () => import("./commands/journal.ts") },
    { name: "record", summary: "a request that has ended, as a file that can be played again", load: () => import("./commands/record.ts") },
    {
      name: "replay",
      summary: "play a recorded request in a copy, and tell whether it ends the same",
      load: () => import("./commands/replay.ts"),
    },
  ]),
  ...group("Around it", [
    { name: "serve", summary: "let other programs of this machine use this project", load: () => import("./commands/serve.ts") },
    { name: "update", summary: "how to get the newest version, and which that is", load: () => import("./commands/update.ts") },
    { name: "completion", summary: "print a completion script for your shell", load: () => import("./commands/completion.ts") },
  ]),
];
