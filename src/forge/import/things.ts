/** What another tool has, and what would become of it here. */
import { sha256 } from "../../kernel/index.ts";
import type { McpApi } from "../../tooling/index.ts";

export type ImportTool = "claude" | "codex" | "gemini" | "opencode" | "cursor" | "taskmaster";
/** How a server is reached. */
export type Reach = Parameters<McpApi["add"]>[1];
/** Whose it is, and where it goes: the user's own files, or the project's. */
export type Scope = "user" | "project";
export type ThingKind = "rules" | "skill" | "command" | "mcp_server" | "role" | "hooks" | "permissions" | "tasks";

/** Below the user's configuration, the user's home or the project. */
export interface Target {
  root: "config" | "home" | "project";
  file: string;
}

export type Files = ReadonlyMap<string, Uint8Array>;

/** Names of those of them that may be executed. */
export type Executable = ReadonlySet<string>;

export type Brings =
  | { how: "file"; to: Target; text: string }
  | { how: "folder"; to: Target; files: Files; executable?: Executable }
  /** `raw`: as it stands there, before its variables were put into our form. */
  | { how: "server"; reach: Reach; raw: Reach }
  | { how: "hooks"; hooks: Readonly<Record<string, unknown>> }
  /** Read here as it is. */
  | { how: "used" }
  | { how: "left"; why: string };

export interface Thing {
  kind: ThingKind;
  name: string;
  /** As people know it. */
  from: string;
  scope: Scope;
  brings: Brings;
  /** What is different here. */
  note?: string | undefined;
}

/** A name as files and words with a slash may have it; one of which nothing is left gets a name of its own. */
export const plainName = (name: string): string => asciiName(name) || `named-${sha256(name).slice(0, 8)}`;

const asciiName = (name: string): string =>
  name
    .normalize("NFKD")
    .toLowerCase()
    .replaceAll(/[^a-z0-9_-]+/gu, "-")
    .replaceAll(/-{2,}/gu, "-")
    .replaceAll(/^[-_]+|[-_]+$/gu, "");

/** Where what is no server stands here. */
export const placeOf = {
  rules: (scope: Scope, folder = "."): Target =>
    scope === "user"
      ? { root: "config", file: "AGENTS.md" }
      : { root: "project", file: folder === "." ? "AGENTS.md" : `${folder}/AGENTS.md` },
  skill: (scope: Scope, name: string): Target => ({ root: scope === "user" ? "home" : "project", file: `.agents/skills/${name}` }),
  command: (scope: Scope, name: string): Target =>
    scope === "user" ? { root: "config", file: `commands/${name}.md` } : { root: "project", file: `.sylk/commands/${name}.md` },
  role: (scope: Scope, name: string): Target =>
    scope === "user" ? { root: "config", file: `agents/${name}.md` } : { root: "project", file: `.sylk/agents/${name}.md` },
} as const;
