/** Where each tool keeps what, as data: below the folder of the user it works in, and below a project. */
import path from "node:path";
import type { ImportTool, ThingKind } from "./things.ts";

export interface Places {
  /** A text each, which always holds. */
  rules?: readonly string[];
  /** Folders of rules that say when they hold. */
  scopedRules?: readonly string[];
  skills?: readonly string[];
  /** Folders of Markdown or TOML files. */
  commands?: readonly string[];
  roles?: readonly string[];
  /** Lists of settings: servers under one of `SERVER_KEYS`, and `command` and `agent` where a tool has them there. */
  lists?: readonly string[];
  /** JSON whose `hooks` have the form that is used here. */
  hooks?: readonly string[];
  tasks?: readonly string[];
  /** What is there and has no place here. */
  unfit?: readonly (readonly [ThingKind, string, string])[];
}

export const SERVER_KEYS = ["mcpServers", "mcp_servers", "mcp"] as const;
/** What some settings hold beside a list of servers is no server. */
export const LIST_KEYS = { commands: "command", roles: "agent" } as const;

const OTHER_HOOKS = "its hooks have other events and answers than those here; docs/hooks.md shows the form";

/** The folder of a tool's own files below the user's home, or where the user moved it. */
function userFolder(tool: ImportTool, env: Readonly<Record<string, string | undefined>>): string {
  const moved = { claude: "CLAUDE_CONFIG_DIR", codex: "CODEX_HOME" }[tool as string];
  const said = moved === undefined ? undefined : env[moved];
  if (said !== undefined && path.isAbsolute(said)) return said;
  const xdg = env["XDG_CONFIG_HOME"];
  if (tool === "opencode") return xdg !== undefined && path.isAbsolute(xdg) ? path.join(xdg, "opencode") : ".config/opencode";
  return `.${tool}`;
}

const below = (folder: string, names: readonly string[]): string[] => names.map((name) => path.join(folder, name));

/** Paths are below the home folder, or absolute where the user moved them. */
export function userPlaces(tool: ImportTool, env: Readonly<Record<string, string | undefined>>): Places {
  const folder = userFolder(tool, env);
  const at = (...names: string[]): string[] => below(folder, names);
  switch (tool) {
    case "claude":
      return {
        rules: at("CLAUDE.md"),
        scopedRules: at("rules"),
        skills: at("skills"),
        commands: at("commands"),
        roles: at("agents"),
        lists: folder === ".claude" ? [".claude.json"] : at(".claude.json"),
        hooks: at("settings.json"),
      };
    case "codex":
      return {
        rules: at("AGENTS.md"),
        skills: at("skills"),
        commands: at("prompts"),
        roles: at("agents"),
        lists: at("config.toml"),
        hooks: at("hooks.json"),
      };
    case "gemini":
      return {
        rules: at("GEMINI.md"),
        skills: at("skills"),
        commands: at("commands"),
        roles: at("agents"),
        lists: at("settings.json"),
        unfit: [["hooks", path.join(folder, "settings.json"), OTHER_HOOKS]],
      };
    case "opencode":
      return {
        rules: at("AGENTS.md"),
        skills: at("skills", "skill"),
        commands: at("commands", "command"),
        roles: at("agents", "agent"),
        lists: at("opencode.json", "opencode.jsonc", "config.json"),
      };
    case "cursor":
      return {
        skills: at("skills"),
        commands: at("commands"),
        roles: at("agents"),
        lists: at("mcp.json"),
        unfit: [["hooks", path.join(folder, "hooks.json"), OTHER_HOOKS]],
      };
    case "taskmaster":
      return {};
  }
}

export const PROJECT_PLACES: Readonly<Record<ImportTool, Places>> = {
  claude: {
    rules: ["CLAUDE.md", ".claude/CLAUDE.md"],
    scopedRules: [".claude/rules"],
    skills: [".claude/skills"],
    commands: [".claude/commands"],
    roles: [".claude/agents"],
    lists: [".mcp.json"],
    hooks: [".claude/settings.json"],
    unfit: [["hooks", ".claude/settings.local.json", "is for one person; `hooks` in your own configuration is the place for its hooks"]],
  },
  codex: {
    rules: ["AGENTS.md"],
    skills: [".agents/skills", ".codex/skills"],
    roles: [".codex/agents"],
    lists: [".codex/config.toml"],
    hooks: [".codex/hooks.json"],
  },
  gemini: {
    rules: ["GEMINI.md"],
    skills: [".gemini/skills"],
    commands: [".gemini/commands"],
    roles: [".gemini/agents"],
    lists: [".gemini/settings.json"],
    unfit: [["hooks", ".gemini/settings.json", OTHER_HOOKS]],
  },
  opencode: {
    rules: ["AGENTS.md"],
    skills: [".opencode/skills", ".opencode/skill"],
    commands: [".opencode/commands", ".opencode/command"],
    roles: [".opencode/agents", ".opencode/agent"],
    lists: ["opencode.json", "opencode.jsonc", ".opencode/opencode.json", ".opencode/opencode.jsonc"],
  },
  cursor: {
    rules: ["AGENTS.md"],
    scopedRules: [".cursorrules", ".cursor/rules"],
    skills: [".cursor/skills"],
    commands: [".cursor/commands"],
    roles: [".cursor/agents"],
    lists: [".cursor/mcp.json"],
    unfit: [["hooks", ".cursor/hooks.json", OTHER_HOOKS]],
  },
  taskmaster: { tasks: [".taskmaster/tasks/tasks.json", "tasks/tasks.json"] },
};

/** What is read here as it stands, of a project and of a home folder. */
export const READ_HERE = {
  project: ["AGENTS.md", "CLAUDE.md", ".agents/skills", ".claude/skills", ".claude/commands", ".claude/settings.json", ".mcp.json"],
  home: [".agents/skills", ".claude/skills"],
} as const;
