/** The registry of installed skills: a table people can read, rebuilt from the journal, with what drifted from it (SKF-024). */
import { existsSync } from "node:fs";
import path from "node:path";
import { isoTime, writeFileAtomic, projectFile } from "../kernel/index.ts";
import type { Journal } from "../journal/index.ts";
import { folderChecksum } from "./skill-files.ts";
import { skillView, type RegisteredSkill } from "./skill-events.ts";

export interface Drift {
  what: "registry_edited" | "registry_missing" | "folder_missing" | "folder_changed";
  skill: string;
  place: string;
}

export interface ListedSkill extends RegisteredSkill {
  drift: Drift[];
}

const registryFile = (dataDir: string): string => path.join(dataDir, "MEMORY.md");

export async function registeredSkills(journal: Journal): Promise<RegisteredSkill[]> {
  const rows = await journal.list(skillView, { prefix: "skill/" });
  return rows.flatMap((row) => (row.state.skill === undefined ? [] : [row.state.skill]));
}

function renderRegistry(skills: readonly RegisteredSkill[]): string {
  const rows = skills.map(
    (skill) =>
      `| ${skill.name} | ${skill.version} | ${skill.folders.map((folder) => folder.target).join(", ")} | ${isoTime(skill.createdAt).slice(0, 10)} | ${skill.checksum.slice(0, 16)} |`,
  );
  return [
    "# Skills of this project",
    "",
    "Written by Sylk from its journal. Changes made here are shown as drift by `sylk skill list` and are overwritten by the next installation.",
    "",
    "| name | version | targets | created | checksum |",
    "|---|---|---|---|---|",
    ...rows,
    "",
  ].join("\n");
}

export async function writeRegistry(journal: Journal, dataDir: string): Promise<void> {
  writeFileAtomic(registryFile(dataDir), renderRegistry(await registeredSkills(journal)));
}

export function registryDrift(skills: readonly RegisteredSkill[], dataDir: string): Drift[] {
  const file = registryFile(dataDir);
  if (!existsSync(file)) return skills.length === 0 ? [] : [{ what: "registry_missing", skill: "", place: file }];
  return projectFile.text(dataDir, path.basename(file)) === renderRegistry(skills)
    ? []
    : [{ what: "registry_edited", skill: "", place: file }];
}

export function skillDrift(skill: RegisteredSkill): Drift[] {
  return skill.folders.flatMap(({ folder, checksum }): Drift[] => {
    const now = folderChecksum(folder);
    if (now === checksum) return [];
    return [{ what: now === undefined ? "folder_missing" : "folder_changed", skill: skill.name, place: folder }];
  });
}
