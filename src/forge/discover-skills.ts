/**
 * Skills an agent may use: found by name and description only; the body is read when one is chosen
 * (SKF-014). The project's own come before the user's; the same name further down is shadowed. What is
 * not trusted is found too, so that a user can see it.
 */
import { readdirSync, realpathSync } from "node:fs";
import path from "node:path";
import { projectFile } from "../kernel/index.ts";
import { parseSkill } from "./read-skill.ts";

export interface FoundSkill {
  name: string;
  description: string;
  folder: string;
  scope: "project" | "user";
  /** A project's skill steers agents only after the user trusted it; until then it is listed, never loaded. */
  trusted: boolean;
  warnings: string[];
}

export interface Catalogue {
  skills: FoundSkill[];
  shadowed: FoundSkill[];
  /** Folders that look like skills and are none. */
  broken: { folder: string; reason: string }[];
}

const PLACES = [".sylk/skills", ".agents/skills", ".claude/skills"];
/** Frontmatter alone; a body is never read here. */
const HEAD_BYTES = 8_192;

/** A project's skill lies in the project; the user's own may be kept elsewhere and linked. */
function readHead(folder: string, root: string): { text: string } | { reason: string } {
  const found = projectFile.read(root, path.join(folder, "SKILL.md"), { maxBytes: HEAD_BYTES });
  if (found.kind === "read") return { text: found.text };
  return { reason: found.kind === "none" ? "has no SKILL.md" : `has a SKILL.md that ${found.reason}` };
}

function realFolder(folder: string): string {
  try {
    return realpathSync(folder);
  } catch {
    return folder;
  }
}

/** Folders of the project that look like skills. */
export function projectSkillFolders(project: string): string[] {
  return PLACES.flatMap((place) => foldersIn(path.join(project, place))).filter((folder) => "text" in readHead(folder, project));
}

function foldersIn(root: string): string[] {
  try {
    return readdirSync(root, { withFileTypes: true })
      .filter((entry) => (entry.isDirectory() || entry.isSymbolicLink()) && !entry.name.startsWith("."))
      .map((entry) => path.join(root, entry.name))
      .toSorted();
  } catch {
    // No such folder here.
    return [];
  }
}

/** The first of a name wins, except that what is not trusted never hides what is. */
function add(catalogue: Catalogue, found: FoundSkill): void {
  const at = catalogue.skills.findIndex((other) => other.name === found.name);
  const other = catalogue.skills[at];
  if (other === undefined) catalogue.skills.push(found);
  else if (other.trusted || !found.trusted) catalogue.shadowed.push(found);
  else {
    catalogue.skills[at] = found;
    catalogue.shadowed.push(other);
  }
}

export function discoverSkills(project: string, home: string, trusts: (folder: string) => boolean): Catalogue {
  const catalogue: Catalogue = { skills: [], shadowed: [], broken: [] };
  const roots = [
    ...PLACES.map((place) => ({ root: path.join(project, place), scope: "project" as const })),
    ...(path.resolve(home) === path.resolve(project)
      ? []
      : PLACES.map((place) => ({ root: path.join(home, place), scope: "user" as const }))),
  ];
  for (const { root, scope } of roots) {
    for (const folder of foldersIn(root)) {
      const head = readHead(folder, scope === "project" ? project : realFolder(folder));
      if ("reason" in head) {
        catalogue.broken.push({ folder, reason: head.reason });
        continue;
      }
      const skill = parseSkill(head.text);
      const warnings = [...skill.warnings];
      const name = skill.name === "" ? path.basename(folder) : skill.name;
      if (name !== path.basename(folder)) warnings.push(`its folder is called ${path.basename(folder)}`);
      if (skill.description === "") {
        catalogue.broken.push({ folder, reason: "has no description" });
        continue;
      }
      add(catalogue, { name, description: skill.description, folder, scope, trusted: scope === "user" || trusts(folder), warnings });
    }
  }
  return catalogue;
}
