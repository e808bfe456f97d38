/** What no merge could combine, by somebody who built neither side. Tests are not its to change; those in dispute keep what both sides demand. */
import { EVENTS, SYSTEM } from "../protocol/events/index.ts";
import { briefOf, diffText, INPUT, withInputs } from "./brief.ts";
import { setTestsBack } from "./build.ts";
import { contentsOf, textOf } from "./judge.ts";
import { ask } from "./ask-about-piece.ts";
import { beginPhase, heldTo, partOf, taskFor, type Next, type Piece } from "./piece.ts";
import { runPhase } from "./run-phase.ts";
import { settle } from "./settle-phase.ts";
import { isTestFile, lostDemands } from "./test-files.ts";

const BY = { actor: SYSTEM.engine };
const DIFF_CHARS = 9_000;

export async function reconcile(piece: Piece): Promise<Next> {
  const { parts, request, run, tree, common } = piece;
  const { intent } = request;
  const { opened, disputed, red: shown } = run.state;
  const id = await beginPhase(piece, "reconcile");
  const others = await common.diff({ since: run.state.rebasing?.onto ?? common.base, maxBytes: DIFF_CHARS, signal: run.signal });
  const own = shown?.visible.map((file) => file.path).filter((file) => isTestFile(file) && !disputed.includes(file)) ?? [];
  const brief = withInputs(briefOf(intent, partOf(piece), opened.assertions), {
    [INPUT.readOnly]: own.join("\n"),
    [INPUT.others]: `${diffText(others)}\n\nThese files hold both sides between conflict marks; make each of them one text that keeps what both wanted:\n${disputed.join("\n")}`,
  });
  const checks = shown?.checks ?? heldTo(piece).checks;
  const ran = await runPhase(parts, taskFor(piece, { id, type: "reconcile", role: "reconciler", brief, checks }), run.signal);
  const settled = await settle(piece, ran);
  if ("next" in settled) return settled.next;
  const { done } = settled;
  if (done.kind !== "complete")
    return ask(piece, "conflict", `what it changed cannot be combined with what others merged (${disputed.join(", ")}): ${done.why}`);
  await setTestsBack(piece, disputed);
  const marked = await stillMarked(piece, disputed);
  if (marked.length > 0) return ask(piece, "conflict", `${marked.join(", ")} still holds both sides`);
  const lost = await lostTests(piece, disputed);
  if (lost.length > 0) return ask(piece, "conflict", `combining them left out what tests demand: ${lost.slice(0, 3).join("; ")}`);
  const commit = await parts.trees.commit(tree, `${opened.node.id}: both sides combined`);
  await run.append(
    EVENTS.pipeline.handedOver.create(
      { phase: "reconcile", commit, verified: done.task.verified, report: done.task.report ?? "", tests_set_back: [] },
      BY,
    ),
  );
  return "again";
}

export async function stillMarked({ parts, tree }: Pick<Piece, "parts" | "tree">, files: readonly string[]): Promise<string[]> {
  const kept = await contentsOf(parts, tree, files);
  const marked: string[] = [];
  for (const file of kept) if (/^(?:<{7}|>{7}) /mu.test(await textOf(parts, file))) marked.push(file.path);
  return marked;
}

/** What disputed files of tests demanded on either side, and do no longer. The commit holds them with both sides in them. */
async function lostTests({ parts, run, tree }: Piece, disputed: readonly string[]): Promise<string[]> {
  const changes = (await tree.changes(run.signal, run.state.commit ?? run.state.synced)).filter(
    ({ path }) => isTestFile(path) && disputed.includes(path),
  );
  const lost: string[] = [];
  for (const { path, oldBlob, status } of changes) {
    const [now] = status === "deleted" ? [] : await contentsOf(parts, tree, [path]);
    const text = now === undefined ? "" : await textOf(parts, now);
    lost.push(...lostDemands((await tree.content(oldBlob)).toString("utf8"), text).map((line) => `${path}: ${line}`));
  }
  return lost;
}
