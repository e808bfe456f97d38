/**
 * The seven phases from a wish to an installed skill (SKF-001…008), each leaving a checkpoint in the
 * durable ring. A run goes on from its last checkpoint, whatever process it began in. Nothing is
 * written to a target before a user approved.
 */
import path from "node:path";
import type { Redactor } from "../guard/index.ts";
import { SylkError } from "../kernel/index.ts";
import type { DurableRing } from "../memory/index.ts";
import { approve } from "./approve-skill.ts";
import type { SkillReport } from "./check-skill.ts";
import { generate, understand } from "./draft-skill.ts";
import { changesOf, persist } from "./persist-skill.ts";
import type { SkillFiles } from "./read-skill.ts";
import { approval, collisionsOf, keep, keptRequest, prepared, processing, type RunRequest, type SkillRun } from "./skill-run.ts";
import { targetNamed } from "./targets.ts";
import { stored, validate } from "./validate-draft.ts";

export type SkillOutcome =
  | {
      kind: "installed";
      run: string;
      name: string;
      description: string;
      report: SkillReport;
      folders: InstalledFolder[];
      backup: string | null;
      corrections: string[];
      written_by: string;
    }
  | {
      kind: "shown";
      run: string;
      name: string;
      text: string;
      files: SkillFiles;
      report: SkillReport;
      targets: string[];
      collisions: string[];
      /** What is there already, against what would be; empty when nothing is. */
      diff: string;
      written_by: string;
    }
  | { kind: "rejected"; run: string; name: string; by: "person" | "collision" };

export interface InstalledFolder {
  target: string;
  folder: string;
  files: string[];
  invoke: string;
}

function outcome(run: SkillRun, result: SkillReport): SkillOutcome & { kind: "installed" } {
  const place = prepared(run.ring);
  const work = processing(run.ring);
  const { backup_path: backup, new_skill_name: renamed } = approval(run.ring);
  const name = renamed ?? work.skill_name;
  return {
    kind: "installed",
    run: run.ring.id,
    name,
    description: result.description,
    report: result,
    folders: place.targets.map(({ target, folder }) => ({
      target,
      folder: path.join(folder, name),
      files: ["SKILL.md", ...Object.keys(work.skill_files)],
      invoke: targetNamed(target).invoke(name),
    })),
    backup,
    corrections: work.corrections,
    written_by: work.written_by,
  };
}

/** Runs the phases that are still to do. */
async function phases(run: SkillRun, request: RunRequest): Promise<SkillOutcome> {
  const { ring } = run;
  if (!ring.has(1)) await understand(run, request);
  if (!ring.has(2)) await generate(run);
  const result = ring.has(3) && processing(ring).validation_passed ? stored(run) : await validate(run);
  if (run.dryRun) {
    const shown = preview(run, result);
    if (!run.resumed) await ring.close("shown");
    return shown;
  }
  if (!ring.has(4)) {
    const refused = await approve(run, result);
    if (refused !== undefined) {
      await ring.close("rejected");
      return { kind: "rejected", run: ring.id, name: processing(ring).skill_name, by: refused };
    }
  }
  if (!ring.has(5)) await persist(run);
  const end = outcome(run, result);
  if (!ring.has(6)) await keep(run, 6, { name: end.name, folders: end.folders.map(({ folder }) => folder) });
  await ring.close("installed");
  return end;
}

function preview(run: SkillRun, result: SkillReport): SkillOutcome & { kind: "shown" } {
  const work = processing(run.ring);
  const place = prepared(run.ring);
  return {
    kind: "shown",
    run: run.ring.id,
    name: work.skill_name,
    text: work.skill_content,
    files: work.skill_files,
    report: result,
    targets: place.targets.map(({ target }) => target),
    collisions: collisionsOf(place, work.skill_name),
    diff: changesOf(run),
    written_by: work.written_by,
  };
}

/** Until it ends or fails. What another description could mend stays open for one while somebody is there (SKF-008). */
export async function runPhases(run: SkillRun, request: RunRequest): Promise<SkillOutcome> {
  try {
    return await phases(run, request);
  } catch (error) {
    if (!SylkError.is(error)) throw error;
    await stepBack(run, error);
    if (run.questions.attended(run.ring.id) && isMendable(run, error)) throw forRephrasing(run, error);
    if (!CAN_GO_ON.has(error.code)) await run.ring.close(error.code);
    throw error;
  }
}

const CAN_GO_ON = new Set(["E-CREATE-004", "E-CREATE-008", "E-CREATE-009", "E-CREATE-010", "SKILL_NEEDS_APPROVAL"]);
/** Errors another description can mend. */
const MENDABLE = new Set(["E-CREATE-001", "E-CREATE-005", "E-CREATE-006", "E-CREATE-007", "E-CREATE-011"]);

/** Back to the checkpoint before the phase that failed. */
async function stepBack({ ring }: SkillRun, error: SylkError): Promise<void> {
  if (error.code === "E-CREATE-006" && ring.has(2)) await ring.rollbackTo(2);
  // What appeared after the approval needs a decision of its own.
  if (error.code === "E-CREATE-008" && ring.has(4)) await ring.rollbackTo(3);
}

/** The words of an update, an extract or an import belong to a text that is there already. */
function isMendable({ ring }: SkillRun, error: SylkError): boolean {
  return MENDABLE.has(error.code) && prepared(ring).origin === "create";
}

function forRephrasing({ ring }: SkillRun, error: SylkError): SylkError {
  const { code, tier, message, fix, details } = error;
  return new SylkError({ code, tier, message, fix, cause: error, details: { ...details, rephrase: ring.id } });
}

/** The same ring from its first phase: what was understood and written for the old words is gone, the new words are kept. */
export async function startAgain(ring: DurableRing, request: RunRequest, redactor: Redactor): Promise<void> {
  const place = prepared(ring);
  await ring.rollbackTo(0);
  await ring.push(0, { ...place, request: keptRequest(request, redactor) });
}
