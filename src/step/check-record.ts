/**
 * Checks that ran in a request, as the journal has them: one that ran to its end on the very same is not run again, and
 * whoever asks gets what it said, with its record. When that counts is written in `flow/README.md`; whatever is not
 * certain is run. What is kept is only what a real run said.
 */
import { z } from "zod";
import { canonicalJson, must, projectFile, sha256 } from "../kernel/index.ts";
import type { BlobRef, Blobs } from "../journal/index.ts";
import { EVENTS, STREAMS, SYSTEM, type JournalEvent, type Payload } from "../protocol/events/index.ts";
import type { Workspace } from "../workspace/index.ts";
import type { StepEngine } from "./engine.ts";
import { flakyIn } from "./flaky-in.ts";
import type { CheckResult } from "./task-facts.ts";
import type { TaskState } from "./task-state.ts";
import type { PlaceStanding } from "./place-trees.ts";

/** `again`: what failed is looked at a second time, so one run is not enough. `anew`: it is to be run in any case. */
export type Look = "once" | "again" | "anew";

export interface Looked {
  /** What it said when it ran on the same; undefined: it is to be run. */
  known: CheckResult | undefined;
  /** Writes down what it said now, if it saw the same from its beginning to its end. */
  keep(result: CheckResult, blobs: Blobs): Promise<CheckResult>;
}

export interface CheckRecord {
  /** Undefined: nothing of this can be told apart here, and nothing is written down. */
  look(command: string, how: Look, signal: AbortSignal): Promise<Looked | undefined>;
}

export interface RecordParts {
  engine: Pick<StepEngine, "store" | "clock" | "trees">;
  /** For which it runs, in its own place. */
  task: TaskState["created"];
  workspace: Workspace;
}

type Ran = JournalEvent<Payload<"check.ran">>;

/** What is not in files changes as well, sooner or later. */
const COUNTS_MS = 60 * 60_000;
/** What a person says or does may be that something outside was put right. */
const BY_PERSON = ["question.answered", "request.said", "request.added", "request.resumed", "pipeline.signalled", "pipeline.answered"];
/** These ask git what was changed, which equal files do not tell. */
const ASKS_GIT = /\bgit\b|--(?:changed|since|onlyChanged|changedSince|only-changed|affected)\b|\blint-staged\b|\baffected\b/u;

/** The scripts of a package that a command names, and those that these name. */
function scriptsIn(command: string, root: string): string[] {
  const read = z.object({ scripts: z.record(z.string(), z.string()) }).safeParse(jsonIn(root, "package.json"));
  const left = new Map(Object.entries(read.success ? read.data.scripts : {}));
  const texts = [command];
  for (const text of texts) {
    const words = new Set(text.split(/[^\w:.-]+/u).flatMap((word) => [word, `pre${word}`, `post${word}`]));
    for (const [name, script] of left) if (words.has(name) && left.delete(name)) texts.push(script);
  }
  return texts;
}

function jsonIn(root: string, file: string): unknown {
  try {
    return JSON.parse(projectFile.text(root, file) ?? "");
  } catch {
    return undefined;
  }
}

const asksGit = (command: string, root: string): boolean => scriptsIn(command, root).some((text) => ASKS_GIT.test(text));

async function ranIn({ engine: { store }, task }: RecordParts, command: string): Promise<Ran[]> {
  const events = await store.journal.read(STREAMS.check(task.session));
  return events.filter((event) => EVENTS.check.ran.is(event)).filter(({ payload }) => payload.result.command === command);
}

/** It said one thing and another of the same. */
function isFlaky(ran: readonly Ran[]): boolean {
  return Map.groupBy(ran, ({ payload }) => payload.seen)
    .values()
    .some(([first, ...more]) => more.some(({ payload }) => flakyIn(must(first).payload.result, payload.result).length > 0));
}

async function seenBy({ workspace }: RecordParts, command: string, stands: PlaceStanding, after: readonly string[]): Promise<string> {
  const conditions = await workspace.processes.conditions(command);
  return sha256(canonicalJson([command, stands.name, stands.setUp, conditions, [...after]]));
}

/** What ran in a new copy counts everywhere; what ran in a tree somebody works in, for that tree alone: git's view does not tell all of it. */
async function find(
  parts: RecordParts,
  command: string,
  seen: string,
  { how, isCopy }: { how: Look; isCopy: boolean },
): Promise<Ran | undefined> {
  const ran = how === "anew" ? [] : await ranIn(parts, command);
  const since = parts.engine.clock.now() - COUNTS_MS;
  const same = ran.filter(
    ({ payload, at }) => payload.seen === seen && at >= since && (payload.copy || (!isCopy && payload.folder === parts.workspace.root)),
  );
  const last = same.at(-1);
  if (last === undefined || isFlaky(ran) || (how === "again" && same.length < 2)) return undefined;
  if (last.payload.result.passed) return last;
  const said = { after: last.position, limit: 1, filter: { types: BY_PERSON } };
  return (await parts.engine.store.journal.readAll(said)).length === 0 ? last : undefined;
}

/** As it said it, with this folder in place of the one it ran in. */
async function told({ engine, workspace }: RecordParts, { payload, id, at }: Ran): Promise<CheckResult> {
  const { result, folder } = payload;
  const here = (text: string): string => text.replaceAll(folder, workspace.root);
  const { blobs } = engine.store;
  const output =
    result.output === undefined ? {} : { output: await blobs.put(here(Buffer.from(await blobs.get(result.output as BlobRef)).toString())) };
  const problems = result.problems?.map((one) => ({ ...one, message: here(one.message) }));
  return {
    ...result,
    summary: here(result.summary),
    ...output,
    ...(problems === undefined ? {} : { problems }),
    record: id,
    as_run_at: at,
  };
}

async function write(
  { engine, task, workspace }: RecordParts,
  seen: string,
  as: Pick<Payload<"check.ran">, "leaves" | "copy">,
  result: CheckResult,
  blobs: Blobs,
): Promise<CheckResult> {
  const { store } = engine;
  if (result.output !== undefined) await store.blobs.put(await blobs.get(result.output as BlobRef));
  const ran = EVENTS.check.ran.create({ seen, task: task.id, folder: workspace.root, ...as, result }, { actor: SYSTEM.engine });
  const [event] = await store.journal.append(STREAMS.check(task.session), "any", [ran]);
  return { ...result, record: must(event).id };
}

/** Stopped, past its time, or without what it needs: that says nothing of the files. */
const cameToItsEnd = ({ exit, could_not_run: missing }: CheckResult): boolean => exit !== null && missing === undefined;

/** Only what belongs to a request is kept, and only for that. */
const isOfRequest = async ({ engine, task }: RecordParts): Promise<boolean> =>
  (await engine.store.journal.head(STREAMS.request(task.session))) > 0;

/**
 * The record for one place. In a tree in which somebody works, a result counts only where nothing stands that git
 * ignores, and only one that left nothing such: whoever works there would miss it.
 */
export function recordIn(parts: RecordParts, { isCopy }: { isCopy: boolean }): CheckRecord {
  const { engine, task, workspace } = parts;
  /** What each saw when it was first asked for here. */
  const begun = new Map<string, { seen: string; name: string }>();
  const standing = (signal: AbortSignal): Promise<PlaceStanding | undefined> => engine.trees.stands(task.place, signal);
  /** As the check before left it: they are run one right after the other. */
  let left: PlaceStanding | undefined;
  return {
    async look(command, how, signal) {
      if (!(await isOfRequest(parts)) || asksGit(command, workspace.root)) return undefined;
      const before = left ?? (await standing(signal));
      left = undefined;
      // What somebody started there answers in no other place.
      if (workspace.processes.background.list().some(({ health }) => health !== "exited")) return undefined;
      if (before === undefined || (!isCopy && !(before.plain && before.setUp === null))) return undefined;
      // Put into a copy where git ignores it, before anything ran there: it is in no name.
      if (!before.plain && before.setUp === null && begun.size === 0) return undefined;
      const after = before.plain ? [] : [...begun.keys()].filter((one) => one !== command);
      const first = begun.get(command);
      const seen = first?.name === before.name ? first.seen : await seenBy(parts, command, before, after);
      begun.set(command, { seen, name: before.name });
      const ran = await find(parts, command, seen, { how, isCopy });
      return {
        known: ran === undefined || ran.payload.leaves ? undefined : await told(parts, ran),
        async keep(result, blobs) {
          const now = cameToItsEnd(result) ? await standing(signal) : undefined;
          left = now;
          if (now === undefined || now.name !== before.name || now.setUp !== before.setUp) return result;
          return write(parts, seen, { leaves: !now.plain || now.setUp !== null, copy: isCopy }, result, blobs);
        },
      };
    },
  };
}

/** What checks would say one after the other in a new copy of a place that stands so; undefined unless all of it is known. */
export async function allOnRecord(
  parts: RecordParts,
  stands: PlaceStanding,
  checks: readonly { name: string; command: string }[],
): Promise<CheckResult[] | undefined> {
  const { root } = parts.workspace;
  if (!(await isOfRequest(parts)) || checks.some(({ command }) => asksGit(command, root))) return undefined;
  const results: CheckResult[] = [];
  let isPlain = true;
  for (const [index, { name, command }] of checks.entries()) {
    const after = isPlain ? [] : checks.slice(0, index).map((check) => check.command);
    const seen = await seenBy(parts, command, stands, after);
    const once = await find(parts, command, seen, { how: "once", isCopy: true });
    // What fails is run twice in a copy.
    const ran = once?.payload.result.passed === false ? await find(parts, command, seen, { how: "again", isCopy: true }) : once;
    if (ran === undefined) return undefined;
    isPlain &&= !ran.payload.leaves;
    results.push({ ...(await told(parts, ran)), name });
  }
  return results;
}
