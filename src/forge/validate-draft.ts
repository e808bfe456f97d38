/** Checks the text, with up to two repair rounds by a model: phase 3 (SKF-004). */
import { checkSkill, type SkillReport } from "./check-skill.ts";
import { forgeError } from "./forge-error.ts";
import { keep, processing, type SkillRun } from "./skill-run.ts";
import type { ProcessingWindow } from "./windows.ts";

const MAX_REPAIRS = 2;

function report(run: SkillRun, work: ProcessingWindow, judgements: Parameters<typeof checkSkill>[0]["judgements"] = []): SkillReport {
  return checkSkill({
    text: work.skill_content,
    files: work.skill_files,
    folder: work.skill_name,
    redactor: run.redactor,
    judgements: judgements ?? [],
  });
}

export async function validate(run: SkillRun): Promise<SkillReport> {
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

/** The report of a run that goes on after its checks were made. */
export function stored(run: SkillRun): SkillReport {
  const work = processing(run.ring);
  return { ...report(run, work), checks: work.checks };
}
