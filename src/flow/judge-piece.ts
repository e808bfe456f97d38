/** The judgement of one piece: the held-out tests and every check on a copy, beside a review that changes nothing. */
import { EVENTS, SYSTEM, type Payload } from "../protocol/events/index.ts";
import { must } from "../kernel/index.ts";
import { briefOf, INPUT, limitsText, withInputs } from "./brief.ts";
import { blockedText, fact, gated } from "./gate.ts";
import { checkPlace, placeOf, taskOf, toldOnce, weigh, type Checked } from "./judge.ts";
import { ownChecks } from "./own-checks.ts";
import { ask } from "./ask-about-piece.ts";
import { beginPhase, heldTo, partOf, taskFor, type Next, type Piece } from "./piece.ts";
import { commandChecks } from "./plan-commands.ts";
import { reviewText } from "./review-text.ts";
import { runPhase, type PhaseEnd } from "./run-phase.ts";
import { back, settle } from "./settle-phase.ts";
import { marksOf, standing } from "./standing-review.ts";
import { isTestFile, judgingChanged } from "./test-files.ts";
import { readBy } from "./what-was-read.ts";

const BY = { actor: SYSTEM.engine };
/** Longest text of a change that a reviewer is shown at once. */
const DIFF_CHARS = 12_000;
const UNSEEN =
  "some of these tests are not in your tree; they hold what was asked for, so read the assertions again rather than guess the test";

const LEAVE_TESTS = "it says what must be true; leave it as it is";
/** Without their names: some of them are held out. */
const IGNORED = "Git is told to ignore tests that were written for this";
const TAKE_IN = "tests are part of the work; let git take them in";

type Check = Payload<"task.created">["checks"][number];

/** What it is judged by: what its tests were judged by, or its builder was; where nobody built, what the request says. */
async function checksOf(piece: Piece, created: Payload<"task.created">, builder: string | undefined): Promise<readonly Check[]> {
  const { parts, run } = piece;
  const { red } = run.state;
  if (red !== undefined) return red.checks;
  if (builder !== undefined) return created.checks;
  const said = heldTo(piece).checks;
  return said === "own" ? ownChecks(parts, { created }, run.signal) : said;
}

/** What a review came to, or what follows where it came to none. */
async function weighed(
  piece: Piece,
  looked: PhaseEnd,
  checked: Awaited<ReturnType<typeof checkPlace>>,
): Promise<{ next: Next } | ReturnType<typeof gated>> {
  const { parts, request, run, tree } = piece;
  const settled = await settle(piece, looked);
  if ("next" in settled) return settled;
  const { done } = settled;
  if (done.kind !== "complete") return { next: await ask(piece, "not_done", `nobody reviewed it: ${done.why}`) };
  return gated(await weigh(parts, placeOf(tree), done.task, checked, run.signal), request.intent);
}

const isNewIn = ({ each }: Checked, check: string): boolean => each.some(({ name, fresh }) => name === check && fresh.length > 0);

/** Whether the builder could look for one of them in vain; of what names no file nobody knows. */
function mayBeHidden({ run }: Piece, { each }: Checked): boolean {
  const held = run.state.red?.held_out ?? [];
  return each
    .flatMap(({ fresh }) => fresh)
    .some(({ name, file }) => held.some(({ path }) => file === undefined || file.endsWith(path) || name.startsWith(path)));
}

export async function judgePiece(piece: Piece): Promise<Next> {
  const { parts, request, run, tree } = piece;
  const { intent } = request;
  const { opened, red: shown, synced } = run.state;
  const commit = await tree.head();
  const changes = await tree.fileDiffs({ since: synced, signal: run.signal });
  const marks = marksOf(changes, { intent });
  // Others merged what is none of its own: the checks are run again, and the same change is not read twice.
  const stands = standing(run.state.reviewed, marks);
  const id = stands === undefined ? await beginPhase(piece, "inspect", { commit }) : undefined;
  const given = reviewText(changes, DIFF_CHARS);
  const brief = withInputs(briefOf(intent, partOf(piece), opened.assertions), {
    [INPUT.diff]: given.text,
    [INPUT.limits]: limitsText(intent),
  });
  const look = (task: string): Promise<PhaseEnd> =>
    runPhase(parts, taskFor(piece, { id: task, type: "inspect", role: "inspector", brief, checks: [] }), run.signal);
  const builder = run.state.tasks.find((task) => task !== id);
  // Where only the user worked on it, the checks are run in the name of the review, which comes first then.
  const before = builder === undefined && id !== undefined ? await look(id) : undefined;
  const { created } = await taskOf(parts, must(builder ?? id));
  const checks = [...(await checksOf(piece, created, builder)), ...commandChecks(opened.assertions, opened.allowed)];
  const [checked, looked] = await Promise.all([
    checkPlace(parts, placeOf(tree), {
      as: created,
      checks,
      put: shown?.held_out ?? [],
      before: heldTo(piece).before,
      signal: run.signal,
    }),
    before ?? (id === undefined ? undefined : look(id)),
  ]);
  const reviewed =
    looked === undefined ? { sent: [], blocked: [], findings: run.state.reviewed?.findings ?? [] } : await weighed(piece, looked, checked);
  if ("next" in reviewed) return reviewed.next;
  const { sent, blocked, findings } = reviewed;
  const read = id === undefined ? run.state.reviewed?.read : await readBy(parts, id, given, { changes, tree });
  // What came with the tests is their writer's; what a builder makes of it is set back.
  const ofTests = shown?.visible.map((file) => file.path).filter(isTestFile) ?? [];
  const judging = (await judgingChanged(tree, synced, run.signal)).filter((file) => !ofTests.includes(file));
  // What no later copy would hold is run nowhere again.
  const ignored = await tree.ignored(
    [...(shown?.visible ?? []), ...(shown?.held_out ?? [])].map((file) => file.path),
    run.signal,
  );
  const counted = shown?.tests ?? null;
  // Where tests were counted once, a run that counts none proves nothing.
  const fewer = counted !== null && (checked.tests ?? 0) < counted;
  const { setBack } = run.state;
  const isAsItWas = judging.length === 0 && setBack.length === 0 && ignored.length === 0;
  const tester = checked.fresh.length === 0 && !fewer && isAsItWas && checks.length > 0;
  const inspector = findings.every((one) => !one.blocks);
  const aside = new Set(run.state.setAside.map(({ who }) => who));
  const passed = (tester || aside.has("tester")) && (inspector || aside.has("inspector"));
  await run.append(
    EVENTS.pipeline.judged.create(
      {
        commit,
        passed,
        tester_passed: tester,
        inspector_passed: inspector,
        checks: checked.lines,
        findings,
        ...marks,
        ...(read === undefined ? {} : { read }),
        ...(stands === undefined ? {} : { review_stands: stands }),
      },
      BY,
    ),
  );
  if (passed) return "again";
  const facts = [
    ...(checks.length === 0 ? [fact("No check says whether it works", "write a test")] : []),
    ...(fewer
      ? [fact(`Fewer tests run than before (${checked.tests ?? 0} of ${counted})`, "none may go, and the way they are run stays")]
      : []),
    ...(judging.length > 0 ? [fact(`${judging.join(", ")} was changed`, "how tests are run stays as it was")] : []),
    ...(ignored.length > 0 ? [fact(IGNORED, TAKE_IN, "tester")] : []),
    ...(setBack.length > 0 ? [fact(`${setBack.join(", ")} was changed and stands as it was`, LEAVE_TESTS, "tester")] : []),
    // What failed before anything was built is nobody's to mend here.
    ...toldOnce(checked.lines.filter(({ name }) => isNewIn(checked, name))).map((line) =>
      fact(`${line.name} fails: ${line.summary}`, "", "tester"),
    ),
    ...(checked.fresh.length > 0
      ? [fact(`Failing now: ${checked.fresh.join(", ")}`, mayBeHidden(piece, checked) ? UNSEEN : "", "tester")]
      : []),
  ];
  // Nothing may be asked of the builder: only the user can let a limit go.
  if (facts.length === 0 && blocked.some((one) => one.blocks) && sent.every((one) => one.intent_alignment.decision === "FLAGGED_NOTE"))
    return ask(piece, "blocked", blockedText(blocked));
  return back(piece, "tries_used_up", [...facts, ...sent]);
}
