/**
 * What follows attempts that fail one after the other: after the first the work goes on, after the second the next step
 * is warned and told of similar failures, after the third, or where this session failed in the same way before, it
 * stops. What they changed is taken back, what was tried is kept for others, and help is asked for.
 */
import type { Store } from "../../journal/index.ts";
import type { Clock } from "../../kernel/index.ts";
import { checkMistakes, reportFailure } from "../../memory/index.ts";
import { EVENTS, STREAMS, SYSTEM, agentActor, decode, type NewEvent } from "../../protocol/events/index.ts";
import { gateByRule, openWorkspace, type FileRequest } from "../../workspace/index.ts";
import { shortLine } from "../context/fit-lines.ts";
import type { StepEngine } from "../engine.ts";
import type { StepExtension } from "../extension.ts";
import { failedAttempts, type ChangeStep } from "../loop/failed-attempts.ts";
import { placeFolder } from "../place-folder.ts";
import type { RecordedChange } from "../task-facts.ts";
import type { TaskState } from "../task-state.ts";
import { taskTypeOf } from "../task-type.ts";
import { asking } from "../wait-for-answer.ts";

export interface AttemptParts extends Pick<StepEngine, "store" | "questions" | "projectDir" | "trusts" | "redact"> {
  clock: Clock;
}

const WARNS = 2;
const STOPS = 3;
const SHOWN = { similar: 3, chars: 200 };

/** Who tries something else has these left. */
const WAYS = [
  "read the failure from its first line and question what you take for granted",
  "make it smaller: one case, one value, by a command",
  "do it where others of this project do the like",
];

interface Recorded extends ChangeStep {
  changes: readonly RecordedChange[];
}

/** Steps that changed something since somebody last had a say, with the texts before and after. */
async function changesOf({ journal, blobs }: Store, state: TaskState): Promise<Recorded[]> {
  const steps = new Map<number, { changes: RecordedChange[]; failing: string[] | undefined }>();
  const at = (step: number) => steps.get(step) ?? { changes: [], failing: undefined };
  for (const happened of await journal.read(STREAMS.task(state.created.id))) {
    const event = decode(EVENTS.task, happened);
    switch (event?.type) {
      case "task.acted":
        if (event.payload.files.length > 0)
          steps.set(event.payload.step, {
            ...at(event.payload.step),
            changes: [...at(event.payload.step).changes, ...event.payload.files],
          });
        break;
      case "task.verified": {
        const { step, checks } = event.payload;
        if (steps.has(step))
          steps.set(step, { ...at(step), failing: checks.filter((check) => !check.passed).map(({ signature }) => signature) });
        break;
      }
      case "task.answered":
      case "task.resumed":
      case "task.undone":
        steps.clear();
        break;
      default:
        break;
    }
  }
  const textOf = async (hash: string | null): Promise<string> => {
    const ref = `blob:sha256:${hash ?? ""}` as const;
    return hash !== null && (await blobs.has(ref)) ? Buffer.from(await blobs.get(ref)).toString("utf8") : "";
  };
  return Promise.all(
    [...steps].map(async ([step, { changes, failing }]) => ({
      step,
      failing,
      changes,
      files: await Promise.all(
        changes.map(async ({ path, before, after }) => ({ path, before: await textOf(before), after: await textOf(after) })),
      ),
    })),
  );
}

/** What the row changed, from what each file was before it to what it is now. */
function spanOf(row: readonly ChangeStep[], all: readonly Recorded[]): RecordedChange[] {
  const first = row[0]?.step ?? 0;
  const touched = new Set(row.flatMap(({ files }) => files.map(({ path }) => path)));
  const spans = new Map<string, RecordedChange>();
  const shared = new Set<string>();
  for (const { step, changes } of all)
    for (const change of changes)
      if (step >= first && touched.has(change.path)) {
        const known = spans.get(change.path);
        // Somebody else changed it in between: then it is theirs too, and stays as it is.
        if (known !== undefined && known.after !== change.before) shared.add(change.path);
        spans.set(change.path, known === undefined ? change : { ...known, after: change.after });
      }
  return [...spans.values()].filter(({ path }) => !shared.has(path));
}

/** Back to before the row; a file that somebody else changed since is theirs and stays. Done again, nothing is left to do. */
async function takeBack(
  parts: AttemptParts,
  state: TaskState,
  spans: readonly RecordedChange[],
  signal: AbortSignal,
): Promise<RecordedChange[]> {
  const { blobs } = parts.store;
  await using workspace = openWorkspace({
    root: placeFolder(parts.projectDir, state.created.place),
    gate: gateByRule("failed attempts are taken back", ["read", "write"]),
    redact: (text) => parts.redact(text),
    clock: parts.clock,
    blobs,
  });
  const requests: FileRequest[] = [];
  const back: RecordedChange[] = [];
  for (const { path, before, after, mode } of spans) {
    const now = await workspace.files.hash(path);
    if (now === before) back.push({ path, operation: "modify", before: after, after: before });
    if (now !== after || now === before) continue;
    const ref = `blob:sha256:${before ?? ""}` as const;
    if (before !== null && !(await blobs.has(ref))) continue;
    requests.push(
      before === null
        ? { kind: "delete", path, expect: after ?? undefined }
        : { kind: "restore", path, bytes: await blobs.get(ref), mode, expect: after },
    );
    back.push({ path, operation: before === null ? "delete" : "modify", before: after, after: before });
  }
  if (requests.length > 0) await workspace.files.apply(requests, signal);
  return back;
}

const failingText = ({ verification }: TaskState): string =>
  (verification?.checks ?? [])
    .filter((check) => !check.passed)
    .map(({ name, summary, problems }) => `${name}: ${shortLine(problems?.[0]?.message ?? summary, SHOWN.chars)}`)
    .join("; ");

/** What the agent said it was doing; where it said nothing, what it changed. */
function approachOf(state: TaskState, row: readonly ChangeStep[]): string {
  const said = row.flatMap(({ step }) => state.history.find((record) => record.step === step)?.said ?? []).findLast((text) => text !== "");
  return shortLine(said ?? `changing ${row.flatMap(({ files }) => files.map(({ path }) => path)).join(", ")}`, SHOWN.chars);
}

const triedText = (state: TaskState, row: readonly ChangeStep[]): string =>
  row
    .map(({ step, files }) => {
      const said = state.history.find((record) => record.step === step)?.said ?? "";
      return `- step ${step}: ${files.map(({ path }) => path).join(", ")}${said === "" ? "" : `: ${shortLine(said, SHOWN.chars)}`}`;
    })
    .join("\n");

export function createAttempts(parts: AttemptParts): StepExtension {
  const { journal } = parts.store;
  const similarTo = async (state: TaskState, row: readonly ChangeStep[]): Promise<{ alert: string; fix: string }[]> => {
    const words = `${approachOf(state, row)}\n${failingText(state)}\n${state.created.goal}`;
    const known = await checkMistakes(journal, words, state.created.session);
    return known.known_issues ? known.warnings.slice(0, SHOWN.similar) : [];
  };
  const similarText = (hits: readonly { alert: string }[]): string =>
    hits.length === 0 ? "no similar failure is known" : hits.map(({ alert }) => `- ${alert}`).join("\n");
  const once = (kind: string, state: TaskState, event: NewEvent): NewEvent => ({
    ...event,
    id: `evt_${kind}_${state.created.id}_${state.step}` as NewEvent["id"],
  });
  const stop = async (
    state: TaskState,
    row: readonly ChangeStep[],
    all: readonly Recorded[],
    reason: string,
    append: (fact: NewEvent) => Promise<void>,
    signal: AbortSignal,
  ): Promise<void> => {
    const { step, phase, limit } = state;
    const hits = await similarTo(state, row);
    const back = await takeBack(parts, state, spanOf(row, all), signal);
    await append(once("attempts_back", state, EVENTS.task.takenBack.create({ step, files: back }, { actor: SYSTEM.engine })));
    const other = hits.flatMap(({ fix }) => (fix === "" ? [] : [fix]));
    const report = [
      reason,
      `What was tried:\n${triedText(state, row)}`,
      `Still failing: ${failingText(state)}`,
      back.length === 0
        ? "Nothing could be taken back."
        : `Taken back: ${back.map(({ path }) => path).join(", ")}, as before step ${row[0]?.step ?? 0}.`,
      `Similar failures:\n${similarText(hits)}`,
      `Other ways:\n${[...other, ...WAYS].map((way) => `- ${way}`).join("\n")}`,
    ].join("\n\n");
    const question = `${reason}: ${failingText(state)}. What should be done otherwise?`;
    const decided = EVENTS.task.decided.create(
      {
        step,
        decision: "escalate",
        why: "attempts_fail",
        phase,
        reason,
        progress: false,
        limit,
        ...(await asking(parts, state, `attempts/${step}`, { why: "attempts_fail", question })),
        report,
      },
      { actor: SYSTEM.engine },
    );
    await append(once("attempts_stop", state, decided));
  };
  return {
    name: "attempts",
    async after(state, append, signal) {
      const { created, verification, pending, status } = state;
      const isRed = verification?.checks.some((check) => !check.passed && check.could_not_run === undefined) === true;
      if (status !== "running" || pending !== undefined || !isRed || state.changes < WARNS) return;
      // Whoever writes tests wants them to fail.
      if (taskTypeOf(created, parts).verify !== "passing") return;
      const all = await changesOf(parts.store, state);
      const row = failedAttempts(all, state.atStart?.failing ?? []);
      if (row.length < WARNS || row.at(-1)?.step !== state.step) return;
      const failure = {
        pattern: approachOf(state, row),
        error: failingText(state),
        context: `attempts at ${row.flatMap(({ files }) => files.map(({ path }) => path)).at(-1) ?? ""}`,
      };
      const by = { actor: agentActor(created.role), correlationId: created.id };
      const { repeated } = await reportFailure(journal, { ...failure, session: created.session }, by, parts.clock.now());
      if (row.length >= STOPS || repeated)
        return stop(
          state,
          row,
          all,
          repeated
            ? "REPEATED FAILURE: the same way failed in this session before"
            : `${row.length} attempts in a row left the same failing`,
          append,
          signal,
        );
      const text = `${row.length} attempts in a row left the same failing; one more and the work is stopped and they are taken back. Stop and reassess: try another way. Do not try the same with small changes, silence the error or skip the test. What is known:\n${similarText(await similarTo(state, row))}`;
      await append(once("attempts_warn", state, EVENTS.task.advised.create({ text }, { actor: SYSTEM.engine })));
    },
  };
}
