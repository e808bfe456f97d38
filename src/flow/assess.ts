/**
 * What is known of the place before anything is planned there: how sound its code is, which approaches failed before,
 * how such requests ended. Measured and looked up by code; no plan is drafted without it on record.
 */
import path from "node:path";
import type { Run } from "../journal/index.ts";
import { SylkError, systemPaths } from "../kernel/index.ts";
import type { Health } from "../knowledge/told/index.ts";
import { checkMistakes, wordsInCommon } from "../memory/index.ts";
import { EVENTS, SYSTEM, type Payload } from "../protocol/events/index.ts";
import { adviceIn, adviceLines } from "./advice.ts";
import { namedFolders } from "./named-places.ts";
import type { FlowParts } from "./parts.ts";
import type { Next } from "./request-hands.ts";
import { requestView, type RequestState } from "./request-state.ts";
import { isTestFile } from "./test-files.ts";

type Assessed = Payload<"request.assessed">;
type Failures = Assessed["failures"];

const BY = { actor: SYSTEM.engine };
/** Failures that are told, past requests that are compared. */
const MOST = { failures: 5, compared: 200 };
/** A request that shares so many of its words was about the same. */
const ALIKE = 0.5;

/** Endings that say how the work went. What the user stopped or rejected on the way says nothing of it. */
const TELLING: readonly NonNullable<RequestState["ended"]>["how"][] = ["done", "not_shown", "failed"];

/** Requests like this one that came to an end of their own, newest first. */
async function alikeTo({ store }: FlowParts, { created }: RequestState): Promise<RequestState[]> {
  const rows = await store.journal.list(requestView, { prefix: "request/", reverse: true, limit: MOST.compared });
  return rows
    .map(({ state }) => state)
    .filter(
      (state) =>
        state.created.id !== created.id &&
        state.ended !== undefined &&
        TELLING.includes(state.ended.how) &&
        wordsInCommon(state.created.intent.words, created.intent.words) >= ALIKE,
    );
}

async function failuresOf(parts: FlowParts, state: RequestState, alike: readonly RequestState[]): Promise<Failures> {
  const { id } = state.created;
  const { intent } = state;
  const words = [intent.words, ...intent.criteria.map(({ text }) => text)].join("\n");
  const known = await checkMistakes(parts.store.journal, words, id);
  const patterns = (known.known_issues ? known.warnings : []).slice(0, MOST.failures);
  const statistics = { similar: alike.length, succeeded: alike.filter(({ ended }) => ended?.how === "done").length };
  const rate = statistics.similar === 0 ? 1 : statistics.succeeded / statistics.similar;
  return {
    failure_patterns: patterns.map(({ pattern, error, fix, occurrences }) => ({ pattern, error, fix, occurrences })),
    success_statistics: statistics,
    warnings: [
      ...patterns.map(({ alert }) => alert),
      ...(rate < 0.5
        ? [`of ${statistics.similar} requests like this one ${statistics.succeeded} came to their end: consider another way`]
        : []),
    ],
  };
}

/** Puts on record what is known of the place, for the version of the plan that comes next. */
export async function assess(parts: FlowParts, run: Run<RequestState>, version: number): Promise<Next> {
  const { projectDir } = await parts.engine();
  const health: Assessed["health"] = [];
  for (const area of [".", ...namedFolders(projectDir, run.state.created.intent.words)]) health.push(await parts.health(area, run.signal));
  const alike = await alikeTo(parts, run.state);
  const failures = await failuresOf(parts, run.state, alike);
  const advice = await adviceIn(parts, alike);
  await run.append(EVENTS.request.assessed.create({ plan_version: version, health, failures, advice }, BY));
  return "again";
}

/** How a part of the project is named by the files in it: the folder they share. */
function areaOf(files: readonly string[]): string {
  const [first, ...rest] = files.map((file) => file.replace(/^\.\//u, "").split("/").slice(0, -1));
  if (first === undefined) return ".";
  const shared = rest.reduce((common, folders) => {
    const differs = common.findIndex((folder, at) => folders[at] !== folder);
    return differs === -1 ? common : common.slice(0, differs);
  }, first);
  return shared.length === 0 ? "." : shared.join("/");
}

/** Of the place a piece works in, as its tree has it; a folder that is yet to be made counts as the one around it. */
export async function healthOfPiece({ health }: FlowParts, files: readonly string[], root: string, signal: AbortSignal): Promise<Health> {
  for (let area = areaOf(files.filter((file) => !isTestFile(file))); ; area = path.posix.dirname(area))
    if (area === "." || systemPaths.kind(path.join(root, area)) === "folder") return health(area, signal, root);
}

/** The gate: whatever drafted the plan, it does not count without. */
export function mustBeAssessed({ assessed, created }: RequestState, version: number): Assessed {
  if (assessed?.plan_version === version) return assessed;
  throw new SylkError({
    code: "REQUEST_NOT_ASSESSED",
    tier: "permanent",
    message: `nothing is on record of the health and the failures of the place that version ${version} of the plan of ${created.id} is about`,
  });
}

export const healthText = ({ health }: { health: readonly Health[] }): string =>
  health.flatMap(({ summary, warning }) => [summary, ...(warning === undefined ? [] : [`  ${warning}`])]).join("\n");

export function failuresText({ failures, advice }: Pick<Assessed, "failures" | "advice">): string {
  const { similar, succeeded } = failures.success_statistics;
  const past =
    similar === 0 ? "no request like this one came to its end here before" : `${succeeded} of ${similar} requests like this one were done`;
  return [past, ...(failures.warnings.length === 0 ? ["no known failure fits its words"] : failures.warnings), ...adviceLines(advice)].join(
    "\n",
  );
}
