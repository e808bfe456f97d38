/**
 * What a folder brings that could steer an agent or run something: settings beyond the harmless ones,
 * skills, roles, prompts and so on. Only looked at and hashed here; nothing of it is used.
 */
import { readdirSync } from "node:fs";
import path from "node:path";
import { canonicalJson, sha256, type ProjectDirs, projectFile, wording } from "../../kernel/index.ts";
import { settingsToTrust } from "../../kernel/config/index.ts";
import { HOOK_LISTS, hookThing, serverThing } from "./hook-thing.ts";
import type { Brought } from "./trust-record.ts";

/** How what is brought is found and told apart, where other floors know that. */
export interface BroughtLook {
  /** What a project may set. */
  standing: Parameters<typeof settingsToTrust>[0]["standing"];
  /** Folders of the project that look like skills. */
  skillFolders: (project: string) => string[];
  /** Undefined when the folder is not there, or cannot be read whole. */
  checksum: (folder: string) => string | undefined;
}

export interface BroughtThing extends Brought {
  /** What people should see beside the name. */
  shown?: string | undefined;
}

export interface BroughtThings {
  things: BroughtThing[];
  /** What is there and is never used, trusted or not. */
  unusable: { name: string; reason: string }[];
}

/** Folders and files of the project and what they hold. `*` stands for the rest of a name. */
const PLACES: readonly { kind: Brought["kind"]; place: string }[] = [
  { kind: "role", place: ".sylk/agents" },
  { kind: "prompt", place: ".sylk/prompts" },
  { kind: "task_type", place: ".sylk/task-types" },
  { kind: "flow", place: ".sylk/flows" },
  { kind: "hook", place: ".sylk/hooks*" },
  { kind: "hook", place: ".claude/settings.json" },
  { kind: "command", place: ".sylk/commands" },
  { kind: "command", place: ".claude/commands" },
  { kind: "mcp_server", place: ".sylk/mcp*" },
  { kind: "mcp_server", place: ".mcp.json" },
  { kind: "mcp_server", place: ".agents/mcp_config.json" },
  { kind: "tool", place: ".sylk/tools.yaml" },
  { kind: "skill_template", place: ".sylk/skill-templates" },
];

const NEVER_USED = "; it is never used";
const MAX_FILES = 1_000;
const MAX_FILE_BYTES = 1024 * 1024;

/** A setting of the project that counts only with the user's yes. */
export type ProjectSetting = ReturnType<typeof settingsToTrust>[number];

export function settingThing(setting: ProjectSetting): BroughtThing {
  return {
    kind: "setting",
    name: setting.name,
    hash: setting.hash,
    shown: wording.oneLine(JSON.stringify(setting.value) ?? ""),
  };
}

/** A file of one of the places above, by its text, as it would be used in a folder; undefined for any other. */
export function fileThing(folder: string, file: string, text: string): BroughtThing | undefined {
  if (HOOK_LISTS.includes(file)) return hookThing(folder, file, text);
  const kind = PLACES.find(({ place }) =>
    place.endsWith("*") ? file.startsWith(place.slice(0, -1)) : file === place || file.startsWith(`${place}/`),
  )?.kind;
  if (kind === "mcp_server") return serverThing(folder, file, text);
  return kind === undefined ? undefined : { kind, name: file, hash: sha256(text) };
}

export function skillThing(project: string, folder: string, checksum: BroughtLook["checksum"]): BroughtThing | undefined {
  const name = path.relative(project, folder).split(path.sep).join("/");
  const hash = checksum(folder);
  // A skill in the user's own folder is the user's own.
  return hash === undefined || name.startsWith("../") ? undefined : { kind: "skill", name, hash };
}

/** A command of the project and everything of it that would run by that name. */
export function checkThing(check: { command: string; runs: readonly string[] }): BroughtThing {
  return {
    kind: "check",
    name: check.command,
    hash: sha256(canonicalJson([check.command, ...check.runs])),
    shown: wording.oneLine(check.runs.join("; ")),
  };
}

const MEMORY = ".sylk/memory";
/** One thing, whatever it says by now: agents write to it all the time. */
export const memoryThing: Brought = { kind: "memory", name: MEMORY, hash: sha256(MEMORY) };

/** Agents' memory beside the code; undefined when there is none. */
export function memoryBrought(project: ProjectDirs): BroughtThing | undefined {
  const files = filesAt(project.project, MEMORY);
  return files.length === 0
    ? undefined
    : { ...memoryThing, shown: wording.oneLine(files.map((file) => path.posix.relative(MEMORY, file)).join(", ")) };
}

export function broughtThings(project: ProjectDirs, look: BroughtLook): BroughtThings {
  const found: BroughtThings = { things: [], unusable: [] };
  for (const setting of settingsToTrust({ root: project.project, file: project.config, standing: look.standing }))
    found.things.push(settingThing(setting));
  for (const file of PLACES.flatMap(({ place }) => filesAt(project.project, place))) addFile(project.project, file, found);
  const memory = memoryBrought(project);
  if (memory !== undefined) found.things.push(memory);
  for (const folder of look.skillFolders(project.project)) {
    const skill = skillThing(project.project, folder, look.checksum);
    if (skill === undefined)
      found.unusable.push({ name: path.relative(project.project, folder), reason: `cannot be read whole${NEVER_USED}` });
    else found.things.push(skill);
  }
  return found;
}

function addFile(project: string, file: string, found: BroughtThings): void {
  if (found.things.length >= MAX_FILES) {
    found.unusable.push({ name: file, reason: `is one of more than ${MAX_FILES}${NEVER_USED}` });
    return;
  }
  const read = projectFile.read(project, file, { maxBytes: MAX_FILE_BYTES });
  const whole = read.kind === "read" && !read.cut;
  const thing = whole ? fileThing(project, file, read.text) : undefined;
  if (thing !== undefined) found.things.push(thing);
  else if (!whole && read.kind !== "none")
    found.unusable.push({ name: file, reason: `${read.kind === "refused" ? read.reason : "is too large"}${NEVER_USED}` });
}

function namesIn(folder: string): { name: string; folder: boolean }[] {
  try {
    return readdirSync(folder, { withFileTypes: true }).map((entry) => ({ name: entry.name, folder: entry.isDirectory() }));
  } catch {
    // Not there, or no folder: it brings nothing.
    return [];
  }
}

/** Files of a place, names below the project; links are not walked through. */
function filesAt(project: string, place: string): string[] {
  const below = path.posix.dirname(place);
  const wanted = path.posix.basename(place);
  const isWanted = (name: string): boolean => (wanted.endsWith("*") ? name.startsWith(wanted.slice(0, -1)) : name === wanted);
  const files: string[] = [];
  const walk = (name: string, isFolder: boolean): void => {
    if (files.length > MAX_FILES) return;
    if (!isFolder) files.push(name);
    else for (const entry of namesIn(path.join(project, name)).toSorted(byName)) walk(`${name}/${entry.name}`, entry.folder);
  };
  for (const entry of namesIn(path.join(project, below)).filter(({ name }) => isWanted(name)))
    walk(path.posix.join(below, entry.name), entry.folder);
  return files;
}

const byName = (a: { name: string }, b: { name: string }): number => (a.name < b.name ? -1 : 1);
