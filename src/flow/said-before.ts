/**
 * What was said and done before in a session, for whoever reads the words that came next: worked out from the journal
 * when a task is made, of the same size at most however long the session is. It tells what words refer to; what is
 * wanted now, only the words of now say.
 */
import type { Store } from "../journal/index.ts";
import { STREAMS } from "../protocol/events/index.ts";
import { taskView, type NewTask, type TaskState } from "../step/index.ts";
import { goalOf } from "./intent.ts";
import { purposeKey, requestView, type RequestState } from "./request-state.ts";

type Journal = Pick<Store["journal"], "get">;

/** So many of the newest are told of; in characters, each one's words, what came of it, and all of it. */
export const TOLD_BEFORE = 6;
const MOST = { words: 600, outcome: 700, files: 8, all: 2_500 };

const HEAD =
  "What the person said before in this session and what came of it, the newest last. It only tells what the goal's words refer to: nothing here is to be done again, and where it differs from the goal, the goal counts.";

/** Both ends stay; what is missing is marked. */
function cutInside(text: string, chars: number): string {
  if (text.length <= chars) return text;
  const mark = ` [… ${text.length - chars} characters left out …] `;
  const kept = chars - mark.length;
  const head = Math.ceil(kept * 0.6);
  return `${text.slice(0, head).toWellFormed()}${mark}${text.slice(text.length - (kept - head)).toWellFormed()}`;
}

function filesLine(files: readonly string[]): string[] {
  if (files.length === 0) return [];
  const more = files.length > MOST.files ? ` and ${files.length - MOST.files} more` : "";
  return [`Changed: ${files.slice(0, MOST.files).join(", ")}${more}`];
}

function requestOutcome({ ended, plan, waits }: RequestState, isUndone: boolean): string[] {
  const summary = plan?.plan.summary;
  const undone = isUndone ? ["The person took it back since."] : [];
  switch (ended?.how) {
    case undefined:
      if (summary !== undefined) return [`Planned, and not built to its end: ${summary}`];
      return [waits === undefined ? "Stopped before anything came of it." : `Not gone on with; it had asked: ${waits.text}`];
    case "answered":
      return [`Answered: ${ended.summary}`];
    case "cancelled":
      return [`Stopped by the person${summary === undefined ? "" : `; planned was: ${summary}`}.`, ...undone];
    case "rejected":
      return [`The person rejected the plan: ${summary ?? ended.summary}`];
    case "failed":
      return [`It failed: ${ended.summary}`, ...filesLine(ended.files), ...undone];
    case "planned":
    case "done":
    case "not_shown":
      return [`${ended.how === "done" ? "Done" : "Came to"}: ${summary ?? ended.summary}`, ...filesLine(ended.files), ...undone];
  }
}

function taskOutcome({ status, why, report, history, changedFiles, merged }: TaskState): string[] {
  const files = filesLine(merged?.files.map(({ path }) => path) ?? Object.keys(changedFiles));
  if (why === "taken_back" && status === "paused") {
    const step = history.at(-1)?.step ?? 0;
    return [`Rewound by the person to ${step === 0 ? "before its first step" : `after step ${step}`}.`, ...files];
  }
  if (status === "cancelled") return ["Stopped by the person.", ...files];
  if (status !== "complete") return [`Stopped before its end${report === undefined ? "" : `: ${report}`}.`, ...files];
  return [`Done: ${report ?? "nothing was said of it"}`, ...files, ...(why === "taken_back" ? ["The person took it back since."] : [])];
}

/** Its words and what came of them; undefined: nobody knows it. */
async function toldOf(journal: Journal, id: string): Promise<string | undefined> {
  const request = await journal.get(requestView, STREAMS.request(id));
  const ofTask = request === undefined ? id : (request.tasks[purposeKey("inspect", request.looks)] ?? "");
  const task = await journal.get(taskView, STREAMS.task(ofTask));
  const words = request === undefined ? task?.created.goal : goalOf(request.intent);
  if (words === undefined) return undefined;
  // A merge is taken back by the task that made it, or with all of the request.
  const outcome =
    request === undefined ? (task === undefined ? [] : taskOutcome(task)) : requestOutcome(request, task?.why === "taken_back");
  return `The person said: ${cutInside(words, MOST.words)}\n${cutInside(outcome.join("\n"), MOST.outcome)}`;
}

/** Newest last; what is older gives way. */
async function tellAll(journal: Journal, ids: readonly string[]): Promise<string | undefined> {
  const told: string[] = [];
  let left = MOST.all - HEAD.length;
  for (const id of ids.slice(-TOLD_BEFORE).toReversed()) {
    const one = await toldOf(journal, id);
    if (one === undefined) continue;
    left -= one.length + 2;
    if (left < 0) break;
    told.unshift(one);
  }
  return told.length === 0 ? undefined : [HEAD, ...told].join("\n\n");
}

/** For whoever is given the words of a request, or of a task of the user's own; who is only asked something by them is not told. */
export async function saidBefore(
  { journal }: { journal: Journal },
  { before, session, goal }: Pick<NewTask, "before" | "session" | "goal">,
): Promise<string | undefined> {
  if (before !== undefined) return tellAll(journal, before);
  const request = await journal.get(requestView, STREAMS.request(session));
  if (request === undefined || !goal.startsWith(request.created.intent.words)) return undefined;
  return tellAll(journal, request.created.before ?? []);
}
