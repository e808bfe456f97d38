/** The whole, when its pieces are merged: every check on the merged tree, a review of all of it, then the user's folder. */
import type { Run } from "../journal/index.ts";
import { isoTime, must, shortIds } from "../kernel/index.ts";
import { EVENTS, SYSTEM, type Payload } from "../protocol/events/index.ts";
import type { Plan } from "../protocol/plan/index.ts";
import type { WorkTree } from "../workspace/index.ts";
import { briefOf, INPUT, limitsText, withInputs } from "./brief.ts";
import { checkPlace, placeOf, taskOf, textOf, weigh, type Checked, type CheckedOne } from "./judge.ts";
import type { FlowParts } from "./parts.ts";
import { commandChecks } from "./plan-commands.ts";
import type { PipelineState } from "./pipeline-state.ts";
import { NOT_REVIEWED, repair } from "./repair.ts";
import { askUser, end, openTask, pipelinesOf, restFor, withoutEvidence, type Next } from "./request-hands.ts";
import { purposeKey, type RequestState } from "./request-state.ts";
import { reviewedPieces } from "./reviewed-pieces.ts";
import { countLines, reviewText, type FileDiff } from "./review-text.ts";
import { needlessTask, runPhase, type PhaseEnd } from "./run-phase.ts";
import { isGreen, type ShownTest } from "./shown-tests.ts";
import { marksOf, onlyPiece, standing } from "./standing-review.ts";

type Judged = Payload<"request.judged">;

interface Shown {
  tests: ShownTest[];
  /** Assertions whose piece was merged. */
  built: ReadonlySet<string>;
  /** By file of tests, how it stood when it failed. */
  written: ReadonlyMap<string, string>;
}

const BY = { actor: SYSTEM.engine };
const DIFF_CHARS = 12_000;
const SHOWN_CHARS = 60_000;

/** By assertion, the tests that failed for it before; of pieces that were merged. */
async function shownOf(
  parts: FlowParts,
  known: ReadonlyMap<string, PipelineState>,
  ignoredAmong: (files: readonly string[]) => Promise<string[]>,
): Promise<Shown> {
  const merged = [...known.values()].filter((piece) => piece.merged !== undefined);
  const keptOf = ({ red }: PipelineState) => [...(red?.visible ?? []), ...(red?.held_out ?? [])];
  const kept = merged.flatMap(keptOf);
  // They stand in the tree, and were in no copy of it that anything ran in.
  const unrun = new Set(await ignoredAmong(kept.map((file) => file.path)));
  const ran = merged.filter((piece) => keptOf(piece).every((file) => !unrun.has(file.path)));
  return {
    tests: ran.flatMap((piece) => piece.red?.shows ?? []),
    built: new Set(merged.flatMap((piece) => piece.opened.node.assertions)),
    written: new Map(await Promise.all(kept.map(async (file) => [file.path, await textOf(parts, file)] as const))),
  };
}

/** Which run says so, where it is not the one of this judgement. */
function asRun(line: Judged["checks"][number] | undefined): string {
  const { record, as_run_at: at } = line ?? {};
  return record === undefined || at === undefined ? "" : `, as run at ${isoTime(at)} (${record})`;
}

/** By assertion, what shows it: a test that failed and passes now, its command, or a review that found nothing against it. */
function evidenceOf(
  assertions: Plan["assertions"],
  { tests, built, written }: Shown,
  judged: Pick<Judged, "checks" | "findings" | "commit">,
  { each, folder }: { each: readonly CheckedOne[]; folder: string },
): Record<string, string> {
  const shown: Record<string, string> = {};
  const at = judged.commit.slice(0, 10);
  for (const one of assertions) {
    const against = judged.findings.some((found) => found.blocks && (found.assertion === undefined || found.assertion === one.id));
    if (!built.has(one.id) || against) continue;
    if (one.shown_by === "command") {
      const command = judged.checks.find((check) => check.name === one.id);
      if (command?.passed === true) shown[one.id] = `\`${command.command}\` passes at ${at}${asRun(command)}`;
    } else if (one.shown_by === "test") {
      const own = tests.filter(({ assertion }) => assertion === one.id);
      const [first, ...more] = own;
      if (first === undefined || !own.every((test) => isGreen(test, each, folder, written))) continue;
      const line = judged.checks.find(({ name }) => name === first.check);
      const run = `${line?.command ?? first.check}${asRun(line)}`;
      shown[one.id] =
        `${first.test}${more.length === 0 ? "" : ` and ${more.length} more`} failed before and ${more.length === 0 ? "passes" : "pass"} at ${at} (${run})`;
    } else shown[one.id] = `the review of ${at} found nothing against it`;
  }
  return shown;
}

interface AsPiece {
  piece: string;
  commit: string;
  findings: Judged["findings"];
}

/** All of it is one piece whose very contents were reviewed, each file of them: reading them again shows nothing new. */
function reviewedAsPiece(
  state: RequestState,
  changes: readonly FileDiff[],
  pieces: ReadonlyMap<string, PipelineState>,
  read: ReadonlySet<string>,
): AsPiece | undefined {
  const piece = onlyPiece(state, pieces);
  if (piece === undefined) return undefined;
  // Tests that were held out came in with the merge, as they were run.
  const but = (piece.red?.held_out ?? []).map((file) => file.path);
  if (changes.some(({ path }) => !read.has(path) && !but.includes(path))) return undefined;
  const { reviewed } = marksOf(changes, { intent: state.intent, but });
  const stands = standing(piece.reviewed, { reviewed });
  return stands === undefined
    ? undefined
    : { piece: piece.opened.node.id, commit: stands.commit, findings: piece.reviewed?.findings ?? [] };
}

/** What the look at the whole found, or what follows where it came to no end. */
async function foundIn(
  parts: FlowParts,
  run: Run<RequestState>,
  how: { looked: PhaseEnd | void; stands: AsPiece | undefined; tree: WorkTree; checked: Checked; id: string },
): Promise<{ findings: Judged["findings"] } | { next: Next }> {
  const { looked, stands, tree, checked, id } = how;
  if (!looked) return { findings: stands?.findings ?? [] };
  const rested = await restFor(parts, run, looked, id);
  if ("next" in rested) return rested;
  const { done } = rested;
  if (done.kind !== "complete") return { findings: [{ text: `${NOT_REVIEWED}: ${done.why}`.slice(0, 600), blocks: true }] };
  return { findings: await weigh(parts, placeOf(tree), done.task, checked, run.signal) };
}

/** Inspection and every check on the merged tree; what is found becomes work, a few times, then a question. */
async function judgeTree(parts: FlowParts, run: Run<RequestState>): Promise<Next> {
  const { created, intent, integration, plan, repairs, looks } = run.state;
  const { tree: treeId, checks, failing } = must(integration);
  const tree = await parts.trees.find(treeId);
  const id = await openTask(parts, run, "inspect", looks);
  const { assertions } = must(plan).plan;
  const changes = await tree.fileDiffs({ signal: run.signal });
  const pieces = await pipelinesOf(parts, run.state);
  const before = reviewedPieces(changes, pieces);
  const brief = withInputs(briefOf(intent, undefined, assertions), {
    [INPUT.reviewed]: before.text,
    [INPUT.diff]: reviewText(changes, DIFF_CHARS, before).text,
    [INPUT.limits]: limitsText(intent),
  });
  const architect = await taskOf(parts, must(plan).task);
  const commands = commandChecks(assertions, run.state.allowed);
  const wanted = {
    id,
    type: "inspect",
    role: "inspector",
    ...brief,
    checks: [],
    model: created.model,
    profile: created.profile,
    maxSteps: undefined,
    session: created.id,
    folder: ".",
    // The look at the whole owns the common tree: what a user does with a task's tree can be done with it.
    tree,
  };
  const stands = reviewedAsPiece(run.state, changes, pieces, before.read);
  const [checked, looked] = await Promise.all([
    checkPlace(parts, placeOf(tree), {
      as: architect.created,
      checks: [...checks, ...commands],
      put: [],
      before: failing,
      signal: run.signal,
    }),
    stands === undefined
      ? runPhase(parts, wanted, run.signal)
      : needlessTask(parts, wanted, `not read again: all of it was reviewed as ${stands.piece} at ${stands.commit.slice(0, 10)}`),
  ]);
  const found = await foundIn(parts, run, { looked, stands, tree, checked, id });
  if ("next" in found) return found.next;
  const { findings } = found;
  const judged = { commit: await tree.head(), checks: checked.lines, findings };
  const passed = checked.fresh.length === 0 && findings.every((one) => !one.blocks);
  const shown = await shownOf(parts, pieces, (files) => tree.ignored(files, run.signal));
  const evidence = evidenceOf(assertions, shown, judged, { each: checked.each, folder: tree.path });
  await run.append(
    EVENTS.request.judged.create(
      {
        ...judged,
        round: repairs,
        passed,
        evidence,
        ...(stands === undefined ? {} : { review_stands: { commit: stands.commit, piece: stands.piece } }),
      },
      BY,
    ),
  );
  return "again";
}

/** What a judge said that the user set aside: merged all the same, and not forgotten. */
function setAsideLines(known: ReadonlyMap<string, PipelineState>): string[] {
  return [...known.values()].flatMap(({ opened, setAside, merged }) =>
    merged === undefined
      ? []
      : setAside.map(
          ({ who, said }) => `${opened.node.id} ${opened.node.title}: the ${who}'s word was set aside by you: ${said.join("; ")}`,
        ),
  );
}

/** How often the user is asked again about the same dispute. */
const MAX_DISPUTES = 20;

async function mergeToUser(parts: FlowParts, run: Run<RequestState>): Promise<Next> {
  const { tasks, looks, judged, plan } = run.state;
  const task = must(tasks[purposeKey("inspect", looks)]);
  // What the pieces deleted is known; nothing else may go.
  const { tree: treeId, base, checks, failing } = must(run.state.integration);
  const deletions = async (): Promise<string[]> => {
    if (run.state.ended !== undefined) return [];
    const tree = await parts.trees.find(treeId).catch(() => undefined);
    return (await tree?.changes(run.signal, base))?.flatMap(({ path, status }) => (status === "deleted" ? [path] : [])) ?? [];
  };
  const merge = async (): ReturnType<typeof parts.taskTrees.merge> => parts.taskTrees.merge(task, undefined, run.signal, await deletions());
  // What the person adds from here on is too late for it.
  await run.mustOwn();
  let outcome = await merge();
  for (let dispute = 1; outcome.kind === "conflicts" && dispute <= MAX_DISPUTES; dispute += 1) {
    const files = outcome.conflicts.map((one) => one.path).join(", ");
    const message = `You changed ${files} while this was built, and both cannot be combined. Your files are untouched.`;
    const said = await askUser(parts, run, "conflict", `conflict/${must(judged).commit}/${dispute}`, message, {
      kind: "choice",
      options: [
        { value: "again", label: "try again", hint: "after you settled it by hand" },
        { value: "stop", label: "stop here", hint: `the work stays: sylk task merge ${shortIds.shorten(task)} --prefer …` },
      ],
    });
    if ("next" in said) return said.next;
    if (said.value === "stop") return end(run, "not_shown", "built, and not merged because of your own changes");
    outcome = await merge();
  }
  if (outcome.kind === "conflicts") return end(run, "not_shown", "built, and not merged because of your own changes");
  if (outcome.kind === "refused") return end(run, "failed", `it could not be merged: ${outcome.path}: ${outcome.reason}`);
  const files = outcome.kind === "nothing_to_merge" ? [] : outcome.files.map((file) => file.path);
  const missing = withoutEvidence(run.state);
  // Somebody's eyes alone are no proof.
  const isTried = must(plan).plan.assertions.some((one) => one.shown_by !== "inspection");
  // The user may have changed other files meanwhile: what counts is what stands there now.
  const architect = await taskOf(parts, must(plan).task);
  const here = await checkPlace(
    parts,
    { kind: "project", folder: "." },
    { as: architect.created, checks, before: failing, signal: run.signal },
  );
  const isShown = missing.length === 0 && judged?.passed === true && isTried && here.fresh.length === 0;
  const { summary } = must(plan).plan;
  const gap =
    missing.join(", ") ||
    (here.fresh.length > 0
      ? `in your folder these fail: ${here.fresh.slice(0, 5).join(", ")}`
      : isTried
        ? "what the checks say"
        : "all of it was only looked at");
  const aside = setAsideLines(await pipelinesOf(parts, run.state));
  return end(run, isShown ? "done" : "not_shown", isShown ? summary : `${summary}\nNot shown: ${gap}`, files, aside);
}

/** What would come into the user's folder: so many files and lines, and all of it as far as a question holds. */
async function changeToMerge(parts: FlowParts, run: Run<RequestState>): Promise<{ told: string; diff: string }> {
  const tree = await parts.trees.find(must(run.state.integration).tree);
  const { text } = await tree.diff({ signal: run.signal });
  const changes = await tree.fileDiffs({ signal: run.signal });
  const files = changes.length;
  const { added, removed } = countLines(changes);
  const told = `${files} file${files === 1 ? "" : "s"}, ${added} line${added === 1 ? "" : "s"} added, ${removed} removed`;
  return { told, diff: text.length > SHOWN_CHARS ? `${text.slice(0, SHOWN_CHARS)}\n… cut` : text };
}

export async function judgeWhole(parts: FlowParts, run: Run<RequestState>): Promise<Next> {
  const { judged, created, nodes, skipped, tasks, looks } = run.state;
  if (nodes.every((node) => node.id in skipped)) return end(run, "failed", "nothing of it was built");
  if (judged === undefined) return judgeTree(parts, run);
  if (!judged.passed) {
    const next = await repair(parts, run, judged);
    if (next !== "as it is") return next;
  }
  if (created.approve !== "auto") {
    const task = shortIds.shorten(must(tasks[purposeKey("inspect", looks)]));
    const change = await changeToMerge(parts, run);
    const message = `Merge it into your folder? ${change.told}; \`sylk task diff ${task}\` shows all of it.`;
    const said = await askUser(parts, run, "merge", `merge/${judged.commit}`, message, {
      kind: "choice",
      ...(change.diff === "" ? {} : { diff: change.diff }),
      options: [
        { value: "yes", label: "merge it" },
        { value: "no", label: "leave it", hint: "it stays in its own tree" },
      ],
    });
    if ("next" in said) return said.next;
    if (said.value === "no") return end(run, "not_shown", "built and not merged, as you wished");
  }
  return mergeToUser(parts, run);
}
