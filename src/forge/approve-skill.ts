/** The user's decision, edits and collisions included: phase 4 (SKF-005). */
import path from "node:path";
import { isoTime } from "../kernel/index.ts";
import type { SkillReport } from "./check-skill.ts";
import { forgeError } from "./forge-error.ts";
import { askCollision, askGate, type GateView } from "./human-gate.ts";
import { changesOf } from "./persist-skill.ts";
import { collisionsOf, keep, prepared, processing, type SkillRun } from "./skill-run.ts";
import { mustBeName } from "./skill-writer.ts";
import { validate } from "./validate-draft.ts";
import type { ApprovalWindow } from "./windows.ts";

function viewOf(run: SkillRun, result: SkillReport): GateView {
  const work = processing(run.ring);
  const place = prepared(run.ring);
  return {
    name: work.skill_name,
    description: result.description,
    text: work.skill_content,
    files: work.skill_files,
    report: result,
    targets: place.targets,
    corrections: work.corrections,
    updates: place.origin === "update",
    diff: changesOf(run),
  };
}

/** Asks until the user decides; edits go back to the checks. Undefined: rejected. */
export async function approve(run: SkillRun, first: SkillReport): Promise<"person" | "collision" | undefined> {
  let result = first;
  for (;;) {
    const answer = await askGate(run, viewOf(run, result));
    if (answer.kind === "reject") return "person";
    if (answer.kind === "approve") break;
    result = await edit(run, answer.instruction);
  }
  const place = prepared(run.ring);
  let name = processing(run.ring).skill_name;
  const details = collisionsOf(place, name);
  let chosen: ApprovalWindow["action_chosen"] = null;
  const tried: string[] = [];
  while (details.length > 0 && chosen === null) {
    const answer = place.origin === "update" ? ({ kind: "overwrite" } as const) : await askCollision(run, name, details, tried);
    if (answer.kind === "cancel") return "collision";
    const other = answer.kind === "rename" ? mustBeName(answer.name) : name;
    if (answer.kind === "rename" && collisionsOf(place, other).length > 0) {
      // The same answer found again would go round for ever.
      if (tried.includes(other)) throw forgeError("E-CREATE-008", `${other} exists too`);
      tried.push(other);
      continue;
    }
    chosen = answer.kind;
    name = other;
  }
  const now = run.clock.now();
  await keep(run, 4, {
    collision_detected: details.length > 0,
    collision_details: details,
    human_gate_response: "approve",
    human_gate_timestamp: now,
    action_chosen: chosen,
    backup_path:
      chosen === "overwrite" ? path.join(run.dataDir, "backups", `${name}-${isoTime(now).replaceAll(/[:.]/g, "-")}.tar.gz`) : null,
    new_skill_name: chosen === "rename" ? name : null,
    persistence_ready: true,
  });
  return undefined;
}

/** The ring goes back to what was understood, so that any number of edits fits into it. */
async function edit(run: SkillRun, instruction: { kind: "text"; text: string } | { kind: "words"; words: string }): Promise<SkillReport> {
  const work = processing(run.ring);
  const text = instruction.kind === "text" ? instruction.text : await run.writer.change(work.skill_content, instruction.words, run.signal);
  if (text === undefined)
    throw forgeError("E-CREATE-004", "no model is set up to make the edit", {
      fix: "choose to edit the text yourself, or name a model with -m",
    });
  await run.ring.rollbackTo(1);
  await keep(run, 2, {
    ...work,
    skill_content: text,
    written_by: instruction.kind === "text" ? "person" : work.written_by,
    corrections: [...work.corrections, instruction.kind === "text" ? "edited by hand" : `edited: ${instruction.words}`],
  });
  return validate(run);
}
