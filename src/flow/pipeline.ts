/**
 * One piece of a plan as a run: tests that fail, the work that makes them pass, what others merged meanwhile, a judgement,
 * the merge. Each advance is one of these, chosen by what the journal says; killed anywhere, the next one goes on.
 */
import type { Run, RunHandler } from "../journal/index.ts";
import { SylkError } from "../kernel/index.ts";
import { EVENTS, STREAMS, SYSTEM, type Payload } from "../protocol/events/index.ts";
import type { WorkTree } from "../workspace/index.ts";
import { briefOf, cutText, diffText, findingLine, INPUT, withInputs, type Brief } from "./brief.ts";
import { mergeInto, newTaskId, rebase } from "./bring-together.ts";
import { checkPlace, contentsOf, placeOf, taskOf, weigh } from "./judge.ts";
import { kindOf, openTree, type FlowParts } from "./parts.ts";
import { pipelineView, type PipelineState } from "./pipeline-state.ts";
import { openQuestion, runPhase, stopTask, whilePaused, type PhaseEnd, type PhaseTask } from "./run-phase.ts";

type Next = Awaited<ReturnType<RunHandler<PipelineState>["advance"]>>;
type Phase = Payload<"pipeline.phase_began">["phase"];
type Why = Payload<"pipeline.waits">["why"];

const BY = { actor: SYSTEM.engine };
/** Longest text of a change that a reviewer is shown at once. */
const DIFF_CHARS = 9_000;
/** The same for a builder, whose tree holds it. */
const BUILT_CHARS = 4_000;

interface Piece {
  parts: FlowParts;
  run: Run<PipelineState>;
  tree: WorkTree;
  common: WorkTree;
}

/** The id under which the phase's task is found again: written down before the task is made. */
async function beginPhase({ parts, run }: Piece, phase: Phase, commit?: string): Promise<string> {
  const { phase: now, attempt } = run.state;
  if (now?.phase === phase && now.attempt === attempt && now.commit === commit) return now.task;
  const task = newTaskId(parts);
  await run.append(EVENTS.pipeline.phaseBegan.create({ phase, attempt, task, ...(commit === undefined ? {} : { commit }) }, BY));
  return task;
}

function taskFor(
  { run, tree }: Piece,
  how: { id: string; type: string; role: string; brief: Brief; checks: PhaseTask["checks"] },
): PhaseTask {
  const { opened } = run.state;
  return {
    id: how.id,
    type: how.type,
    role: how.role,
    ...how.brief,
    checks: how.checks,
    model: opened.model,
    profile: opened.profile,
    maxSteps: undefined,
    session: opened.request,
    sessionUsd: opened.budget_usd,
    folder: ".",
    sharedTree: tree,
  };
}

const named = (commands: readonly string[]): PhaseTask["checks"] =>
  commands.length === 0
    ? "own"
    : commands.map((command, index) => ({ name: commands.length === 1 ? "check" : `check ${index + 1}`, command, from: "person" }));

/** Asks the user what is to become of it; with the next advance it rests. */
async function ask({ parts, run }: Pick<Piece, "parts" | "run">, why: Why, text: string): Promise<Next> {
  const { opened, attempt, tree } = run.state;
  const at = tree === undefined ? undefined : await parts.trees.find(tree).catch(() => undefined);
  const question = await parts.questions.put({
    asker: { kind: "pipeline", id: opened.id },
    session: opened.request,
    key: `${why}/${attempt}`,
    message: `${opened.node.id} ${opened.node.title}: ${text}`,
    ask: {
      kind: "choice",
      options: [
        { value: "retry", label: "try again", hint: "with what you add", words: "possible" },
        ...(at === undefined
          ? []
          : [{ value: "take_over", label: "take over", hint: `finish it in ${at.path}, then choose this: it is judged as it stands` }]),
        { value: "skip", label: "leave it out", hint: "what needs it waits" },
        { value: "abort", label: "stop here", hint: "nothing of it is merged" },
      ],
    },
    by: SYSTEM.engine,
  });
  await run.append(EVENTS.pipeline.waits.create({ why, question: question.id, text }, BY));
  return "again";
}

/** It rests for an answer that its task asked for; the task takes it up itself. */
async function restForTask({ run }: Piece, end: Extract<PhaseEnd, { kind: "asks" }>): Promise<Next> {
  if (run.state.waits?.question !== end.question)
    await run.append(EVENTS.pipeline.waits.create({ why: "task_asks", question: end.question, text: end.text }, BY));
  return "again";
}

async function end(run: Run<PipelineState>, how: Payload<"pipeline.ended">["how"], why: string): Promise<Next> {
  await run.append(EVENTS.pipeline.ended.create({ how, why }, BY));
  return "again";
}

/** Again with what is known now, or to the user when it was tried often enough. */
async function back(piece: Piece, why: Why, briefing: string): Promise<Next> {
  const { parts, run } = piece;
  const { attempt } = run.state;
  if (attempt >= parts.limits.attempts) return ask(piece, why, cutText(briefing, 1_500));
  await run.append(EVENTS.pipeline.returned.create({ attempt: attempt + 1, briefing: cutText(briefing) }, BY));
  return "again";
}

const isTestFile = (file: string): boolean =>
  /(?:^|\/)(?:tests?|__tests__|spec)\/|(?:^|\/)test_[^/]+$|[._-](?:test|spec)s?\.[a-z]+$|_test\.[a-z]+$|(?:^|\/)conftest\.py$/iu.test(file);

/** The Tester writes tests that fail; those it holds out are taken out of the tree before anybody builds. */
async function red(piece: Piece): Promise<Next> {
  const { parts, run, tree } = piece;
  const { opened, attempt, briefing } = run.state;
  const id = await beginPhase(piece, "red");
  const brief = withInputs(briefOf(opened.intent, opened.node, opened.assertions), {
    [INPUT.briefing]: attempt > 1 ? briefing : undefined,
  });
  const done = await runPhase(
    parts,
    taskFor(piece, { id, type: "red_tests", role: "tester", brief, checks: named(opened.checks) }),
    run.signal,
  );
  if (done.kind === "asks") return restForTask(piece, done);
  if (done.kind === "paused") return "again";
  if (done.kind === "spent") return ask(piece, "budget", done.why);
  if (done.kind === "cannot") return ask(piece, "cannot_satisfy", done.why);
  if (done.kind === "stuck") return back(piece, "not_red", `The tests could not be written: ${done.why}`);
  const { task } = done;
  if (!task.verified) return back(piece, "not_red", `The tests do not fail: ${task.reason}. ${task.report ?? ""}`);
  const changed = Object.entries(task.changedFiles).flatMap(([file, { after }]) => (after === null ? [] : [file]));
  const asked = task.outputs?.["held_out"];
  const hidden = (Array.isArray(asked) ? asked : [])
    .map((file) => file.replace(/^\.\//u, ""))
    .filter((file) => changed.includes(file) && isTestFile(file));
  const held = hidden.length < changed.length ? await contentsOf(parts, tree, hidden) : [];
  const visible = await contentsOf(
    parts,
    tree,
    changed.filter((file) => !held.some((one) => one.path === file)),
  );
  if (held.length > 0) {
    await run.mustOwn();
    await using hands = parts.trees.hands(tree);
    await hands.files.apply(
      held.map(({ path }) => ({ kind: "delete" as const, path })),
      run.signal,
    );
  }
  const commit = await parts.trees.commit(tree, `${opened.node.id}: tests`);
  const checks = task.verification?.checks ?? [];
  const failing = checks.flatMap((check) =>
    (check.problems ?? []).flatMap((one) => (one.test === true && one.rule !== undefined ? [one.rule] : [])),
  );
  const counts = checks.flatMap(({ tests }) => (tests === undefined ? [] : [tests.passed + tests.failed]));
  const tests = counts.length === 0 ? null : counts.reduce((a, b) => a + b, 0);
  await run.append(EVENTS.pipeline.redShown.create({ commit, visible, held_out: held, failing, tests, checks: task.created.checks }, BY));
  return "again";
}

/** The builder works until the tests it sees pass. They are not its to change: what it changed of them is set back. */
async function green(piece: Piece): Promise<Next> {
  const { parts, run, tree } = piece;
  const { opened, red: shown, briefing, attempt, synced } = run.state;
  const id = await beginPhase(piece, "green");
  // Whoever tries again sees what was tried.
  const built = attempt > 1 ? diffText(await tree.diff({ since: synced, maxBytes: BUILT_CHARS, signal: run.signal })) : undefined;
  const tests = shown?.visible.map((file) => file.path).filter(isTestFile) ?? [];
  const brief = withInputs(briefOf(opened.intent, opened.node, opened.assertions), {
    [INPUT.tests]: tests.join("\n"),
    [INPUT.readOnly]: tests.join("\n"),
    [INPUT.briefing]: briefing,
    [INPUT.built]: built,
  });
  const checks = shown?.checks ?? named(opened.checks);
  const done = await runPhase(parts, taskFor(piece, { id, type: "implement_feature", role: "engineer", brief, checks }), run.signal);
  if (done.kind === "asks") return restForTask(piece, done);
  if (done.kind === "paused") return "again";
  if (done.kind === "spent") return ask(piece, "budget", done.why);
  if (done.kind === "cannot") return ask(piece, "cannot_satisfy", done.why);
  if (done.kind === "stuck") return back(piece, "not_done", `It was not finished: ${done.why}`);
  await setTestsBack(piece);
  const commit = await parts.trees.commit(tree, `${opened.node.id}: built`);
  const { verified, report = "" } = done.task;
  await run.append(EVENTS.pipeline.handedOver.create({ phase: "green", commit, verified, report }, BY));
  return "again";
}

/** Tests that stood there before the phase stand as they were: they are not the builder's to change. New ones stay. */
async function setTestsBack({ parts, run, tree }: Piece): Promise<void> {
  const changed = (await tree.changes(run.signal, await tree.head())).filter(({ path, status }) => status !== "added" && isTestFile(path));
  if (changed.length === 0) return;
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
  await hands.files.apply(requests, run.signal);
}

/** What decides how tests are run. A builder that changes it changes its own judge. */
const JUDGING =
  /(?:^|\/)(?:vitest|jest|playwright|karma|cypress|ava|web-test-runner)\.config\.[a-z]+$|(?:^|\/)(?:\.mocharc(?:\.[a-z]+)?|\.nycrc|pytest\.ini|tox\.ini|noxfile\.py|phpunit\.xml|Rakefile|Makefile|justfile)$/u;

/** Ways in which tests are run that changed since a commit. */
async function judgingChanged({ run, tree }: Piece, since: string): Promise<string[]> {
  const changes = await tree.changes(run.signal, since);
  const scriptsOf = async (blob: string): Promise<string> => {
    if (/^0+$/u.test(blob)) return "";
    try {
      const parsed = JSON.parse((await tree.content(blob)).toString("utf8")) as { scripts?: Record<string, string> };
      return JSON.stringify(Object.entries(parsed.scripts ?? {}).filter(([name]) => /test|check|lint/u.test(name)));
    } catch {
      return "";
    }
  };
  const found: string[] = [];
  for (const { path, oldBlob, newBlob, status } of changes) {
    if (status !== "added" && JUDGING.test(path)) found.push(path);
    if (/(?:^|\/)package\.json$/u.test(path) && status === "modified" && (await scriptsOf(oldBlob)) !== (await scriptsOf(newBlob)))
      found.push(path);
  }
  return found;
}

/** What no merge could combine, by somebody who built neither side. */
async function reconcile(piece: Piece): Promise<Next> {
  const { parts, run, tree, common } = piece;
  const { opened, disputed, red: shown } = run.state;
  const id = await beginPhase(piece, "reconcile");
  const others = await common.diff({ since: run.state.rebasing?.onto ?? common.base, maxBytes: DIFF_CHARS, signal: run.signal });
  const brief = withInputs(briefOf(opened.intent, opened.node, opened.assertions), {
    [INPUT.others]: `${diffText(others)}\n\nThese files hold both sides between conflict marks; make each of them one text that keeps what both wanted:\n${disputed.join("\n")}`,
  });
  const checks = shown?.checks ?? named(opened.checks);
  const done = await runPhase(parts, taskFor(piece, { id, type: "reconcile", role: "reconciler", brief, checks }), run.signal);
  if (done.kind === "asks") return restForTask(piece, done);
  if (done.kind === "paused") return "again";
  if (done.kind === "spent") return ask(piece, "budget", done.why);
  if (done.kind !== "complete")
    return ask(piece, "conflict", `what it changed cannot be combined with what others merged (${disputed.join(", ")}): ${done.why}`);
  const marked = await stillMarked(piece, disputed);
  if (marked.length > 0) return ask(piece, "conflict", `${marked.join(", ")} still holds both sides`);
  const commit = await parts.trees.commit(tree, `${opened.node.id}: both sides combined`);
  await run.append(
    EVENTS.pipeline.handedOver.create({ phase: "reconcile", commit, verified: done.task.verified, report: done.task.report ?? "" }, BY),
  );
  return "again";
}

async function stillMarked({ parts, tree }: Pick<Piece, "parts" | "tree">, files: readonly string[]): Promise<string[]> {
  const kept = await contentsOf(parts, tree, files);
  const marked: string[] = [];
  for (const { path, content } of kept) {
    const text = Buffer.from(await parts.store.blobs.get(content as `blob:sha256:${string}`)).toString("utf8");
    if (/^(?:<{7}|>{7}) /mu.test(text)) marked.push(path);
  }
  return marked;
}

/** The held-out tests and every check on a copy, beside a review that changes nothing. */
async function judge(piece: Piece): Promise<Next> {
  const { parts, run, tree } = piece;
  const { opened, red: shown, synced } = run.state;
  const commit = await tree.head();
  const id = await beginPhase(piece, "inspect", commit);
  const builder = await taskOf(parts, run.state.tasks.find((task) => task !== id) ?? id);
  const commands = opened.assertions.flatMap((one) =>
    one.shown_by === "command" && one.command !== undefined ? [{ name: one.id, command: one.command, from: "project" as const }] : [],
  );
  const checks = [...(shown?.checks ?? builder.created.checks), ...commands];
  const diff = await tree.diff({ since: synced, maxBytes: DIFF_CHARS, signal: run.signal });
  const brief = withInputs(briefOf(opened.intent, opened.node, opened.assertions), { [INPUT.diff]: diffText(diff) });
  const [checked, looked] = await Promise.all([
    checkPlace(parts, placeOf(tree), {
      as: builder.created,
      checks,
      put: shown?.held_out ?? [],
      before: opened.failing_before,
      signal: run.signal,
    }),
    runPhase(parts, taskFor(piece, { id, type: "inspect", role: "inspector", brief, checks: [] }), run.signal),
  ]);
  if (looked.kind === "asks") return restForTask(piece, looked);
  if (looked.kind === "paused") return "again";
  if (looked.kind === "spent") return ask(piece, "budget", looked.why);
  if (looked.kind !== "complete") return ask(piece, "not_done", `nobody reviewed it: ${looked.why}`);
  const findings = await weigh(parts, tree, looked.task, checked, run.signal);
  const judging = await judgingChanged(piece, synced);
  const before = shown?.tests ?? null;
  // Where tests were counted once, a run that counts none proves nothing.
  const fewer = before !== null && (checked.tests ?? 0) < before;
  const passed = checked.fresh.length === 0 && !fewer && judging.length === 0 && findings.every((one) => !one.blocks) && checks.length > 0;
  await run.append(EVENTS.pipeline.judged.create({ commit, passed, checks: checked.lines, findings }, BY));
  if (passed) return "again";
  return back(
    piece,
    "tries_used_up",
    [
      ...(checks.length === 0 ? ["No check says whether it works: write a test."] : []),
      ...(fewer ? [`Fewer tests run than before (${checked.tests ?? 0} of ${before}): none may go, and the way they are run stays.`] : []),
      ...(judging.length > 0 ? [`${judging.join(", ")}: how tests are run stays as it was.`] : []),
      ...checked.lines.filter((line) => !line.passed).map((line) => `${line.name} fails: ${line.summary}`),
      ...(checked.fresh.length > 0 ? [`Failing now: ${checked.fresh.join(", ")}`] : []),
      ...findings.filter((one) => one.blocks).map((one) => `The review found: ${findingLine(one)}`),
      ...findings.filter((one) => !one.blocks).map((one) => `The review noted: ${findingLine(one)}`),
      "Some of these tests are not in your tree; they hold what was asked for, so read the assertions again rather than guess the test.",
    ].join("\n"),
  );
}

/** What others merged since comes first; undefined: nothing did. */
async function takeIn(piece: Piece): Promise<Next | undefined> {
  const { parts, run, tree, common } = piece;
  const current = await rebase(parts, run, tree, common);
  if (current === "current") return undefined;
  return current === "moved" ? "again" : ask(piece, "conflict", `what others merged could not be taken in: ${current.refused}`);
}

async function merge(piece: Piece): Promise<Next> {
  const { parts, run, tree, common } = piece;
  const done = await mergeInto(parts, run, tree, common);
  if (done === "merged") return "again";
  return done === "moved" ? ((await takeIn(piece)) ?? "again") : ask(piece, "conflict", `it could not be merged: ${done.refused}`);
}

/** The user finished it by hand: what stands in its tree is its work, and is judged like any other. */
async function takeOver(parts: FlowParts, run: Run<PipelineState>, words: string): Promise<Next> {
  const { opened, tree: id, disputed, attempt, waits } = run.state;
  const tree = await parts.trees.find(id ?? "");
  const marked = await stillMarked({ parts, tree }, disputed);
  await run.mustOwn();
  const commit = marked.length > 0 ? undefined : await parts.trees.commit(tree, `${opened.node.id}: by the user`);
  const answered = EVENTS.pipeline.answered.create({ choice: "take_over", words }, BY);
  const returned = EVENTS.pipeline.returned.create({ attempt: attempt + 1, briefing: waits?.text ?? "" }, BY);
  if (commit === undefined) {
    await run.append(answered, returned);
    return ask({ parts, run }, "conflict", `${marked.join(", ")} still holds both sides`);
  }
  const phase = disputed.length > 0 ? "reconcile" : "green";
  await run.append(
    answered,
    returned,
    EVENTS.pipeline.handedOver.create({ phase, commit, verified: false, report: "finished by the user" }, BY),
  );
  return "again";
}

/** What the user chose; a task's own question is taken up by the task. */
async function takeAnswer(parts: FlowParts, run: Run<PipelineState>): Promise<Next> {
  const { waits, opened } = run.state;
  if (waits === undefined) return "again";
  const question = await parts.questions.get(waits.question);
  if (question?.status === "open") {
    // Others may have its place meanwhile.
    await tellParent(parts, run.state);
    return { wait: { stream: STREAMS.question(question.asker.id, question.id), after: 1 } };
  }
  const answer = question?.answer;
  const words = answer?.kind === "chosen" ? (answer.words ?? "") : "";
  const choice =
    answer?.kind !== "chosen" || waits.why === "task_asks"
      ? "retry"
      : answer.value === "skip" || answer.value === "abort" || answer.value === "take_over"
        ? answer.value
        : "retry";
  if (choice === "take_over") return takeOver(parts, run, words);
  await run.append(EVENTS.pipeline.answered.create({ choice, words }, BY));
  if (waits.why === "task_asks") return "again";
  if (choice === "retry") {
    const briefing = [waits.text, words === "" ? "" : `The user says: ${words}`].filter((text) => text !== "").join("\n");
    await run.append(EVENTS.pipeline.returned.create({ attempt: run.state.attempt + 1, briefing }, BY));
    return "again";
  }
  return end(
    run,
    choice === "skip" ? "skipped" : "aborted",
    words === "" ? `${opened.node.id} was ${choice === "skip" ? "left out" : "stopped"} by the user` : words,
  );
}

/** The parent looks again; told twice it looks twice. */
async function tellParent({ store }: FlowParts, { opened }: PipelineState): Promise<void> {
  const rested = EVENTS.request.rested.create({ node: opened.node.id, pipeline: opened.id }, BY);
  await store.journal.append(STREAMS.request(opened.request), "any", [rested]);
}

/** One piece of its way, by where it stands. */
async function advance(parts: FlowParts, request: string, run: Run<PipelineState>): Promise<Next> {
  const { state } = run;
  if (state.ended !== undefined) {
    await tellParent(parts, state);
    return "done";
  }
  if (state.waits !== undefined) return takeAnswer(parts, run);
  if (state.late !== undefined) {
    const task = state.phase?.task;
    if (task !== undefined) await stopTask(parts, task, state.late);
    return ask({ parts, run }, "late", state.late);
  }
  const paused = await whilePaused(parts, request);
  if (paused === "ended") return end(run, "cancelled", "its request has ended");
  if (paused !== undefined) return paused;
  const common = await parts.trees.find(state.opened.integration);
  if (state.tree === undefined) {
    const tree = parts.trees.idOf(state.opened.id);
    await run.append(EVENTS.pipeline.treeMade.create({ tree, synced: await common.head() }, BY));
    return "again";
  }
  const tree = await openTree(parts, state.tree, state.commit ?? state.synced, run.signal);
  const piece: Piece = { parts, run, tree, common };
  if (state.merged !== undefined) {
    await parts.trees.discard(tree.id);
    return end(run, "merged", "");
  }
  if (state.merging !== undefined) return merge(piece);
  if (state.red === undefined && state.opened.assertions.some((one) => one.shown_by === "test")) return red(piece);
  if (!state.built) return green(piece);
  if (state.disputed.length > 0) return reconcile(piece);
  const next = await takeIn(piece);
  if (next !== undefined) return next;
  if (state.judged?.commit !== (await tree.head()) || !state.judged.passed) return judge(piece);
  return merge(piece);
}

export function pipelineHandler(parts: FlowParts, request: string): RunHandler<PipelineState> {
  return {
    kind: kindOf(request),
    view: pipelineView,
    mayGoOn: ({ ended }) => ended?.how !== "cancelled",
    turn: ({ lates }) => lates,
    async advance(run) {
      try {
        return await parts.seats.with(request, run.signal, () => advance(parts, request, run));
      } catch (error) {
        if (SylkError.is(error, "DEADLINE_PASSED") && !run.signal.aborted) return ask({ parts, run }, "late", error.message);
        const asked = await openQuestion(parts, error);
        if (asked === undefined) throw error;
        await run.append(EVENTS.pipeline.waits.create({ why: "task_asks", question: asked.id, text: asked.text }, BY));
        return "again";
      }
    },
  };
}
