/** What the checks and a second pair of eyes say of a tree. The runner's record counts; a finding without evidence is a note. */
import path from "node:path";
import { readFile } from "node:fs/promises";
import type { BlobRef } from "../journal/index.ts";
import { SylkError, must } from "../kernel/index.ts";
import { PLAN } from "../protocol/plan/index.ts";
import { STREAMS, type Payload } from "../protocol/events/index.ts";
import type { Place } from "../protocol/index.ts";
import { runChecks, taskView, type StepEngine, type TaskState } from "../step/index.ts";
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
  mute: boolean;
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

/** Two tests may have one name: of each name as many are known as failed before. */
function eachOf(results: readonly CheckResult[], before: readonly string[]): CheckedOne[] {
  const left = Map.groupBy(before, (name) => name);
  return results.map((check) => {
    const mute = check.could_not_run !== undefined;
    const failing = failedIn(check);
    // What could not run says nothing, whatever it said before.
    return { name: check.name, mute, failing, fresh: failing.filter(({ name }) => mute || left.get(name)?.pop() === undefined) };
  });
}

function lineOf({ name, command, passed, summary }: CheckResult): CheckLine {
  return { name, command, passed, summary };
}

async function runAll(engine: StepEngine, created: TaskState["created"], checks: readonly NamedCheck[], signal: AbortSignal) {
  // What the user named is the user's word here too.
  await using workspace = engine.workspaceFor({ ...created, checks: [...checks] });
  const how = { workspace, blobs: engine.store.blobs, ranBefore: new Set(checks.map(({ name }) => name)), signal };
  const first = await runChecks({ ...how, checks });
  const red = first.filter((check) => !check.passed);
  if (red.length === 0) return first;
  // What fails once may have failed by chance.
  const again = await runChecks({ ...how, checks: red });
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

export interface CheckOptions {
  /** Whose task it is done for. */
  as: TaskState["created"];
  checks: readonly NamedCheck[];
  /** Files that are put in and are not there. */
  put?: readonly Kept[];
  /** What failed before. */
  before?: readonly string[];
  signal: AbortSignal;
}

/** Runs checks on a copy of a place; nothing of the place is touched. */
export async function checkPlace(
  parts: FlowParts,
  place: Place,
  { as, checks, put = [], before = [], signal }: CheckOptions,
): Promise<Checked> {
  const engine = await parts.engine();
  const results =
    checks.length === 0
      ? []
      : await parts.taskTrees.withCopy(place, signal, async (copy) => {
          await putFiles(engine, copy, put, signal);
          return runAll(engine, { ...as, role: RUNNER, place: copy }, checks, signal);
        });
  const failing = results.flatMap(failuresOf);
  const each = eachOf(results, before);
  const counts = results.flatMap(({ tests }) => (tests === undefined ? [] : [tests.passed + tests.failed]));
  return {
    lines: results.map(lineOf),
    failing,
    fresh: each.flatMap(({ fresh }) => fresh.map(({ name }) => name)),
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
      const check = { name: "finding", command: evidence.what };
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
