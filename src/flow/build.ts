/** The builder works until the tests it sees pass. They are not its to change. */
import { unifiedDiff } from "../code/lines/index.ts";
import { EVENTS, SYSTEM } from "../protocol/events/index.ts";
import { CHOICES } from "../protocol/index.ts";
import { healthOfPiece, healthText } from "./assess.ts";
import { briefOf, cutText, diffText, INPUT, withInputs } from "./brief.ts";
import { fact } from "./gate.ts";
import { contentsOf, textOf } from "./judge.ts";
import { filesOfPiece } from "./named-places.ts";
import { beginPhase, heldTo, partOf, taskFor, type Next, type Piece } from "./piece.ts";
import { briefingText } from "./retry-briefing.ts";
import type { PipelineState } from "./pipeline-state.ts";
import { runPhase, type PhaseEnd } from "./run-phase.ts";
import { back, settle, tierOf } from "./settle-phase.ts";
import { isTestFile, saysTheSame } from "./test-files.ts";
import { gaveUp } from "./weigh-test.ts";
import { dropTestTree } from "./write-tests.ts";

const BY = { actor: SYSTEM.engine };
/** Most of what was built before that a builder is shown: its tree holds all of it. */
const BUILT_CHARS = 4_000;
/** The same for the tests it has to make pass. */
const TEST_CHARS = 5_000;

/** Tests that the builder sees and may not change. */
const testsOf = ({ red }: PipelineState): string[] => red?.visible.map((file) => file.path).filter(isTestFile) ?? [];

/** One builder at work in the piece's tree; `way`: how, where several build the same. */
export async function runBuilder(piece: Piece, id: string, way?: string): Promise<PhaseEnd> {
  const { parts, request, run, tree } = piece;
  const { intent } = request;
  const { opened, red: shown, briefing, attempt, synced, takenIn } = run.state;
  // Whoever tries again sees what was tried.
  const built = attempt > 1 ? diffText(await tree.diff({ since: synced, maxBytes: BUILT_CHARS, signal: run.signal })) : undefined;
  const tests = testsOf(run.state);
  const before = [briefing === undefined ? "" : briefingText(briefing), way === undefined ? "" : `Your way: ${way}`];
  const brief = withInputs(briefOf(intent, partOf(piece), opened.assertions), {
    [INPUT.tests]: tests.join("\n"),
    [INPUT.testTexts]: await textsOf(piece, tests),
    [INPUT.readOnly]: tests.join("\n"),
    [CHOICES.input.pointedAt]: filesOfPiece(tree.path, opened.node)
      .filter((file) => !isTestFile(file))
      .join("\n"),
    [INPUT.health]: healthText({ health: [await healthOfPiece(parts, opened.node.files, tree.path, run.signal)] }),
    [INPUT.briefing]: before.filter((text) => text !== "").join("\n"),
    [INPUT.built]: built,
    [INPUT.others]:
      takenIn === undefined ? undefined : `${takenIn.by} changed ${takenIn.symbols.join(", ")}: your tree holds that, build on it`,
  });
  const held = heldTo(piece);
  const checks = shown?.checks ?? held.checks;
  const task = taskFor(piece, { id, type: "implement_feature", role: "engineer", brief, checks });
  // The new tests may keep the old ones from running at all: what failed before is known from the start of the request.
  return runPhase(parts, { ...task, failing: { before: held.before, wanted: tests, silent: held.silent } }, run.signal);
}

/** What stands in the tree as a commit, its tests as they were; which of its own tests a builder had changed. */
export async function handIn(piece: Piece): Promise<{ commit: string; setBack: string[] }> {
  const own = testsOf(piece.run.state);
  const setBack = (await setTestsBack(piece)).filter((file) => own.includes(file));
  return { commit: await piece.parts.trees.commit(piece.tree, `${piece.run.state.opened.node.id}: built`), setBack };
}

/** The builder works until the tests it sees pass. They are not its to change: what it changed of them is set back. */
export async function build(piece: Piece): Promise<Next> {
  const { parts, run, tree } = piece;
  // Whatever became of whoever wrote the tests: nothing of theirs is left when the building begins.
  for (const attempt of [run.state.attempt - 1, run.state.attempt]) await dropTestTree(parts, tree.id, attempt);
  const settled = await settle(piece, await runBuilder(piece, await beginPhase(piece, "green")));
  if ("next" in settled) return settled.next;
  const { done } = settled;
  if (done.kind === "cannot") return gaveUp(piece, done);
  if (done.kind !== "complete") return back(piece, "not_done", [fact(`It was not finished: ${done.why}`)], { tier: tierOf(done) });
  const { commit, setBack } = await handIn(piece);
  const { verified, report = "" } = done.task;
  await run.append(EVENTS.pipeline.handedOver.create({ phase: "green", commit, verified, report, tests_set_back: setBack }, BY));
  return "again";
}

/** What the tests say that were written for it, as far as there is room; the files themselves are in the tree. */
async function textsOf({ parts, run, tree }: Piece, files: readonly string[]): Promise<string> {
  const kept = run.state.red?.visible.filter((file) => files.includes(file.path)) ?? [];
  const changes = await tree.changes(run.signal, run.state.synced);
  const texts = await Promise.all(
    kept.map(async (file) => {
      const now = await textOf(parts, file);
      const was = changes.find(({ path, status }) => path === file.path && status === "modified");
      if (was === undefined) return `${file.path}:\n${now}`;
      return unifiedDiff((await tree.content(was.oldBlob)).toString("utf8"), now, { before: file.path, after: file.path });
    }),
  );
  return cutText(texts.join("\n\n"), TEST_CHARS);
}

/**
 * Tests that stood there before the phase stand as they were: they are not the builder's to change. New ones stay. Which
 * of them said something else, and were not only written in another form.
 */
export async function setTestsBack({ parts, run, tree }: Piece, but: readonly string[] = []): Promise<string[]> {
  const changed = (await tree.changes(run.signal, run.state.commit ?? run.state.synced)).filter(
    ({ path, status }) => status !== "added" && isTestFile(path) && !but.includes(path),
  );
  if (changed.length === 0) return [];
  const paths = changed.map(({ path }) => path);
  await run.mustOwn();
  await using hands = parts.trees.hands(tree);
  const requests = await Promise.all(
    changed.map(async ({ path, oldBlob }) => ({
      kind: "restore" as const,
      path,
      bytes: await tree.content(oldBlob),
      expect: (await hands.files.hash(path)) ?? null,
    })),
  );
  const said = new Map<string, string>();
  for (const file of await contentsOf(parts, tree, paths)) said.set(file.path, await textOf(parts, file));
  await hands.files.apply(requests, run.signal);
  return requests.flatMap(({ path, bytes }) => (saysTheSame(bytes.toString("utf8"), said.get(path) ?? "") ? [] : [path]));
}
