/**
 * A builder says that a test asks for something else than was wanted: whoever wrote it looks once more, in a tree apart
 * where nothing is built. It may correct the test, which counts when the engine sees it fail, or uphold it; then the user
 * hears both sides. The builder is told neither what is held out nor what its writer says of it.
 */
import { EVENTS, STREAMS, SYSTEM, type Payload } from "../protocol/events/index.ts";
import { must } from "../kernel/index.ts";
import { CHOICES } from "../protocol/index.ts";
import type { WorkTree } from "../workspace/index.ts";
import { ask } from "./ask-about-piece.ts";
import { briefOf, INPUT, withInputs } from "./brief.ts";
import { fact } from "./gate.ts";
import { checkPlace, contentsOf, placeOf, putFiles, textOf, type Checked } from "./judge.ts";
import { beginPhase, partOf, taskFor, type Next, type Piece } from "./piece.ts";
import type { PipelineState } from "./pipeline-state.ts";
import { returnedWith } from "./retry-briefing.ts";
import { runPhase, type PhaseEnd } from "./run-phase.ts";
import { settle } from "./settle-phase.ts";
import { shownByTest, testsFor } from "./shown-tests.ts";
import { isTestFile } from "./test-files.ts";
import { apartOf, dropTestTree } from "./write-tests.ts";

type Red = Payload<"pipeline.red_shown">;
type Kept = Red["held_out"];
type Weighed = PipelineState["weighed"][number];

const BY = { actor: SYSTEM.engine };

/** Whether it is one of the tests that were written for the piece, by file or by name: its name stands in the file then. */
async function isOwn({ parts, run }: Piece, test: string): Promise<boolean> {
  const written = [...(run.state.red?.visible ?? []), ...(run.state.red?.held_out ?? [])];
  const name = test.split(" > ").at(-1) ?? test;
  for (const file of written) if (test.startsWith(file.path) || (await textOf(parts, file)).includes(name)) return true;
  return false;
}

const sideOf = ({ test, how, why }: Weighed): string =>
  `The Tester looked at "${test}" again and ${how === "corrected" ? "corrected it" : "keeps it"}: ${why}`;

/** A builder stops honestly: a test of this piece that it names goes to its writer first, once; everything else to the user. */
export async function gaveUp(piece: Piece, { why, names }: Extract<PhaseEnd, { kind: "cannot" }>): Promise<Next> {
  const { run } = piece;
  const { weighed } = run.state;
  if (weighed.length > 0 || !(await isOwn(piece, names))) return ask(piece, "cannot_satisfy", why, weighed.map(sideOf));
  await run.append(EVENTS.pipeline.testContested.create({ test: names, why }, BY));
  return "again";
}

/** The tests as their writer leaves them: what was seen stays seen, what is new is held out. */
async function testsIn({ parts, run }: Piece, apart: WorkTree, red: Red): Promise<Pick<Red, "visible" | "held_out">> {
  const before = [...red.visible, ...red.held_out].map(({ path }) => path);
  const found = (await apart.changes(run.signal, apart.base)).map(({ path }) => path).filter(isTestFile);
  const now = await contentsOf(parts, apart, [...new Set([...before, ...found])]);
  const isSeen = ({ path }: { path: string }): boolean => red.visible.some((file) => file.path === path);
  return { visible: now.filter(isSeen), held_out: now.filter((file) => !isSeen(file)) };
}

const isSame = (a: Kept, b: Kept): boolean =>
  a.length === b.length && a.every((file) => b.some(({ path, content }) => path === file.path && content === file.content));

/** Where nobody says in which file a test is, any will do. */
const failsIn = ({ each }: Checked, path: string): boolean =>
  each.some(({ fresh }) => fresh.some(({ name, file }) => file === undefined || file.endsWith(path) || name.startsWith(path)));

/** Which tests show what, by what failed where nothing is built; undefined: an assertion that had one has none any more. */
function shownAnew({ opened }: PipelineState, red: Red, said: readonly string[], { each }: Checked): Red["shows"] | undefined {
  const results = each.map(({ name, failing }) => ({
    name,
    problems: failing.flatMap((one) => (one.name === name ? [] : [{ rule: one.name, path: one.file, message: "", test: true }])),
  }));
  const lines = [...said, ...red.shows.map(({ assertion, test }) => `${assertion}: ${test}`)];
  const shows = testsFor(opened.assertions, lines, results, opened.failing_before);
  const has = (list: Red["shows"], id: string): boolean => list.some(({ assertion }) => assertion === id);
  const isBare = shownByTest(opened.assertions).some((id) => has(red.shows, id) && !has(shows, id));
  return isBare ? undefined : shows;
}

/** Into the piece's tree, what its builder may see of the correction. */
async function carry({ parts, run, tree }: Piece, before: Kept, now: Kept): Promise<void> {
  await run.mustOwn();
  await putFiles(await parts.engine(), placeOf(tree), now, run.signal);
  const gone = before.filter(({ path }) => !now.some((file) => file.path === path));
  if (gone.length === 0) return;
  await using hands = parts.trees.hands(tree);
  const there = await Promise.all(gone.map(async ({ path }) => ((await hands.files.hash(path)) === undefined ? [] : [path])));
  await hands.files.apply(
    there.flat().map((path) => ({ kind: "delete" as const, path })),
    run.signal,
  );
}

async function uphold({ parts, run, tree }: Piece, why: string): Promise<Next> {
  const { attempt } = run.state;
  await run.append(EVENTS.pipeline.testWeighed.create({ how: "upheld", why }, BY));
  await dropTestTree(parts, tree.id, attempt);
  return "again";
}

export async function weighTest(piece: Piece): Promise<Next> {
  const { parts, request, run, tree, common } = piece;
  const { opened, attempt, tries, synced, commit: last } = run.state;
  const { test, why, upheld } = must(run.state.contested);
  if (upheld !== undefined) return ask(piece, "cannot_satisfy", why, run.state.weighed.map(sideOf));
  const red = must(run.state.red);
  const id = await beginPhase(piece, "red", { commit: red.commit });
  const apart = await parts.trees.openApart(apartOf(tree.id, attempt), synced, run.signal);
  const written = [...red.visible, ...red.held_out];
  if ((await parts.store.journal.head(STREAMS.task(id))) === 0) await putFiles(await parts.engine(), placeOf(apart), written, run.signal);
  const brief = withInputs(briefOf(request.intent, partOf(piece), opened.assertions), {
    [INPUT.contested]: `${test}: ${why}`,
    [CHOICES.input.pointedAt]: written.map(({ path }) => path).join("\n"),
  });
  const wanted = taskFor({ run, tree: apart }, { id, type: "weigh_test", role: "tester", brief, checks: [] });
  const settled = await settle(piece, await runPhase(parts, wanted, run.signal));
  if ("next" in settled) return settled.next;
  const { done } = settled;
  if (done.kind !== "complete") return uphold(piece, done.why);
  const { report = "", outputs, created } = done.task;
  const now = await testsIn(piece, apart, red);
  if (isSame([...now.visible, ...now.held_out], written)) return uphold(piece, report);
  // Nothing of the piece is in the common tree: there it must fail.
  const checked = await checkPlace(parts, placeOf(common), {
    as: created,
    checks: red.checks,
    put: [...now.visible, ...now.held_out],
    before: opened.failing_before,
    isStart: true,
    signal: run.signal,
  });
  const said = outputs?.["shows"];
  const shows = shownAnew(run.state, red, Array.isArray(said) ? said : [], checked);
  const anew = [...now.visible, ...now.held_out].filter(
    (file) =>
      !isSame(
        [file],
        written.filter(({ path }) => path === file.path),
      ),
  );
  if (shows === undefined || !anew.every(({ path }) => failsIn(checked, path)))
    return uphold(piece, `${report} (corrected it did not fail with nothing built, so it stays as it was)`);
  await carry(piece, red.visible, now.visible);
  const commit = isSame(now.visible, red.visible)
    ? (last ?? red.commit)
    : await parts.trees.commit(tree, `${opened.node.id}: tests corrected`);
  const told = fact(`"${test}" was looked at again after what you said of it, and corrected by whoever wrote it`, "build on", "tester");
  await run.append(
    EVENTS.pipeline.redShown.create({ ...now, commit, failing: checked.fresh, shows, tests: checked.tests, checks: red.checks }, BY),
    // It is no try of the builder's.
    EVENTS.pipeline.testWeighed.create({ how: "corrected", why: report, tries: (tries ?? parts.limits.attempts) + 1 }, BY),
    await returnedWith(piece, [told], { tier: "transient" }),
  );
  await dropTestTree(parts, tree.id, attempt);
  return "again";
}
