/** What the checks and a second pair of eyes say of a tree. The runner's record counts; a finding without evidence is a note. */
import path from "node:path";
import { readFile } from "node:fs/promises";
import type { BlobRef } from "../journal/index.ts";
import { SylkError, must } from "../kernel/index.ts";
import { PLAN } from "../protocol/plan/index.ts";
import { STREAMS, type Payload } from "../protocol/events/index.ts";
import type { Place } from "../protocol/index.ts";
import { allOnRecord, recordIn, runChecks, taskView, type StepEngine, type TaskState } from "../step/index.ts";
import { gateByRule, openWorkspace, type WorkTree } from "../workspace/index.ts";
import type { Finding } from "./brief.ts";
import type { FlowParts } from "./parts.ts";

type Judged = Payload<"pipeline.judged">;
export type CheckLine = Judged["checks"][number];
type Kept = Payload<"pipeline.red_shown">["held_out"][number];
type NamedCheck = TaskState["created"]["checks"][number];
type CheckResult = Awaited<ReturnType<typeof runChecks>>[number];

/** One check: whether it said anything, and which tests fail in it; where it names none, itself. */
export interface CheckedOne {
  name: string;
  /** It may not run here. */
  mute: boolean;
  /** What it needs is not there yet. */
  lacks: boolean;
  /** How it failed, where it names nothing. */
  silent: string | undefined;
  failing: { name: string; file: string | undefined }[];
  /** Of these, what did not fail before. */
  fresh: { name: string; file: string | undefined }[];
}

export interface Checked {
  lines: CheckLine[];
  /** What fails that did not fail before: tests by name, else checks. */
  fresh: string[];
  /** Everything that fails. */
  failing: string[];
  /** Checks that said nothing, by name. */
  mute: string[];
  /** What each check said, by itself. */
  each: CheckedOne[];
  /** Tests that ran, where the output tells. */
  tests: number | null;
}

/** Who runs the checks: the one whose trade it is. */
const RUNNER = "tester";

export const placeOf = (tree: Pick<WorkTree, "id" | "path">): Place => ({ kind: "tree", tree: tree.id, folder: tree.path });

/** What fails in a check: its tests, or the check itself where it names none. */
function failedIn(check: CheckResult): CheckedOne["failing"] {
  if (check.passed) return [];
  const tests = (check.problems ?? []).flatMap((one) =>
    one.test === true && one.rule !== undefined ? [{ name: one.rule, file: one.path }] : [],
  );
  return tests.length > 0 ? tests : [{ name: check.name, file: undefined }];
}

const failuresOf = (check: CheckResult): string[] => failedIn(check).map(({ name }) => name);

/** An assertion may name a command that is a check: what it says counts once. */
const isFirst = ({ command }: { command: string }, at: number, all: readonly { command: string }[]): boolean =>
  all.findIndex((one) => one.command === command) === at;

/** Two tests may have one name: of each name as many are known as failed before. */
function eachOf(results: readonly CheckResult[], before: readonly string[]): CheckedOne[] {
  const left = Map.groupBy(before, (name) => name);
  const freshIn = new Map<string, readonly CheckedOne["failing"][number][]>();
  return results.map((check) => {
    const { could_not_run: cannot, command } = check;
    const mute = cannot?.forbidden === true;
    const failing = failedIn(check);
    const known = freshIn.get(command);
    const isNew = ({ name }: { name: string }): boolean =>
      known === undefined
        ? left.get(name)?.pop() === undefined
        : known.some((one) => one.name === name || (name === check.name && one.file === undefined));
    // What could not run says nothing, whatever it said before.
    const fresh = failing.filter((one) => mute || isNew(one));
    if (known === undefined) freshIn.set(command, fresh);
    const silent = check.passed || cannot !== undefined || (check.problems ?? []).length > 0 ? undefined : check.signature;
    return { name: check.name, mute, lacks: cannot !== undefined && !mute, silent, failing, fresh };
  });
}

function lineOf({ name, command, passed, summary, record, as_run_at: at }: CheckResult): CheckLine {
  const known = { ...(record === undefined ? {} : { record }), ...(at === undefined ? {} : { as_run_at: at }) };
  return { name, command, passed, summary, ...known };
}

async function runAll(
  engine: StepEngine,
  created: TaskState["created"],
  checks: readonly NamedCheck[],
  isStart: boolean,
  signal: AbortSignal,
) {
  // What the user named is the user's word here too.
  const task = { ...created, checks: [...checks] };
  await using workspace = engine.workspaceFor(task);
  const record = recordIn({ engine, task, workspace }, { isCopy: true });
  const how = { workspace, record, blobs: engine.store.blobs, ranBefore: new Set(isStart ? [] : checks.map(({ name }) => name)), signal };
  const first = await runChecks({ ...how, checks });
  const red = first.filter((check) => !check.passed);
  if (red.length === 0) return first;
  // What fails once may have failed by chance.
  const again = await runChecks({ ...how, checks: red, look: "again" });
  return first.map((check) => (check.passed ? check : (again.find(({ name }) => name === check.name) ?? check)));
}

/** Puts files in place as they were kept. */
export async function putFiles(engine: StepEngine, place: Place, kept: readonly Kept[], signal: AbortSignal): Promise<void> {
  if (kept.length === 0 || place.kind !== "tree") return;
  await using hands = openWorkspace({
    root: place.folder,
    gate: gateByRule("tests of the plan", ["read", "write"]),
    redact: (text) => engine.redact(text),
    clock: engine.clock,
  });
  const requests = await Promise.all(
    kept.map(async (file) => {
      const bytes = await engine.store.blobs.get(file.content as BlobRef);
      return { kind: "restore" as const, path: file.path, bytes, expect: (await hands.files.hash(file.path)) ?? null };
    }),
  );
  const done = await hands.files.apply(requests, signal);
  if (done.kind !== "changed" && done.kind !== "unchanged")
    throw new SylkError({ code: "FILE_WRITE_FAILED", tier: "transient", message: `tests could not be put in place: ${done.kind}` });
}

/** Of lines that say what one command said, the first. */
export const toldOnce = <T extends { command: string }>(lines: readonly T[]): T[] => lines.filter(isFirst);

export interface CheckOptions {
  /** Whose task it is done for. */
  as: TaskState["created"];
  checks: readonly NamedCheck[];
  /** Files that are put in and are not there. */
  put?: readonly Kept[];
  /** What failed before. */
  before?: readonly string[];
  /** Nothing was built yet: what is missing is nobody's doing. */
  isStart?: boolean;
  signal: AbortSignal;
}

/** What need not be run: nothing is asked for, or all of it ran before in this request on the very same. */
async function known(
  parts: FlowParts,
  place: Place,
  { as, checks, put = [], signal }: Pick<CheckOptions, "as" | "checks" | "put" | "signal">,
): Promise<CheckResult[] | undefined> {
  if (checks.length === 0) return [];
  const stands = put.length > 0 ? undefined : await parts.taskTrees.stands(place, signal);
  if (stands === undefined) return undefined;
  const engine = await parts.engine();
  const task = { ...as, role: RUNNER, place, checks: [...checks] };
  await using workspace = engine.workspaceFor(task);
  return await allOnRecord({ engine, task, workspace }, stands, checks);
}

/** Runs checks on a copy of a place; nothing of the place is touched. */
export async function checkPlace(
  parts: FlowParts,
  place: Place,
  { as, checks, put = [], before = [], isStart = false, signal }: CheckOptions,
): Promise<Checked> {
  const engine = await parts.engine();
  const results =
    (await known(parts, place, { as, checks, put, signal })) ??
    (await parts.taskTrees.withCopy(place, signal, async (copy) => {
      await putFiles(engine, copy, put, signal);
      return runAll(engine, { ...as, role: RUNNER, place: copy }, checks, isStart, signal);
    }));
  const each = eachOf(results, before);
  const distinct = results.filter(isFirst);
  const counts = distinct.flatMap(({ tests }) => (tests === undefined ? [] : [tests.passed + tests.failed]));
  return {
    lines: results.map(lineOf),
    failing: distinct.flatMap(failuresOf),
    fresh: each.flatMap(({ fresh }, at) => (distinct.includes(must(results[at])) ? fresh.map(({ name }) => name) : [])),
    mute: each.flatMap(({ name, mute }) => (mute ? [name] : [])),
    each,
    tests: counts.length === 0 ? null : counts.reduce((a, b) => a + b, 0),
  };
}

/** What a review handed in, with what each finding is worth. */
export async function weigh(
  parts: FlowParts,
  place: Place,
  task: TaskState,
  checked: Pick<Checked, "failing">,
  signal: AbortSignal,
): Promise<Judged["findings"]> {
  const said = task.outputs?.["findings"];
  const found = (Array.isArray(said) ? said : []).flatMap((text): Finding[] => {
    const parsed = PLAN.finding.safeParse(JSON.parse(text));
    return parsed.success ? [parsed.data] : [];
  });
  const weighed: Judged["findings"] = [];
  for (const one of found) weighed.push({ ...one, blocks: await holds(parts, place, task, one, checked, signal) });
  return weighed;
}

const plain = (text: string): string => text.replaceAll(/\s+/gu, " ").trim().toLowerCase();
const SHORTEST_RULE = 12;

async function holds(
  parts: FlowParts,
  place: Place,
  { created }: TaskState,
  { evidence }: Finding,
  { failing }: Pick<Checked, "failing">,
  signal: AbortSignal,
): Promise<boolean> {
  switch (evidence?.kind) {
    case undefined:
      return false;
    case "test":
      return failing.some((name) => name === evidence.what || evidence.what.endsWith(name));
    case "rule":
      return (
        plain(evidence.what).length >= SHORTEST_RULE &&
        [...created.rules.map(({ text }) => text), ...created.constraints, created.goal].some((text) =>
          plain(text).includes(plain(evidence.what)),
        )
      );
    case "command": {
      const check = { name: "finding", command: evidence.what, from: "agent" as const };
      const { failing, mute } = await checkPlace(parts, place, { as: created, checks: [check], signal });
      return failing.length > 0 && mute.length === 0;
    }
  }
}

export async function taskOf({ store }: FlowParts, id: string): Promise<TaskState> {
  return must(await store.journal.get(taskView, STREAMS.task(id)));
}

/** What a kept file says. */
export async function textOf({ store }: Pick<FlowParts, "store">, { content }: Kept): Promise<string> {
  return Buffer.from(await store.blobs.get(content as BlobRef)).toString("utf8");
}

/** Files a task changed, as they are now in its tree; what is gone is left out. */
export async function contentsOf(parts: FlowParts, tree: WorkTree, files: readonly string[]): Promise<Kept[]> {
  const kept: Kept[] = [];
  for (const file of files) {
    const bytes = await readFile(path.join(tree.path, file)).catch(() => undefined);
    if (bytes !== undefined) kept.push({ path: file, content: await parts.store.blobs.put(bytes) });
  }
  return kept;
}
