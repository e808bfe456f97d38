/**
 * The Tester writes tests that fail, in a tree apart whose git objects nobody else reads. What the builder may see is
 * carried over; what is held out is kept in the journal alone until the work was judged by it.
 */
import { EVENTS, SYSTEM } from "../protocol/events/index.ts";
import { CHOICES } from "../protocol/index.ts";
import type { WorkTree } from "../workspace/index.ts";
import { briefOf, INPUT, withInputs } from "./brief.ts";
import { fact } from "./gate.ts";
import { contentsOf } from "./judge.ts";
import type { FlowParts } from "./parts.ts";
import { ask } from "./ask-about-piece.ts";
import { filesOfPiece } from "./named-places.ts";
import { beginPhase, heldTo, partOf, taskFor, type Next, type Piece } from "./piece.ts";
import { briefingText } from "./retry-briefing.ts";
import { runPhase } from "./run-phase.ts";
import { back, settle, tierOf } from "./settle-phase.ts";
import { shownByTest, testsFor } from "./shown-tests.ts";
import { isTestFile } from "./test-files.ts";

const BY = { actor: SYSTEM.engine };

const NO_CHECK =
  'No test can be seen to fail here: no check of this project is known, or none may run. Try again with the words "the check is npm test", or whatever tells here; the next time `--check "npm test"`, or trust the folder (`sylk trust`)';

/** Every try begins anew: only a test that was not there before can be seen to fail for what is missing. */
export const apartOf = (tree: string, attempt: number): string => `${tree}_tests_${attempt}`;

/** Where tests were written is gone, and what git kept of them with it. */
export const dropTestTree = ({ trees }: Pick<FlowParts, "trees">, tree: string, attempt: number): Promise<void> =>
  trees.drop(apartOf(tree, attempt));

/** Whatever the Tester changed, but what is held out. */
async function carryOver({ parts, run, tree }: Piece, apart: WorkTree, held: ReadonlySet<string>): Promise<void> {
  const changes = (await apart.changes(run.signal, apart.base)).filter((change) => !held.has(change.path));
  if (changes.length === 0) return;
  await run.mustOwn();
  await using hands = parts.trees.hands(tree);
  const requests = await Promise.all(
    changes.map(async ({ path, status, newBlob, newMode }) =>
      status === "deleted"
        ? { kind: "delete" as const, path }
        : {
            kind: "restore" as const,
            path,
            bytes: await apart.content(newBlob),
            mode: newMode.endsWith("755") ? 0o755 : 0o644,
            expect: (await hands.files.hash(path)) ?? null,
          },
    ),
  );
  const present = await Promise.all(
    requests.map(async (one) => (one.kind === "delete" && (await hands.files.hash(one.path)) === undefined ? [] : [one])),
  );
  await hands.files.apply(present.flat(), run.signal);
}

export async function writeTests(piece: Piece): Promise<Next> {
  const { parts, request, run, tree } = piece;
  const { intent } = request;
  const { opened, attempt, briefing, synced } = run.state;
  const id = await beginPhase(piece, "red");
  if (attempt > 1) await dropTestTree(parts, tree.id, attempt - 1);
  const apart = await parts.trees.openApart(apartOf(tree.id, attempt), synced, run.signal);
  const brief = withInputs(briefOf(intent, partOf(piece), opened.assertions), {
    [INPUT.wanted]: shownByTest(opened.assertions).join(", "),
    [CHOICES.input.pointedAt]: filesOfPiece(apart.path, opened.node).join("\n"),
    [INPUT.briefing]: attempt > 1 && briefing !== undefined ? briefingText(briefing) : undefined,
  });
  const { checks: heldChecks, before, silent } = heldTo(piece);
  const wanted = { id, type: "red_tests", role: "tester", brief, checks: heldChecks };
  const failing = { before, wanted: [], silent };
  const ran = await runPhase(parts, { ...taskFor({ run, tree: apart }, wanted), failing }, run.signal);
  const settled = await settle(piece, ran);
  if ("next" in settled) return settled.next;
  const { done } = settled;
  if (done.kind === "cannot") return ask(piece, "cannot_satisfy", done.why);
  if (done.kind !== "complete")
    return back(piece, "not_red", [fact(`The tests could not be written: ${done.why}`)], { to: "tester", tier: tierOf(done) });
  const { task } = done;
  const checks = task.verification?.checks ?? [];
  // Its writer was asked once whether they test what is missing, and says that nothing is.
  const isThere = !task.verified && checks.length > 0 && checks.every((check) => check.passed) && Object.keys(task.changedFiles).length > 0;
  // Nothing that could be seen to fail: another try would end the same.
  if (!task.verified && checks.length === 0) return ask(piece, "cannot_satisfy", NO_CHECK);
  if (!task.verified && !isThere)
    return back(piece, "not_red", [fact(`The tests do not fail: ${task.reason}. ${task.report ?? ""}`)], { to: "tester" });
  const listed = (name: string): string[] => {
    const said = task.outputs?.[name];
    return Array.isArray(said) ? said : [];
  };
  const shows = testsFor(opened.assertions, listed("shows"), checks, before);
  const without = shownByTest(opened.assertions).filter((one) => !shows.some(({ assertion }) => assertion === one));
  // Told once; what then still has no failing test has no evidence in the end.
  if (without.length > 0 && !isThere && attempt === 1 && parts.limits.attempts > 1)
    return back(piece, "not_red", [fact(`No failing test shows ${without.join(", ")}`, "write one for each, and name it in shows")], {
      to: "tester",
    });
  const changed = (await apart.changes(run.signal, apart.base)).flatMap(({ path, status }) => (status === "deleted" ? [] : [path]));
  const hidden = listed("held_out")
    .map((file) => file.replace(/^\.\//u, ""))
    .filter((file) => changed.includes(file) && isTestFile(file));
  const held = hidden.length < changed.length ? await contentsOf(parts, apart, hidden) : [];
  const heldPaths = new Set(held.map(({ path }) => path));
  const visible = await contentsOf(
    parts,
    apart,
    changed.filter((file) => !heldPaths.has(file)),
  );
  await carryOver(piece, apart, heldPaths);
  const commit = await parts.trees.commit(tree, `${opened.node.id}: tests`);
  const red = checks
    .flatMap((check) => (check.problems ?? []).flatMap((one) => (one.test === true && one.rule !== undefined ? [one.rule] : [])))
    .filter((name) => !before.includes(name));
  const counts = checks.flatMap(({ tests }) => (tests === undefined ? [] : [tests.passed + tests.failed]));
  const tests = counts.length === 0 ? null : counts.reduce((a, b) => a + b, 0);
  await run.append(
    EVENTS.pipeline.redShown.create(
      {
        commit,
        visible,
        held_out: held,
        failing: red,
        shows,
        tests,
        checks: task.created.checks,
        ...(isThere ? { already_satisfied: true } : {}),
      },
      BY,
    ),
  );
  return "again";
}
