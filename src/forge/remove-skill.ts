/** Takes a skill out of every folder it stands in, after a backup; an effect, so that a removal cut off is ended by the next. */
import { existsSync } from "node:fs";
import path from "node:path";
import { backupFolders } from "./backup-folders.ts";
import { inSkillRun } from "./install-skill.ts";
import { auditSkill, openSkillRoot, requestsFor, writeFiles, type SkillHands } from "./skill-files.ts";
import { baseOf } from "./skill-run.ts";
import { EVENTS, SYSTEM } from "../protocol/events/index.ts";

export interface Removal {
  name: string;
  backup: string;
  folders: readonly string[];
}

const insideOf = (folder: string): string => path.relative(baseOf(folder), folder).split(path.sep).join("/");

export function removeSkill(hands: SkillHands, { name, backup, folders }: Removal, signal: AbortSignal): Promise<void> {
  return inSkillRun(hands, name, signal, async (run) => {
    const kept = await run.effect(`remove ${run.state.version}`, {
      plan: () => Promise.resolve(backup),
      act: async (archive) => {
        if (!existsSync(archive)) backupFolders(archive, new Map(folders.map((folder) => [insideOf(folder), folder])));
        await auditSkill(hands, "skill_removed", folders);
        for (const folder of folders) {
          await run.mustOwn();
          await using workspace = openSkillRoot(hands, baseOf(folder));
          await writeFiles(workspace, folder, await requestsFor(workspace, baseOf(folder), folder, {}), run.signal);
          await workspace.files.dropEmpty(insideOf(folder));
        }
        return archive;
      },
      // What is gone already is not asked for again.
      settle: () => Promise.resolve("act" as const),
    });
    await run.append(EVENTS.skill.removed.create({ name, backup: kept }, { actor: SYSTEM.forge }));
  });
}
