/** `complete` is granted by evidence only (CTX-021); without any the work may end, but is not called verified. */
import type { Done, StepRun } from "../step-run.ts";
import type { CheckResult, Evidence } from "../task-facts.ts";
import type { TaskState } from "../task-state.ts";
import { goalShown } from "./goal-shown.ts";
import { notReadyBecause } from "./readiness.ts";
import { standingOf } from "./standing.ts";
import { after, type Verified } from "./verify-step.ts";

export interface Ending {
  verified: boolean;
  /** For people. */
  reason: string;
  evidence?: Evidence;
}

type Judgement = ({ kind: "ends" } & Ending) | { kind: "refused"; why: string };

const unverified = (why: string): Judgement => ({ kind: "ends", verified: false, reason: `finished, not verified: ${why}` });
const refused = (why: string): Judgement => ({ kind: "refused", why });

const WORDS: Record<Evidence["kind"], string> = {
  check: "failed before and passes now",
  test: "fails without the change and passes with it",
  reproduction: "the reproduction failed before and passes now",
  finding: "is gone",
  goal: "",
};

function verifiedBy(evidence: Evidence, besides = ""): Judgement {
  const { kind, what } = evidence;
  const shown = kind === "reproduction" ? WORDS[kind] : `${what.slice(0, 3).join(", ")} ${WORDS[kind]}`.trimEnd();
  return { kind: "ends", verified: true, reason: `verified: ${shown}${besides}`, evidence };
}

/** Whether it was asked for before with things as they are. */
function askedSince(state: TaskState): boolean {
  const last = Math.max(0, ...Object.values(state.changedFiles).map(({ step }) => step));
  return state.history.some(({ step, actions }) => step > last && actions.some(({ action }) => action === "complete"));
}

/** The goal is that the checks pass: then what failed before is the task's own matter. */
const WANTS_GREEN =
  /\b(?:tests?|suite|checks?|build|ci|lint\w*|types?)\b[^.]{0,40}\b(?:pass\w*|green|succeed\w*)\b|\b(?:fix|mend|repair|make)\b[^.]{0,30}\b(?:tests?|suite|checks?|build|ci)\b/i;

const NAME_FIRST = 3;

function failedBefore(checks: readonly CheckResult[], state: TaskState): { count: number; names: string } | undefined {
  const { old, fresh, flaky, unnamed, silent } = standingOf(checks, state);
  const all = [...[...old, ...flaky].map((one) => one.rule ?? one.message), ...silent.map(({ name }) => name)];
  if (fresh.length > 0 || unnamed.length > 0 || all.length === 0) return undefined;
  const names = all.slice(0, NAME_FIRST);
  return { count: all.length, names: `${names.join(", ")}${all.length > NAME_FIRST ? " …" : ""}` };
}

async function judge(run: StepRun, state: TaskState, { checks, ready }: Verified): Promise<Judgement> {
  const { type } = run;
  const askedBefore = state.history.some((record) => record.actions.some((action) => action.action === "complete"));
  if (type.verify === "report") return { kind: "ends", verified: state.seen.length > 0, reason: "answered" };
  // Tests of what exists already cannot fail; whoever says so twice is believed, but not called verified.
  const passAlready =
    type.verify === "failing_tests" && state.changes > 0 && checks.length > 0 && checks.every((check) => check.passed) && askedBefore;
  const red = ready || type.verify !== "passing" ? undefined : failedBefore(checks, state);
  if (!ready && !passAlready && red === undefined) return refused(`not complete: ${notReadyBecause(type, checks, state)}`);
  if (ready && type.writes && state.changes === 0 && !askedBefore)
    return refused("nothing has been changed yet; if the goal is already met, call complete again and say how you know");
  if (checks.length === 0) return unverified("no check says whether it is done");
  const cannot = checks.filter((check) => check.could_not_run !== undefined);
  if (type.verify === "failing_tests") {
    return ready ? verifiedBy({ kind: "test", what: Object.keys(state.changedFiles) }) : unverified("the tests it wrote pass already");
  }
  if (red === undefined && cannot.length > 0)
    return unverified(cannot.map((check) => `${check.name} could not run (${check.could_not_run?.why ?? ""})`).join("; "));
  const shown = await goalShown(run, state, checks);
  if (red !== undefined) {
    const same = `nothing new fails (${red.count} failed before)`;
    const mayBeGoal = WANTS_GREEN.test([state.created.goal, ...state.created.criteria].join(". "));
    if (shown.kind === "shown" && !mayBeGoal && cannot.length === 0) return verifiedBy(shown.evidence, `; ${same}`);
    // Whoever gave it knew of them before, and speaks of other things.
    const isKnown = state.created.failing !== undefined && !mayBeGoal;
    if (askedSince(state) || isKnown) return unverified(`${same}${shown.kind === "not_shown" ? `; ${shown.why}` : ""}`);
    return refused(
      `not complete: the same ${red.count} fail as before you began (${red.names}). If the goal is about them, mend them; if not, call complete again and say so`,
    );
  }
  if (shown.kind === "shown") return verifiedBy(shown.evidence);
  if (shown.again && !askedSince(state))
    return refused(
      `not verified: ${shown.why}. Write a test that fails without your change, or call complete again to end without that proof`,
    );
  return unverified(shown.why);
}

/** What the step did, with completion granted or refused, and how the task then ends. */
export async function judgeCompletion(
  run: StepRun,
  state: TaskState,
  done: readonly Done[],
  verified: Verified,
): Promise<{ done: Done[]; ending: Ending | undefined }> {
  let ending: Ending | undefined;
  const judged: Done[] = [];
  for (const one of done) {
    const judgement = one.action.ends === "complete" && one.result.ok ? await judge(run, after(state, done), verified) : undefined;
    if (judgement?.kind === "ends") {
      const { kind: _, ...how } = judgement;
      ending = how;
    }
    judged.push(judgement?.kind === "refused" ? { ...one, result: { ok: false, outcome: "refused", summary: judgement.why } } : one);
  }
  return { done: judged, ending };
}
