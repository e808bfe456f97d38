/**
 * Whether the task's tests would have failed without its change: they are run in a copy of the project in which the
 * program is as it was. That they pass there with the change is tried too, so that nothing else explains the failure.
 */
import type { BlobRef } from "../../journal/index.ts";
import { isAbort, messageOf } from "../../kernel/index.ts";
import type { Place } from "../../protocol/index.ts";
import { gateByRule, openWorkspace, type FileRequest } from "../../workspace/index.ts";
import { placeFolder } from "../place-folder.ts";
import { runChecks } from "../run-checks.ts";
import type { StepRun } from "../step-run.ts";
import type { CheckResult } from "../task-facts.ts";
import type { TaskState } from "../task-state.ts";

export type Without =
  /** Tests, or checks where no test is named, that fail only without the change. */
  { kind: "fails"; what: string[] } | { kind: "passes" } | { kind: "unclear"; why: string };

class NotKept extends Error {}

async function bytesOf({ texts }: StepRun, path: string, hash: string): Promise<Uint8Array> {
  const ref: BlobRef = `blob:sha256:${hash}`;
  if (!(await texts.has(ref))) throw new NotKept(`what ${path} held was not kept`);
  return texts.get(ref);
}

/** Makes the sources of the copy what they were before the task, or are after it. */
async function put(run: StepRun, state: TaskState, copy: Place, sources: readonly string[], side: "before" | "after"): Promise<void> {
  const { engine } = run;
  await using hands = openWorkspace({
    root: placeFolder(engine.projectDir, copy),
    gate: gateByRule("a copy to try something in", ["read", "write"]),
    redact: (text) => engine.redact(text),
    clock: engine.clock,
  });
  const requests: FileRequest[] = [];
  for (const path of sources) {
    const file = state.changedFiles[path];
    const now = (await hands.files.hash(path)) ?? null;
    if (file === undefined || file[side] === now) continue;
    const wanted = file[side];
    requests.push(
      wanted === null
        ? { kind: "delete", path, ...(now === null ? {} : { expect: now }) }
        : { kind: "restore", path, bytes: await bytesOf(run, path, wanted), mode: file.mode, expect: now },
    );
  }
  if (requests.length === 0) return;
  const done = await hands.files.apply(requests, run.signal);
  if (done.kind !== "changed" && done.kind !== "unchanged") throw new NotKept(`the copy could not be made: ${done.kind}`);
}

const testsIn = (check: CheckResult | undefined): string[] =>
  (check?.problems ?? []).flatMap((one) => (one.test === true && one.rule !== undefined ? [one.rule] : []));

/** What of a check fails only without the change. */
function onlyWithout(without: CheckResult, withIt: CheckResult | undefined): string[] {
  const names = testsIn(without).filter((name) => !testsIn(withIt).includes(name));
  if (withIt?.passed === true) return names.length === 0 ? [without.name] : names;
  return testsIn(without).length === 0 ? [] : names;
}

async function tryIn(
  run: StepRun,
  state: TaskState,
  copy: Place,
  sources: readonly string[],
  names: ReadonlySet<string>,
): Promise<Without> {
  await using workspace = run.engine.workspaceFor({ ...state.created, place: copy });
  const checks = state.created.checks.filter(({ name }) => names.has(name));
  const how = { workspace, blobs: run.texts, ranBefore: names, signal: run.signal };
  await put(run, state, copy, sources, "before");
  const without = (await runChecks({ ...how, checks })).filter((check) => !check.passed);
  if (without.length === 0) return { kind: "passes" };
  await put(run, state, copy, sources, "after");
  const withIt = await runChecks({ ...how, checks: without });
  const known = new Set((state.atStart?.checks ?? []).flatMap((check) => check.flaky ?? []));
  const what = without
    .flatMap((check) =>
      onlyWithout(
        check,
        withIt.find(({ name }) => name === check.name),
      ),
    )
    .filter((one) => !known.has(one));
  if (what.length > 0) return { kind: "fails", what: [...new Set(what)] };
  return withIt.every((check) => check.passed)
    ? { kind: "passes" }
    : {
        kind: "unclear",
        why: `in a copy of the project the checks fail with the change too: ${withIt.find((check) => !check.passed)?.summary ?? ""}`,
      };
}

/** `names`: the checks that can run. */
export async function tryWithoutChange(
  run: StepRun,
  state: TaskState,
  sources: readonly string[],
  names: ReadonlySet<string>,
): Promise<Without> {
  try {
    return await run.engine.trees.withCopy(state.created.place, run.signal, (copy) => tryIn(run, state, copy, sources, names));
  } catch (error) {
    if (isAbort(error) || run.signal.aborted) throw error;
    // A copy that cannot be made shows nothing; that the work cannot end for it would be worse.
    return { kind: "unclear", why: `it could not be tried without the change: ${messageOf(error)}` };
  }
}
