/** Every sub-command, by name. A module is loaded only when its command runs. */
import type { CommandModule } from "./command.ts";

export interface CommandEntry {
  name: string;
  summary: string;
  load: () => Promise<{ command: CommandModule }>;
}

export const COMMANDS: readonly CommandEntry[] = [
  { name: "init", summary: "prepare this folder as a Sylk project", load: () => import("./commands/init.ts") },
  {
    name: "doctor",
    summary: "check this machine and project, and say how to fix what is wrong",
    load: () => import("./commands/doctor.ts"),
  },
  { name: "config", summary: "show and change settings", load: () => import("./commands/config.ts") },
  { name: "trust", summary: "what this folder brings, and whether you let it count", load: () => import("./commands/trust.ts") },
  { name: "task", summary: "start, watch, resume and inspect tasks", load: () => import("./commands/task.ts") },
  { name: "goal", summary: "what the goal monitor saw", load: () => import("./commands/goal.ts") },
  { name: "journal", summary: "read, verify, export and repair the journal", load: () => import("./commands/journal.ts") },
  { name: "auth", summary: "keys of model providers and tools", load: () => import("./commands/auth.ts") },
  { name: "permissions", summary: "what agents may do here", load: () => import("./commands/permissions.ts") },
  { name: "secrets", summary: "find and redact secrets in files and text", load: () => import("./commands/secrets.ts") },
  { name: "audit", summary: "who did what, permitted by which rule", load: () => import("./commands/audit.ts") },
  { name: "models", summary: "list and try models", load: () => import("./commands/models.ts") },
  { name: "usage", summary: "tokens, money and calls, by whom and for what", load: () => import("./commands/usage.ts") },
  { name: "tools", summary: "how this project is formatted, linted, tested and built", load: () => import("./commands/tools.ts") },
  { name: "sandbox", summary: "how commands are kept apart from your machine", load: () => import("./commands/sandbox.ts") },
  { name: "memory", summary: "what agents remember: read, save, refresh, check, undo, forget", load: () => import("./commands/memory.ts") },
  { name: "skill", summary: "create, check and install skills for your coding agents", load: () => import("./commands/skill.ts") },
  { name: "search", summary: "find code, documents and what was done before", load: () => import("./commands/search.ts") },
  { name: "ask", summary: "answer a question about this project, with its sources", load: () => import("./commands/ask.ts") },
  { name: "index", summary: "read the project so that it can be searched", load: () => import("./commands/index-project.ts") },
  { name: "map", summary: "the project in a page: its most important files and what they define", load: () => import("./commands/map.ts") },
  { name: "why", summary: "why a file, or a line of it, is as it is", load: () => import("./commands/why.ts") },
  { name: "history", summary: "what was done, said and decided; import conversations", load: () => import("./commands/history.ts") },
  { name: "knowledge", summary: "state of the index; verify and rebuild it", load: () => import("./commands/knowledge.ts") },
  { name: "mcp", summary: "serve this project's knowledge to other agents", load: () => import("./commands/mcp.ts") },
  { name: "completion", summary: "print a completion script for your shell", load: () => import("./commands/completion.ts") },
];
