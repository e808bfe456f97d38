/**
 * The seven phases from a wish to an installed skill (SKF-001…008), each leaving a checkpoint in the
 * durable ring. A run goes on from its last checkpoint, whatever process it began in. Nothing is
 * written to a target before a person approved.
 */
import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import { isoTime, isSylkError, sha256, type Clock, type Json } from "../kernel/index.ts";
import type { Redactor } from "../guard/index.ts";
import type { Store } from "../journal/index.ts";
import type { DurableRing } from "../memory/index.ts";
import { backupFolders } from "./backup-folders.ts";
import { checkSkill, findUnsafe, type SkillReport } from "./check-skill.ts";
import { forgeError } from "./forge-error.ts";
import { askGate, askCollision, type ForgeTalk, type GateView } from "./human-gate.ts";
import { installSkill } from "./install-skill.ts";
import { parseSkill, renderSkill, type SkillFiles } from "./read-skill.ts";
import { skillStream, skillView } from "./skill-events.ts";
import { mustBeName, readTemplate, type SkillWriter } from "./skill-writer.ts";
import { targetNamed } from "./targets.ts";
import { understandWish } from "./understand-wish.ts";
import {
  approvalWindow,
  inputWindow,
  MAX_WISH_CHARS,
  PHASES,
  preparedWindow,
  processingWindow,
  type ApprovalWindow,
  type InputWindow,
  type PreparedWindow,
  type ProcessingWindow,
} from "./windows.ts";

const MAX_REPAIRS = 2;
const MAX_RETRIES = 2;

export interface SkillRun {
  ring: DurableRing;
  store: Store;
  clock: Clock;
  redactor: Redactor;
  project: string;
  /** `<project>/.sylk` */
  dataDir: string;
  writer: SkillWriter;
  talk: ForgeTalk;
  signal: AbortSignal;
  /** Shown, not written. */
  dryRun: boolean;
}

export interface RunRequest {
  wish: string | undefined;
  template: string;
  source: InputWindow["source"];
}

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
      written_by: string;
    }
  | { kind: "rejected"; run: string; name: string; by: "person" | "collision" };

export interface InstalledFolder {
  target: string;
  folder: string;
  files: string[];
  invoke: string;
}

const ACTOR = "forge";

/** Checkpoint of a phase, typed; what was stored is checked again. */
const prepared = (ring: DurableRing): PreparedWindow => preparedWindow.parse(ring.get(0));
const input = (ring: DurableRing): InputWindow => inputWindow.parse(ring.get(1));
const processing = (ring: DurableRing): ProcessingWindow => processingWindow.parse(ring.get(ring.has(3) ? 3 : 2));
const approval = (ring: DurableRing): ApprovalWindow => approvalWindow.parse(ring.get(4));

async function keep(run: SkillRun, phase: number, data: Json): Promise<void> {
  await run.ring.push(phase, data);
  run.talk.onPhase?.(PHASES[phase] as (typeof PHASES)[number]);
}

const unsafeParts = ({ wish, source }: RunRequest, redactor: Redactor): string[] =>
  [wish ?? "", source?.text ?? "", ...Object.values(source?.files ?? {})].flatMap((text) => findUnsafe(text, redactor));

/** What holds a secret, or is too long to be meant, never reaches the journal. */
export function mayBeKept(request: RunRequest, redactor: Redactor): boolean {
  return (request.wish ?? "").length <= MAX_WISH_CHARS && unsafeParts(request, redactor).length === 0;
}

async function understand(run: SkillRun, request: RunRequest): Promise<void> {
  const raw = request.wish ?? (await run.talk.askDescription?.()) ?? "";
  const description = raw.trim();
  if (description === "") throw forgeError("E-CREATE-001", "a skill needs a description");
  if (description.length > MAX_WISH_CHARS)
    throw forgeError("E-CREATE-007", `the description has ${description.length} characters; at most ${MAX_WISH_CHARS} are allowed`);
  // Before anything is kept: the journal must never hold it.
  const unsafe = unsafeParts({ ...request, wish: raw }, run.redactor);
  if (unsafe.length > 0) throw forgeError("E-CREATE-011", `the description holds what must not be shared: ${unsafe.join("; ")}`);
  readTemplate(request.template, run.project);
  await keep(run, 1, {
    description,
    target_cli: prepared(run.ring).targets.map(({ target }) => target),
    template_name: request.template,
    raw_input: raw,
    parsed_at: run.clock.now(),
    input_hash: sha256(raw),
    input_valid: true,
    input_errors: [],
    understanding: { ...understandWish(description) },
    source: request.source,
  });
}

async function generate(run: SkillRun): Promise<void> {
  const { wanted_name: wanted } = prepared(run.ring);
  const given = input(run.ring);
  let problem: string | undefined;
  for (let attempt = 0; ; attempt += 1) {
    try {
      const draft = await run.writer.write(given, wanted, problem, run.signal);
      await keep(run, 2, {
        skill_name: mustBeName(draft.name),
        skill_content: draft.text,
        skill_files: given.source?.files ?? {},
        metadata: null,
        template_used: given.template_name,
        written_by: draft.by,
        category_inferred: given.understanding.kind,
        generated_at: run.clock.now(),
        validation_passed: false,
        validation_errors: [],
        validation_timestamp: null,
        checks: [],
        corrections: problem === undefined ? [] : [`written again: ${problem}`],
      });
      return;
    } catch (error) {
      // A name that does not fit is written again from the wish (SKF-008); everything else ends the run.
      if (!isSylkError(error, "E-CREATE-005") || attempt >= MAX_RETRIES || wanted !== null) throw error;
      await run.ring.rollbackTo(1);
      problem = error.message;
    }
  }
}

function report(run: SkillRun, work: ProcessingWindow, judgements: Parameters<typeof checkSkill>[0]["judgements"] = []): SkillReport {
  return checkSkill({
    text: work.skill_content,
    files: work.skill_files,
    folder: work.skill_name,
    redactor: run.redactor,
    judgements: judgements ?? [],
  });
}

async function validate(run: SkillRun): Promise<SkillReport> {
  let work = processing(run.ring);
  const corrections = [...work.corrections];
  let result = report(run, work);
  for (let round = 1; round <= MAX_REPAIRS && result.critical + result.warnings > 0; round += 1) {
    const text = await run.writer.repair(work.skill_content, result, run.signal);
    if (text === undefined) break;
    const next = { ...work, skill_content: text };
    const better = report(run, next);
    const mended = result.checks.filter(
      (check) => check.result === "failed" && better.checks.find((now) => now.number === check.number)?.result === "passed",
    );
    corrections.push(...mended.map((check) => `round ${round}: ${check.title} (${check.detail})`));
    work = next;
    result = better;
  }
  result = report(run, work, await run.writer.judge(work.skill_content, run.signal));
  const failed = result.checks.filter((check) => check.result === "failed" && check.severity === "CRITICAL");
  if (failed.some((check) => check.number === 13))
    throw forgeError("E-CREATE-011", `the skill holds what must not be shared: ${failed.find((check) => check.number === 13)?.detail}`);
  await keep(run, 3, {
    ...work,
    metadata: { lines: result.lines, tokens: result.tokens, grade: result.grade },
    validation_passed: failed.length === 0,
    validation_errors: failed.map((check) => `${check.title}: ${check.detail}`),
    validation_timestamp: run.clock.now(),
    checks: result.checks.map((check) => ({ ...check })),
    corrections,
  });
  if (failed.length > 0)
    throw forgeError("E-CREATE-006", `the skill does not pass: ${failed.map((check) => `${check.title} (${check.detail})`).join("; ")}`, {
      details: { checks: failed },
    });
  return result;
}

const collisionsOf = (place: PreparedWindow, name: string): string[] =>
  place.targets.map(({ folder }) => path.join(folder, name)).filter((folder) => existsSync(folder));

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
    before: place.origin === "update" ? currentText(collisionsOf(place, work.skill_name)) : undefined,
  };
}

const currentText = ([folder]: readonly string[]): string | undefined =>
  folder === undefined ? undefined : readFileSync(path.join(folder, "SKILL.md"), "utf8");

/** Asks until the person decides; edits go back to the checks. Undefined: rejected. */
async function approve(run: SkillRun, first: SkillReport): Promise<"person" | "collision" | undefined> {
  let result = first;
  for (;;) {
    const answer = await askGate(run.talk, viewOf(run, result), run.clock, run.signal);
    if (answer.kind === "reject") return "person";
    if (answer.kind === "approve") break;
    result = await edit(run, answer.instruction);
  }
  const place = prepared(run.ring);
  let name = processing(run.ring).skill_name;
  const details = collisionsOf(place, name);
  let chosen: ApprovalWindow["action_chosen"] = null;
  if (details.length > 0) {
    const answer =
      place.origin === "update" ? ({ kind: "overwrite" } as const) : await askCollision(run.talk, name, details, run.clock, run.signal);
    if (answer.kind === "cancel") return "collision";
    chosen = answer.kind;
    if (answer.kind === "rename") {
      name = mustBeName(answer.name);
      if (collisionsOf(place, name).length > 0) throw forgeError("E-CREATE-008", `${name} exists too`);
    }
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

/** The same text everywhere; only the line for the user's words differs. */
function contentFor(target: string, name: string, work: Pick<ProcessingWindow, "skill_content" | "skill_files">): SkillFiles {
  const skill = parseSkill(work.skill_content);
  const body = targetNamed(target).input === "$ARGUMENTS" ? skill.body : skill.body.replaceAll("$ARGUMENTS", "{{args}}");
  // A text that kept its own optional fields (an imported skill) is not rewritten.
  const whole = Object.keys(skill.fields).length > 2 && skill.name === name ? work.skill_content : renderSkill({ ...skill, name, body });
  return { "SKILL.md": whole, ...work.skill_files };
}

async function persist(run: SkillRun): Promise<void> {
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
      { store: run.store, clock: run.clock, actor: ACTOR },
      {
        run: run.ring.id,
        name,
        description: parseSkill(work.skill_content).description,
        origin: place.origin,
        backup,
        targets: place.targets.map(({ target, folder }) => ({
          target,
          folder: path.join(folder, name),
          files: contentFor(target, name, work),
        })),
      },
      (target) => run.talk.onPlaced?.(target),
      run.signal,
    );
  }
  await keep(run, 5, { name, backup });
}

/** `<root>/.claude/skills/<name>` → `<root>` */
const baseOf = (folder: string): string => path.resolve(folder, "../../..");

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
export async function runPhases(run: SkillRun, request: RunRequest): Promise<SkillOutcome> {
  const { ring } = run;
  try {
    if (!ring.has(1)) await understand(run, request);
    if (!ring.has(2)) await generate(run);
    const result = ring.has(3) && processing(ring).validation_passed ? stored(run) : await validate(run);
    if (run.dryRun) {
      const work = processing(ring);
      const place = prepared(ring);
      await ring.close("shown");
      const collisions = collisionsOf(place, work.skill_name);
      const targets = place.targets.map(({ target }) => target);
      return {
        kind: "shown",
        run: ring.id,
        name: work.skill_name,
        text: work.skill_content,
        files: work.skill_files,
        report: result,
        targets,
        collisions,
        written_by: work.written_by,
      };
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
  } catch (error) {
    await stepBack(run, error);
    throw error;
  }
}

/** The report of a run that goes on after its checks were made. */
function stored(run: SkillRun): SkillReport {
  const work = processing(run.ring);
  return { ...report(run, work), checks: work.checks };
}

const CAN_GO_ON = new Set(["E-CREATE-004", "E-CREATE-008", "E-CREATE-009", "E-CREATE-010", "SKILL_NEEDS_APPROVAL"]);

/** Back to the checkpoint before the phase that failed; what can never go on is closed. */
async function stepBack(run: SkillRun, error: unknown): Promise<void> {
  if (!isSylkError(error)) return;
  const { ring } = run;
  if (error.code === "E-CREATE-006" && ring.has(1)) await ring.rollbackTo(1);
  if (error.code === "E-CREATE-009" && ring.has(3)) await ring.rollbackTo(3);
  if (!CAN_GO_ON.has(error.code)) await ring.close(error.code);
}
