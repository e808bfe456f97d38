/**
 * Whether something shows that the goal is reached. Checks that passed before the task began do not, and an agent's
 * word does not either: it must be something that fails without the change.
 */
import type { BlobRef } from "../../journal/index.ts";
import { shortLine } from "../context/fit-lines.ts";
import type { StepRun } from "../step-run.ts";
import type { CheckResult, Evidence } from "../task-facts.ts";
import type { TaskState } from "../task-state.ts";
import { targetState } from "../problems.ts";
import { changedFilesOf, isDocument, sameButComments } from "./changed-files.ts";
import { REPRODUCTION } from "./reproduction.ts";
import { keptBehaviour, shownRename } from "./renamed.ts";
import { weakened } from "./weakened.ts";
import { tryWithoutChange } from "./without-the-change.ts";

/** `again`: whoever asks is told what would show it, and may try. */
export type Shown = { kind: "shown"; evidence: Evidence } | { kind: "not_shown"; why: string; again: boolean };

const shown = (kind: Evidence["kind"], what: string[]): Shown => ({ kind: "shown", evidence: { kind, what: what.slice(0, 20) } });
const notShown = (why: string, again = false): Shown => ({ kind: "not_shown", why, again });

/** Failed at the start, both times, and pass now. */
function turnedGreen(state: TaskState, checks: readonly CheckResult[]): string[] {
  const start = state.atStart?.checks ?? [];
  return checks
    .filter((check) => check.passed && (check.flaky ?? []).length === 0)
    .map(({ name }) => start.find((one) => one.name === name))
    .flatMap((one) => (one !== undefined && one.ran && !one.passed && (one.flaky ?? []).length === 0 ? [one.name] : []));
}

/** Whether a change of these files can make no difference to a program: documents, comments, empty lines. */
async function cannotMatter({ texts }: StepRun, state: TaskState, files: readonly string[]): Promise<boolean> {
  const text = async (hash: string | null): Promise<string | undefined> => {
    if (hash === null) return undefined;
    const ref: BlobRef = `blob:sha256:${hash}`;
    return (await texts.has(ref)) ? Buffer.from(await texts.get(ref)).toString("utf8") : undefined;
  };
  for (const file of files) {
    if (isDocument(file)) continue;
    const { before = null, after = null } = state.changedFiles[file] ?? {};
    const [was, is] = [await text(before), await text(after)];
    if (was === undefined || is === undefined || !sameButComments(was, is)) return false;
  }
  return true;
}

function ranCommands(state: TaskState): boolean {
  return state.history.some((record) => record.actions.some(({ action, ok }) => action === "run_command" && ok));
}

function kindOf(what: readonly string[]): Evidence["kind"] {
  return what.includes(REPRODUCTION) ? "reproduction" : "check";
}

export async function goalShown(run: StepRun, state: TaskState, checks: readonly CheckResult[]): Promise<Shown> {
  if (Object.keys(state.changedFiles).length === 0 && !ranCommands(state)) return notShown("this task changed nothing");
  const fewer = weakened(state, checks);
  if (fewer !== undefined) return notShown(`tests were taken away (${fewer})`, true);
  const { sources, judges, newTests } = changedFilesOf(state);
  const green = turnedGreen(state, checks);
  const onlyNew = judges.every((file) => newTests.includes(file));
  if (green.length > 0 && onlyNew && (sources.length === 0 ? judges.length === 0 : !(await cannotMatter(run, state, sources))))
    return shown(kindOf(green), green);
  const target = run.type.verify === "target_gone" && onlyNew ? goneTarget(state, checks) : undefined;
  if (target !== undefined) return shown("finding", [target]);
  const renamed = await shownRename(run, state);
  if (renamed !== undefined) return shown("goal", [renamed]);
  if (sources.length === 0)
    return notShown(
      green.length > 0
        ? `only what judges the work was changed (${judges.slice(0, 3).join(", ")}), not the program`
        : "only tests were changed, and they pass without any change of the program",
    );
  if (judges.length === 0 && green.length === 0 && run.type.keeps_behaviour)
    return notShown(
      `behaviour is kept as far as the checks tell (${await keptBehaviour(run, state, sources)}), but nothing shows the goal itself; a command given with --reproduce that fails until it is reached would`,
    );
  if (judges.length === 0 && green.length === 0)
    return notShown("the checks passed before the task began, and no test of the task shows the goal");
  const ran = new Set(checks.filter((check) => check.could_not_run === undefined).map(({ name }) => name));
  const without = await tryWithoutChange(run, state, sources, ran);
  switch (without.kind) {
    case "fails":
      return judges.length === 0 ? shown(kindOf(green), green) : shown("test", without.what);
    case "passes":
      return notShown(
        judges.length === 0
          ? "what failed at the start passes without the change too: it is flaky"
          : `the task's tests (${judges.slice(0, 3).join(", ")}) pass without its change too, so they do not show the goal`,
        true,
      );
    case "unclear":
      return notShown(shortLine(without.why, 200));
  }
}

function goneTarget(state: TaskState, checks: readonly CheckResult[]): string | undefined {
  if (state.atStart === undefined) return undefined;
  const now = targetState(state.created.goal, state.atStart, checks);
  return now.kind === "gone" && now.fresh.length === 0
    ? `${now.target.rule ?? now.target.check}: ${shortLine(now.target.message, 120)}`
    : undefined;
}
