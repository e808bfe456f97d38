/** Requests for people. */
import { shortIds, wording } from "../../kernel/index.ts";
import type { Result } from "../../protocol/api/index.ts";
import type { RequestLine } from "../request-lines.ts";
import type { Output } from "./output.ts";
import { messageLines } from "./render-question.ts";
import { visibleLine } from "./visible-text.ts";

type Detail = Result<"request.show">;
type Summary = Result<"request.list">[number];

export const money = (usd: number): string => (usd === 0 ? "$0" : `$${usd < 0.01 ? usd.toFixed(4) : usd.toFixed(2)}`);

const SECOND = 1_000;

export function elapsed(ms: number): string {
  const seconds = Math.max(0, Math.floor(ms / SECOND));
  if (seconds < 60) return `${seconds} s`;
  const minutes = Math.floor(seconds / 60);
  return minutes < 60 ? `${minutes} m ${String(seconds % 60).padStart(2, "0")} s` : `${Math.floor(minutes / 60)} h ${minutes % 60} m`;
}

export const SIGNS: Readonly<Record<string, string>> = {
  merged: "✓",
  needs_you: "?",
  blocked: "!",
  skipped: "–",
  without: "–",
  replanned: "–",
  aborted: "✗",
  cancelled: "✗",
  waiting: "·",
};
export const WORDS: Readonly<Record<string, string>> = {
  red: "tests",
  green: "building",
  reconcile: "combining",
  inspect: "judged",
  needs_you: "needs you",
  without: "left out",
  replanned: "planned anew",
};

export function renderRequestLine({ piece, what, text, ok }: RequestLine, out: Output): string {
  const sign =
    what === "needs_you" ? out.style("yellow", "?") : ok === undefined ? " " : ok ? out.style("green", "✓") : out.style("red", "✗");
  return `${sign} ${piece === undefined ? "" : `${out.style("cyan", piece)} `}${text}`;
}

/** Who does what now, for somebody who wonders what takes so long. */
function nowText(doing: Detail["doing"]): string {
  return doing === undefined ? "" : `${doing.role}, step ${doing.step}${doing.does === "" ? "" : `: ${wording.oneLine(doing.does, 60)}`}`;
}

/** Built, and left in its own tree. */
const isLeft = ({ status, end, whole }: Detail): boolean => status === "not_shown" && end?.files.length === 0 && whole !== undefined;

function headOf(request: Detail): string {
  const { status, plan, end } = request;
  if (!isLeft(request)) return ENDS[status] ?? status;
  const isShown = plan?.plan.assertions.every(({ id }) => end?.evidence[id] !== undefined) === true;
  return `${isShown ? "built and shown" : "built"}, not merged into your folder`;
}

function renderWork(request: Detail, out: Output): string[] {
  const words = isLeft(request) ? { ...WORDS, merged: "built" } : WORDS;
  const now = request.created_at + request.took_ms;
  return request.work.map(({ id, title, state, attempt, why, after, cost_usd: usd, doing, since }) => {
    const waits = state === "waiting" && after.length > 0 ? `  after ${after.join(", ")}` : "";
    const notes = [
      attempt > 1 ? `attempt ${attempt}` : "",
      usd > 0 ? money(usd) : "",
      why === "" || state === "merged" ? "" : wording.oneLine(why, 80),
      since === undefined || !request.running ? "" : `${elapsed(now - since)}  ${nowText(doing)}`,
    ];
    const more = notes.filter((note) => note !== "").join("  ");
    return `  ${SIGNS[state] ?? "▸"} ${id} ${wording.oneLine(title)}  ${out.style("dim", `${words[state] ?? state}${waits}${more === "" ? "" : `  ${more}`}`)}`;
  });
}

const ENDS: Readonly<Record<string, string>> = {
  answered: "answered; nothing was changed",
  done: "done: every assertion has its evidence",
  not_shown: "finished, not shown",
  planned: "planned; nothing was built",
  rejected: "rejected; nothing was built",
  undone: "undone: what it changed was taken back",
  cancelled: "cancelled",
  failed: "not done",
  needs_you: "needs you",
  interrupted: "interrupted; `sylk session resume` goes on",
};

/** Where an answer comes from is no part of its words. */
const SOURCES = /\nSources: [^\n]*$/u;

/** An answer as it is written, with its sources: what whoever only asked wants to have. */
export function renderAnswer({ end }: Detail, out: Output): string {
  const summary = end?.summary ?? "";
  const sources = SOURCES.exec(summary)?.[0] ?? "";
  const said = summary.slice(0, summary.length - sources.length);
  return [...(said === "" ? [] : out.markdown(said)), ...(sources === "" ? [] : [sources.trimStart()])].join("\n");
}

/** What stands below it. */
export const renderAnswered = ({ id, usage, cost_usd: usd }: Detail): string =>
  `answered, nothing was changed · ${shortIds.shorten(id)} · ${spent(usage, usd)}`;

const spent = ({ calls, input, output }: Detail["usage"], usd: number): string =>
  `${calls} ${calls === 1 ? "call" : "calls"}, ${input.toLocaleString("en")} tokens in, ${output.toLocaleString("en")} out, ${money(usd)}`;

/** `gone`: the folder it was made in is thrown away; nothing of it can be taken back. */
export function renderRequest(request: Detail, out: Output, { gone = false } = {}): string {
  const { id, status, intent, reading, shape, plan, end, questions, usage, findings, whole } = request;
  const short = shortIds.shorten(id);
  const good = status === "done" || status === "answered" || status === "planned";
  const lines = [
    `${out.style(good ? "green" : status === "needs_you" ? "yellow" : "bold", headOf(request))}  ${out.style("dim", short)}  ${wording.title(intent.words, 100)}`,
    ...intent.said.flatMap(({ on, words }) =>
      // Told as what was meant.
      on === "choice" ? [] : [out.style("dim", `  you said later (${on}): ${wording.oneLine(words, 100)}`)],
    ),
    ...intent.constraints.map((text) => out.style("dim", `  limit: ${wording.oneLine(text, 100)}`)),
    ...(reading === undefined || reading.kind === "ambiguous"
      ? []
      : [
          out.style(
            "dim",
            `  ${reading.by === "user" ? "you meant" : "understood as"} ${reading.kind}${intent.type === undefined ? "" : ` (${intent.type.replaceAll("_", " ")})`}${reading.by === "user" ? "" : ` (${reading.confidence})`}: ${wording.oneLine(reading.reading)}`,
          ),
        ]),
    ...(shape === undefined ? [] : [out.style("dim", `  ${shape.mode === "solo" ? "one pipeline" : "a team"}: ${shape.why}`)]),
    ...renderWork(request, out),
  ];
  if (end !== undefined) {
    lines.push("", status === "answered" ? renderAnswer(request, out) : end.summary);
    for (const one of plan?.plan.assertions ?? []) {
      const shown = end.evidence[one.id];
      if (status === "done" || status === "not_shown")
        lines.push(
          `  ${shown === undefined ? "–" : "✓"} ${one.id} ${wording.oneLine(one.text)}${shown === undefined ? "" : out.style("dim", `  ${wording.oneLine(shown)}`)}`,
        );
    }
    if (end.files.length > 0 && status !== "undone") lines.push(`changed: ${end.files.map(visibleLine).join(", ")}`);
    if (end.deferred.length > 0) lines.push("left out:", ...end.deferred.map((text) => `  - ${wording.oneLine(text)}`));
    const notes = findings.filter((one) => !one.blocks);
    if (notes.length > 0) lines.push("noted by the review:", ...notes.map((one) => `  - ${wording.oneLine(one.text)}`));
    if (end.files.length > 0 && whole !== undefined && !gone && status !== "undone")
      lines.push(out.style("dim", `take it back: ${out.word(`session undo ${short}`)}`));
    if (isLeft(request) && whole !== undefined && !gone)
      lines.push(
        `merge it later: ${out.word(`task merge ${shortIds.shorten(whole)}`)}`,
        out.style("dim", `look at it: ${out.word(`task diff ${shortIds.shorten(whole)}`)}`),
      );
  } else if (plan !== undefined && shape === undefined && questions.length === 0 && status !== "planned") lines.push("", plan.text);
  if (status === "planned" && plan !== undefined)
    lines.push("", plan.text, "", ...(end === undefined ? [out.style("dim", `build it: ${out.word(`session resume ${short}`)}`)] : []));
  for (const question of questions) {
    const { first, more } = messageLines(question.text);
    lines.push(
      `  ${out.style("yellow", "?")} ${first}  ${out.style("dim", `${out.word(`answer ${shortIds.shorten(question.id)}`)} …`)}`,
      ...more,
    );
  }
  if (end === undefined && request.running) {
    const now = nowText(request.doing);
    lines.push(
      out.style("dim", `${elapsed(request.took_ms)} so far, models took ${elapsed(usage.model_ms)}${now === "" ? "" : `; now ${now}`}`),
    );
  }
  lines.push(out.style("dim", spent(usage, request.cost_usd)));
  return lines.join("\n");
}

export function renderRequests(list: readonly Summary[], out: Output): string {
  if (list.length === 0) return 'no request here yet; `sylk run "…"` starts one';
  return list
    .map(
      ({ id, words, status, running, pieces, merged, cost_usd: usd }) =>
        `${shortIds.shorten(id)}  ${(running ? `${status}…` : status).padEnd(11)} ${`${merged}/${pieces}`.padStart(5)}  ${money(usd).padStart(7)}  ${wording.title(words, 80)}`,
    )
    .join("\n")
    .concat(out.style("dim", `\n\`${out.word("session show <id>")}\` tells more`));
}

export function renderReceipt(receipt: Result<"request.rollback">): string {
  const { files_restored: files, external_calls: calls, warnings } = receipt;
  return [
    files.length === 0 ? "nothing of it was in your folder any more" : `taken back in your folder: ${files.map(visibleLine).join(", ")}`,
    `thrown away: ${receipt.staged_files_discarded} files and ${receipt.local_commits_removed} commits of its own trees; nothing of it was pushed`,
    ...(receipt.agent_context_reset ? ["no task of it goes on; whoever tries again begins anew"] : []),
    calls.length === 0 ? "it called nothing outside that is known" : "called outside, and cannot be taken back:",
    ...calls.map(({ method, path, status }) => `  ${method} ${path} (${status})`),
    `what was tried stays written: ${receipt.failure_record}`,
    ...warnings.map((text) => `! ${text}`),
  ].join("\n");
}
