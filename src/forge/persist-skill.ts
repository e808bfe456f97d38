/** What each target gets, what that changes there, and putting it in place: phase 5 (SKF-006, SKF-021). */
import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import { unifiedDiff } from "../code/lines/index.ts";
import { backupFolders } from "./backup-folders.ts";
import { forgeError } from "./forge-error.ts";
import { installSkill } from "./install-skill.ts";
import { parseSkill, readSkillFolder, renderSkill, type SkillFiles } from "./read-skill.ts";
import { skillStream, skillView } from "./skill-events.ts";
import { approval, baseOf, collisionsOf, keep, prepared, processing, type SkillRun } from "./skill-run.ts";
import { targetNamed } from "./targets.ts";
import type { ProcessingWindow } from "./windows.ts";

/** The same text everywhere; only the line for the user's words differs. */
function contentFor(target: string, name: string, work: Pick<ProcessingWindow, "skill_content" | "skill_files">): SkillFiles {
  const skill = parseSkill(work.skill_content);
  const body = targetNamed(target).input === "$ARGUMENTS" ? skill.body : skill.body.replaceAll("$ARGUMENTS", "{{args}}");
  // A text that kept its own optional fields (an imported skill) is not rewritten.
  const whole = Object.keys(skill.fields).length > 2 && skill.name === name ? work.skill_content : renderSkill({ ...skill, name, body });
  return { "SKILL.md": whole, ...work.skill_files };
}

/** The folder's files, SKILL.md included; a folder that is no skill shows as empty. */
function filesThere(folder: string): SkillFiles {
  if (!existsSync(path.join(folder, "SKILL.md"))) return {};
  return { "SKILL.md": readFileSync(path.join(folder, "SKILL.md"), "utf8"), ...readSkillFolder(folder).files };
}

/** What installing would change in what is there already, as a unified diff; empty when nothing is there. */
export function changesOf(run: SkillRun): string {
  const work = processing(run.ring);
  const name = work.skill_name;
  const shown = new Map<string, string>();
  for (const { target, folder } of prepared(run.ring).targets) {
    const where = path.join(folder, name);
    if (!existsSync(where)) continue;
    const now = filesThere(where);
    const next = contentFor(target, name, work);
    const inside = path.relative(baseOf(where), where).split(path.sep).join("/");
    const diffs = [...new Set([...Object.keys(now), ...Object.keys(next)])].toSorted().map((file) =>
      unifiedDiff(now[file] ?? "", next[file] ?? "", {
        before: now[file] === undefined ? "/dev/null" : `a/${inside}/${file}`,
        after: next[file] === undefined ? "/dev/null" : `b/${inside}/${file}`,
      }),
    );
    // Targets differ in the line for the user's words at most; the same change is shown once.
    const same = diffs.join("").replaceAll(inside, "").replaceAll("{{args}}", "$ARGUMENTS");
    if (!shown.has(same)) shown.set(same, diffs.join(""));
  }
  return [...shown.values()].join("");
}

export async function persist(run: SkillRun): Promise<void> {
  const place = prepared(run.ring);
  const work = processing(run.ring);
  const { backup_path: backup, new_skill_name: renamed } = approval(run.ring);
  const name = renamed ?? work.skill_name;
  const registered = (await run.store.journal.get(skillView, skillStream(name)))?.skill;
  if (registered?.run !== run.ring.id) {
    const folders = collisionsOf(place, name);
    if (backup !== null && folders.length > 0)
      backupFolders(backup, new Map(folders.map((folder) => [path.relative(baseOf(folder), folder).split(path.sep).join("/"), folder])));
    else if (folders.length > 0) throw forgeError("E-CREATE-008", `${folders.join(", ")} appeared after the approval`);
    await installSkill(
      { store: run.store, clock: run.clock, redact: (text) => run.redactor.redact(text).text },
      {
        run: run.ring.id,
        name,
        description: parseSkill(work.skill_content).description,
        origin: place.origin,
        backup,
        root: baseOf(path.join(place.targets[0]?.folder ?? "", name)),
        targets: place.targets.map(({ target, folder }) => ({
          target,
          folder: path.join(folder, name),
          files: contentFor(target, name, work),
        })),
      },
      (target) => run.conduct.onPlaced?.(target),
      run.signal,
    );
  }
  await keep(run, 5, { name, backup });
}
