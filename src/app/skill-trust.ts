/**
 * Whose skills tasks may load here, and whether the project's own task types and prompts count. They
 * steer an agent, and a repository may be hostile: the project's own are used when the person trusts the
 * folder, a skill also when that very text was approved in the forge.
 */
import { readFileSync } from "node:fs";
import path from "node:path";
import { z } from "zod";
import { writeFileAtomic, type Dirs } from "../kernel/index.ts";
import { folderChecksum } from "../forge/index.ts";

const trustSchema = z.object({
  projects: z.array(z.string()).default([]),
  /** Approved texts, by folder and checksum of everything in it. */
  skills: z.array(z.object({ folder: z.string(), checksum: z.string() })).default([]),
});
type Trust = z.output<typeof trustSchema>;

export interface SkillTrust {
  trustsProject(): boolean;
  /** As it stands now; ask again for another look. */
  now(): (folder: string) => boolean;
  setProject(trusted: boolean): void;
  /** Remembers what a person just approved. */
  approve(folders: readonly string[]): void;
}

export function createSkillTrust(dirs: Dirs, project: string): SkillTrust {
  const file = path.join(dirs.config, "trusted-skills.json");
  const read = (): Trust => {
    try {
      return trustSchema.parse(JSON.parse(readFileSync(file, "utf8")));
    } catch {
      // Missing or broken: nothing is trusted.
      return { projects: [], skills: [] };
    }
  };
  const write = (trust: Trust): void => writeFileAtomic(file, `${JSON.stringify(trust, undefined, 2)}\n`, { mode: 0o600 });
  return {
    trustsProject: () => read().projects.includes(project),
    now() {
      const { projects, skills } = read();
      return (folder) => {
        if (projects.includes(project)) return true;
        const known = skills.filter((one) => one.folder === folder);
        if (known.length === 0) return false;
        const checksum = folderChecksum(folder);
        return known.some((one) => one.checksum === checksum);
      };
    },
    setProject(trusted) {
      const now = read();
      const others = now.projects.filter((one) => one !== project);
      write({ ...now, projects: trusted ? [...others, project] : others });
    },
    approve(folders) {
      const now = read();
      const added = folders.flatMap((folder) => {
        const checksum = folderChecksum(folder);
        return checksum === undefined ? [] : [{ folder, checksum }];
      });
      write({ ...now, skills: [...now.skills.filter((one) => !folders.includes(one.folder)), ...added] });
    },
  };
}
