/**
 * How the checks stand before anything is built: measured once, on the state everything begins from, before a plan is
 * made. Whoever plans is told, the person sees it beside each command of the plan, and the pieces are compared with it.
 * Measured anew only where the project was changed before the plan was approved.
 */
import type { Run, Store } from "../journal/index.ts";
import { must } from "../kernel/index.ts";
import { EVENTS, STREAMS, SYSTEM, type Payload } from "../protocol/events/index.ts";
import type { TaskState } from "../step/index.ts";
import { checkPlace, placeOf, taskOf, type Checked } from "./judge.ts";
import { ownChecks } from "./own-checks.ts";
import { openTree, type FlowParts } from "./parts.ts";
import { commandChecks, judgeCommands } from "./plan-commands.ts";
import { openTask, type Next } from "./request-hands.ts";
import { requestView, type RequestState } from "./request-state.ts";
import { noteOf, runnable, silentIn, whatTells, yours } from "./tests-alone.ts";

type Baseline = Payload<"request.measured">;
export type Today = Baseline["today"][number];
type Runner = TaskState["created"];

const BY = { actor: SYSTEM.engine };
/** Failures that are named in a line. */
const MOST_NAMED = 3;

const nameOf = (index: number, all: readonly string[]): string => (all.length === 1 ? "check" : `check ${index + 1}`);

/** Nothing of it is a task yet: whoever tests runs the checks for the one that plans. */
function runnerFor({ created, intent }: RequestState, id: string, place: Runner["place"]): Runner {
  return {
    id,
    session: created.id,
    goal: intent.words,
    type: "plan_request",
    role: "tester",
    criteria: [],
    constraints: [],
    checks: [],
    rules: [],
    inputs: {},
    overview: "",
    model: created.model ?? "",
    profile: created.profile,
    max_steps: null,
    place,
    phase: "",
  };
}

function todayOf({ lines, each }: Checked): Today[] {
  return lines.map(({ name, command, passed, summary }) => {
    const one = must(each.find((check) => check.name === name));
    const named = one.failing.flatMap((failure) => (failure.name === name ? [] : [failure.name]));
    if (passed) return { command, says: "passes", failing: [], why: "" };
    return one.mute || one.lacks
      ? { command, says: "could_not_run", failing: [], why: summary }
      : { command, says: "fails", failing: named, why: summary };
  });
}

/** The tree the pieces will meet in, at the state it all begins from, and what the checks say of it. */
async function measureStart(parts: FlowParts, run: Run<RequestState>): Promise<Baseline> {
  const { created, plan } = run.state;
  const id = plan?.task ?? (await openTask(parts, run, "plan", 1));
  const tree = await openTree(parts, parts.trees.idOf(created.id), created.from?.base, run.signal);
  const as = runnerFor(run.state, id, placeOf(tree));
  const own = created.checks.map((command, index) => ({ name: nameOf(index, created.checks), command, from: "person" as const }));
  const checks = own.length > 0 ? own : await ownChecks(parts, { created: as }, run.signal);
  const place = { kind: "tree" as const, tree: tree.id, folder: tree.path };
  const checked = await checkPlace(parts, place, { as, checks, isStart: true, signal: run.signal });
  const telling = await whatTells(parts, place, { as, checks, checked, state: run.state, signal: run.signal });
  const beside = telling.checked;
  const measured: Baseline = {
    tree: tree.id,
    base: tree.base,
    content: (await tree.snapshot("start", run.signal)).tree,
    checks: [...checks, ...telling.checks].filter(({ name }) => ![...checked.mute, ...(beside?.mute ?? [])].includes(name)),
    failing: [...checked.failing, ...(beside?.failing ?? [])],
    silent: silentIn(checks, checked, telling),
    today: [
      ...todayOf(checked).map((one) => ({ ...one, ...noteOf(one.command, telling) })),
      ...(beside === undefined ? [] : todayOf(beside)),
      ...telling.left,
    ],
  };
  await run.append(EVENTS.request.measured.create(measured, BY));
  return measured;
}

export async function measure(parts: FlowParts, run: Run<RequestState>): Promise<Next> {
  await currentBaseline(parts, run);
  return "again";
}

/** What was measured, where the project still is as it was then; else it is measured as it is now. */
export async function currentBaseline(parts: FlowParts, run: Run<RequestState>): Promise<Baseline> {
  const { created, baseline } = run.state;
  if (baseline === undefined) return measureStart(parts, run);
  // Where no check could run while it was planned, as in plan mode none may, one perhaps can now; without it nothing would be shown.
  const lacks = baseline.checks.length === 0 && baseline.today.some(({ says }) => says === "could_not_run");
  if (
    !lacks &&
    unmeasured(run.state).length === 0 &&
    (created.from?.base !== undefined || (await parts.trees.standing(run.signal)) === baseline.content)
  )
    return baseline;
  await run.mustOwn();
  await parts.trees.drop(baseline.tree);
  return measureStart(parts, run);
}

/** Commands that the person named as checks and nobody ran yet. */
export const unmeasured = ({ named, baseline }: RequestState): string[] =>
  baseline === undefined ? [] : named.filter((command) => !baseline.today.some((one) => one.command === command));

export const isMeasured = (state: RequestState): boolean => state.baseline !== undefined && unmeasured(state).length === 0;

/** Until when a piece waits for how a check stands that was named meanwhile; undefined: all of them are known. */
export async function whileUnmeasured(
  { journal }: Store,
  request: string,
): Promise<{ wait: { stream: string; after: number } } | undefined> {
  const stream = STREAMS.request(request);
  // Measured first, so that what is found meanwhile is not slept through.
  const after = await journal.head(stream);
  const state = await journal.get(requestView, stream);
  return state === undefined || unmeasured(state).length === 0 ? undefined : { wait: { stream, after } };
}

/** What was named while it is built, on the state it all began from. */
export async function measureNamed(parts: FlowParts, run: Run<RequestState>): Promise<Next> {
  const { baseline, created, named, integration } = run.state;
  const { checks, failing, today, ...start } = must(baseline);
  const tree = await openTree(parts, `${start.tree}_named_${named.length}`, must(integration).base, run.signal);
  const as = runnerFor(run.state, must(run.state.plan).task, placeOf(tree));
  const fresh = yours(run.state).filter(({ command }) => unmeasured(run.state).includes(command));
  const { run: wanted, left } = await runnable(parts, as, fresh);
  // What fails and names nothing does not tell: the person named what does.
  const mute = checks.filter(({ command }) =>
    today.some((one) => one.command === command && one.says === "fails" && one.failing.length === 0),
  );
  const checked = await checkPlace(parts, placeOf(tree), { as, checks: [...mute, ...wanted], isStart: true, signal: run.signal });
  await parts.trees.drop(tree.id);
  parts.log.info("a check was named", { request: created.id, commands: wanted.map(({ command }) => command) });
  const isWanted = ({ name }: { name: string }): boolean => wanted.some((check) => check.name === name);
  const measured: Baseline = {
    ...start,
    checks: [...checks, ...wanted],
    failing: [...failing, ...checked.each.filter(isWanted).flatMap((one) => one.failing.map(({ name }) => name))],
    silent: [
      ...new Set([...start.silent, ...checked.each.flatMap((one) => (isWanted(one) || one.silent === undefined ? [] : [one.silent]))]),
    ],
    today: [...today, ...todayOf({ ...checked, lines: checked.lines.filter(isWanted) }), ...left],
  };
  await run.append(EVENTS.request.measured.create(measured, BY));
  return "again";
}

const commandsOf = ({ plan }: RequestState): ReturnType<typeof commandChecks> => commandChecks(plan?.plan.assertions ?? [], []);

/** Everything known of how commands stand today, of checks and of what the plan names. */
export const todayIn = ({ baseline, tried }: RequestState): Today[] => [...(baseline?.today ?? []), ...tried];

/** Whether the plan names a command of which nothing is known yet. */
export function isUntried(state: RequestState): boolean {
  const known = new Set(todayIn(state).map(({ command }) => command));
  return commandsOf(state).some(({ command }) => !known.has(command));
}

/** Commands of the plan that nobody ran yet, on the state it begins from; those the person must allow first are left alone. */
export async function tryCommands(parts: FlowParts, run: Run<RequestState>): Promise<Next> {
  const { plan, baseline } = run.state;
  const known = new Set(todayIn(run.state).map(({ command }) => command));
  const fresh = commandsOf(run.state).filter(
    ({ command }, at, all) => !known.has(command) && all.findIndex((one) => one.command === command) === at,
  );
  const tree = await parts.trees.find(must(baseline).tree);
  const as = (await taskOf(parts, must(plan).task)).created;
  const { asks, never } = await judgeCommands(parts, must(plan).plan, as);
  const mayRun = fresh.filter(({ command }) => !asks.includes(command) && !never.includes(command));
  const checked = await checkPlace(parts, placeOf(tree), {
    as: { ...as, place: placeOf(tree) },
    checks: mayRun,
    isStart: true,
    signal: run.signal,
  });
  const left = fresh.filter((one) => !mayRun.includes(one));
  await run.append(
    EVENTS.request.tried.create(
      { today: [...todayOf(checked), ...left.map(({ command }): Today => ({ command, says: "not_tried", failing: [], why: "" }))] },
      BY,
    ),
  );
  return "again";
}

/** Beside a command of the plan: how it stands today; nothing where it is not known. */
export function todayNote(today: readonly Today[], command: string | undefined): string {
  const one = today.find((known) => known.command === command);
  if (one === undefined) return "";
  const notes = {
    passes: "passes today",
    fails: "fails today",
    could_not_run: `${one.why} today`,
    not_tried: "not tried yet: you allow it with the plan",
  };
  return `; ${notes[one.says]}`;
}

function todayLine({ command, says, failing, why, runs_no_test: blind, instead }: Today): string {
  if (says !== "fails") return `${command}: ${says === "passes" ? "passes" : why}`;
  if (blind === true) {
    const then = instead === undefined ? "nothing else is known that runs them" : `tests are run by \`${instead}\``;
    return `${command}: stops before any test runs (${why}); ${then}`;
  }
  const named = failing.slice(0, MOST_NAMED).join(", ");
  const more = failing.length > MOST_NAMED ? ", …" : "";
  return failing.length === 0 ? `${command}: fails: ${why}` : `${command}: fails with ${failing.length} named: ${named}${more}`;
}

export const baselineText = (today: readonly Today[]): string => today.map(todayLine).join("\n");
