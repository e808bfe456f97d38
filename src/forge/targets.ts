/** The coding CLIs a skill can be installed for, and which of them are here (SKF-018, SKF-019). */
import { must } from "../kernel/index.ts";
import { accessSync, constants, existsSync, statSync } from "node:fs";
import path from "node:path";
import { forgeError } from "./forge-error.ts";

export interface Target {
  name: string;
  /** Skill folder, below the project or below home. */
  folder: string;
  /** Programs that show the CLI is installed. */
  programs: readonly string[];
  /** What in a project shows that it is used there. */
  markers: readonly string[];
  /** How this CLI writes the user's words into a skill (SKF-021). */
  input: "$ARGUMENTS" | "{{args}}";
  /** How a user calls the skill there. */
  invoke: (name: string) => string;
}

const slash = (name: string): string => `/${name}`;
const named = (name: string): string => `ask for it by name: "use ${name}"`;

const TARGETS: readonly Target[] = [
  { name: "claude", folder: ".claude/skills", programs: ["claude"], markers: [".claude"], input: "$ARGUMENTS", invoke: slash },
  { name: "gemini", folder: ".gemini/skills", programs: ["gemini"], markers: [".gemini"], input: "{{args}}", invoke: named },
  { name: "codex", folder: ".codex/skills", programs: ["codex"], markers: [".codex"], input: "$ARGUMENTS", invoke: (name) => `$${name}` },
  {
    name: "copilot",
    folder: ".github/skills",
    programs: ["copilot"],
    markers: [".github/skills", ".github/copilot-instructions.md"],
    input: "$ARGUMENTS",
    invoke: named,
  },
  { name: "opencode", folder: ".opencode/skills", programs: ["opencode"], markers: [".opencode"], input: "$ARGUMENTS", invoke: named },
  {
    name: "cursor",
    folder: ".cursor/skills",
    programs: ["cursor-agent", "cursor"],
    markers: [".cursor"],
    input: "$ARGUMENTS",
    invoke: slash,
  },
  { name: "qwen", folder: ".qwen/skills", programs: ["qwen"], markers: [".qwen"], input: "{{args}}", invoke: named },
  { name: "agents", folder: ".agents/skills", programs: [], markers: [".agents"], input: "$ARGUMENTS", invoke: named },
];

function onPath(program: string, searchPath: string): boolean {
  return searchPath
    .split(path.delimiter)
    .filter((dir) => path.isAbsolute(dir))
    .some((dir) => {
      const file = path.join(dir, program);
      try {
        accessSync(file, constants.X_OK);
        return statSync(file).isFile();
      } catch {
        // Not in this folder.
        return false;
      }
    });
}

function detectTargets(project: string, searchPath: string): Target[] {
  return TARGETS.filter(
    (target) =>
      target.markers.some((marker) => existsSync(path.join(project, marker))) ||
      target.programs.some((program) => onPath(program, searchPath)),
  );
}

/** Read by Sylk's own tasks and by every CLI that follows the open format. */
const NEUTRAL = "agents";

/** The named targets, else every one found, else the folder that belongs to no vendor. */
export function chooseTargets(wanted: readonly string[], project: string, searchPath: string): Target[] {
  if (wanted.length === 0) {
    const found = detectTargets(project, searchPath);
    return found.length === 0 ? TARGETS.filter((target) => target.name === NEUTRAL) : found;
  }
  return [...new Set(wanted)].map((name) => {
    const target = TARGETS.find((known) => known.name === name);
    if (target === undefined)
      throw forgeError("E-CREATE-002", `there is no target ${name}`, { fix: `one of ${TARGETS.map((known) => known.name).join(", ")}` });
    return target;
  });
}

export function targetNamed(name: string): Target {
  return must(chooseTargets([name], "", "")[0]);
}
