/** Requests for people. */
import { shortIds, wording } from "../../kernel/index.ts";
import type { Result } from "../../protocol/api/index.ts";
import type { RequestLine } from "../request-lines.ts";
import type { Output } from "./output.ts";

type Detail = Result<"request.show">;
type Summary = Result<"request.list">[number];

const money = (usd: number): string => (usd === 0 ? "$0" : `$${usd < 0.01 ? usd.toFixed(4) : usd.toFixed(2)}`);

const SIGNS: Readonly<Record<string, string>> = {
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
const WORDS: Readonly<Record<string, string>> = {
  red: "tests",
  green: "building",
  reconcile: "combining",
  inspect: "judged",
  needs_you: "needs you",
  without: "left out",
  replanned: "planned anew",
};

export function renderRequestLine({ piece, text, ok }: RequestLine, out: Output): string {
  const sign = ok === undefined ? " " : ok ? out.style("green", "✓") : out.style("red", "✗");
  return `${sign} ${piece === undefined ? "" : `${out.style("cyan", piece)} `}${text}`;
}

function renderWork(request: Detail, out: Output): string[] {
  return request.work.map(({ id, title, state, attempt, why, after, cost_usd: usd }) => {
    const waits = state === "waiting" && after.length > 0 ? `  after ${after.join(", ")}` : "";
    const notes = [
      attempt > 1 ? `attempt ${attempt}` : "",
      usd > 0 ? money(usd) : "",
      why === "" || state === "merged" ? "" : wording.oneLine(why, 80),
    ];
    const more = notes.filter((note) => note !== "").join("  ");
    return `  ${SIGNS[state] ?? "▸"} ${id} ${title}  ${out.style("dim", `${WORDS[state] ?? state}${waits}${more === "" ? "" : `  ${more}`}`)}`;
  });
}

const ENDS: Readonly<Record<string, string>> = {
  answered: "answered; nothing was changed",
  done: "done: every assertion has its evidence",
  not_shown: "finished, not shown",
  planned: "planned; nothing was built",
  rejected: "rejected; nothing was built",
  cancelled: "cancelled",
  failed: "not done",
  needs_you: "needs you",
};

/** `gone`: the folder it was made in is thrown away; nothing of it can be taken back. */
export function renderRequest(request: Detail, out: Output, { gone = false } = {}): string {
  const { id, status, intent, reading, shape, plan, end, questions, usage, findings, whole } = request;
  const short = shortIds.shorten(id);
  const good = status === "done" || status === "answered" || status === "planned";
  const lines = [
    `${out.style(good ? "green" : status === "needs_you" ? "yellow" : "bold", ENDS[status] ?? status)}  ${out.style("dim", short)}  ${wording.oneLine(intent.words, 100)}`,
    ...intent.said.map(({ on, words }) => out.style("dim", `  you said later (${on}): ${wording.oneLine(words, 100)}`)),
    ...intent.constraints.map((text) => out.style("dim", `  limit: ${wording.oneLine(text, 100)}`)),
    ...(reading === undefined || reading.kind === "ambiguous"
      ? []
      : [
          out.style(
            "dim",
            `  ${reading.by === "user" ? "you meant" : "understood as"} ${reading.kind}${intent.type === undefined ? "" : ` (${intent.type.replaceAll("_", " ")})`}${reading.by === "user" ? "" : ` (${reading.confidence})`}: ${reading.reading}`,
          ),
        ]),
    ...(shape === undefined ? [] : [out.style("dim", `  ${shape.mode === "solo" ? "one pipeline" : "a team"}: ${shape.why}`)]),
    ...renderWork(request, out),
  ];
  if (end !== undefined) {
    lines.push("", end.summary);
    for (const one of plan?.plan.assertions ?? []) {
      const shown = end.evidence[one.id];
      if (status === "done" || status === "not_shown")
        lines.push(
          `  ${shown === undefined ? "–" : "✓"} ${one.id} ${one.text}${shown === undefined ? "" : out.style("dim", `  ${shown}`)}`,
        );
    }
    if (end.files.length > 0) lines.push(`changed: ${end.files.join(", ")}`);
    if (end.deferred.length > 0) lines.push("left out:", ...end.deferred.map((text) => `  - ${text}`));
    const notes = findings.filter((one) => !one.blocks);
    if (notes.length > 0) lines.push("noted by the review:", ...notes.map((one) => `  - ${one.text}`));
    if (end.files.length > 0 && whole !== undefined && !gone) lines.push(out.style("dim", `take it back: sylk session undo ${short}`));
  } else if (plan !== undefined && shape === undefined && questions.length === 0 && status !== "planned") lines.push("", plan.text);
  if (status === "planned" && plan !== undefined)
    lines.push("", plan.text, "", ...(end === undefined ? [out.style("dim", `build it: sylk session resume ${short}`)] : []));
  for (const question of questions)
    lines.push(`  ${out.style("yellow", "?")} ${question.text}  ${out.style("dim", `sylk answer ${shortIds.shorten(question.id)} …`)}`);
  lines.push(
    out.style(
      "dim",
      `${usage.calls} calls, ${usage.input.toLocaleString("en")} tokens in, ${usage.output.toLocaleString("en")} out, ${money(request.cost_usd)}`,
    ),
  );
  return lines.join("\n");
}

export function renderRequests(list: readonly Summary[], out: Output): string {
  if (list.length === 0) return 'no request here yet; `sylk run "…"` starts one';
  return list
    .map(
      ({ id, words, status, running, pieces, merged, cost_usd: usd }) =>
        `${shortIds.shorten(id)}  ${(running ? `${status}…` : status).padEnd(11)} ${`${merged}/${pieces}`.padStart(5)}  ${money(usd).padStart(7)}  ${wording.oneLine(words, 80)}`,
    )
    .join("\n")
    .concat(out.style("dim", "\n`sylk session show <id>` tells more"));
}

export function renderReceipt(receipt: Result<"request.rollback">): string {
  const { files_restored: files, external_calls: calls, warnings } = receipt;
  return [
    files.length === 0 ? "nothing of it was in your folder any more" : `taken back in your folder: ${files.join(", ")}`,
    `thrown away: ${receipt.staged_files_discarded} files and ${receipt.local_commits_removed} commits of its own trees; nothing of it was pushed`,
    ...(receipt.agent_context_reset ? ["no task of it goes on; whoever tries again begins anew"] : []),
    calls.length === 0 ? "it called nothing outside that is known" : "called outside, and cannot be taken back:",
    ...calls.map(({ method, path, status }) => `  ${method} ${path} (${status})`),
    `what was tried stays written: ${receipt.failure_record}`,
    ...warnings.map((text) => `! ${text}`),
  ].join("\n");
}
