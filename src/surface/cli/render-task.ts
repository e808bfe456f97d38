/** Tasks as text for people. */
import { shortIds, wording } from "../../kernel/index.ts";
import type { Result } from "../../protocol/api/index.ts";
import type { TaskLine } from "../task-line.ts";
import { shortDiff } from "./coloured-diff.ts";
import type { Output } from "./output.ts";
import { wrapLines } from "./wrap-lines.ts";
import { visibleLine } from "./visible-text.ts";

/** Of what the model says in a step; `sylk task show` has more. */
const SAID_LINES = 3;
/** Longer than any reason. */
const WHOLE = 2_000;

type TaskSummary = Result<"task.list">[number];

const STATUS_STYLE = {
  running: "cyan",
  interrupted: "yellow",
  complete: "green",
  escalated: "yellow",
  failed: "red",
  paused: "yellow",
  cancelled: "dim",
} as const;

/** Stopped at a question that is still open. */
const stoppedAsking = ({ status, question_id }: Pick<TaskSummary, "status" | "question_id">): boolean =>
  status === "interrupted" && question_id !== undefined;

function completeWords({ verified, why }: Pick<TaskSummary, "verified" | "why">): string {
  if (why === "accepted") return "accepted by you, not verified";
  return verified ? "complete, verified" : "finished, not verified";
}

type Standing = Pick<TaskSummary, "status" | "verified" | "why" | "step" | "question_id">;

/** How it stands, as it is said everywhere. */
export function statusWords(task: Standing): string {
  return task.status === "complete"
    ? completeWords(task)
    : task.status === "escalated" || stoppedAsking(task)
      ? "needs you"
      : task.status === "interrupted" && task.step === 0
        ? "not started"
        : task.status;
}

function statusText(task: Standing, out: Output, width = 0): string {
  const words = statusWords(task);
  return out.style(task.status === "complete" && !task.verified ? "yellow" : STATUS_STYLE[task.status], words.padEnd(width));
}

/** What was done is told in a line; why something was not, whole. */
function actionLine({ ok, action, target, summary }: Extract<TaskLine, { type: "action" }>, out: Output, width: number): string {
  const head = `  ${ok ? out.style("green", "✓") : out.style("red", "✗")} ${out.style("bold", action)} ${wording.oneLine(target, 60)}  `;
  return ok ? `${head}${wording.oneLine(summary, width - 30)}` : wrapLines(`${head}${wording.oneLine(summary, WHOLE)}`, width);
}

export function renderLine(line: TaskLine, out: Output): string[] {
  const width = Math.max(40, (out.columns ?? 120) - 8);
  switch (line.type) {
    case "task":
      return [`${out.style("bold", line.id)}  ${wording.title(line.goal, width - 30)}  ${out.style("dim", line.model)}`];
    case "step":
      return [
        `${out.style("dim", `step ${line.step} · ${line.phase} · ${line.tokens} tokens in`)}${line.text.trim() === "" ? "" : `\n${wrapLines(`  ${wording.oneLine(line.text, SAID_LINES * width)}`, width)}`}`,
      ];
    case "action":
      if (line.outcome === "folder_shared") return [wrapLines(`  ${out.style("yellow", "!")} ${line.summary}`, width)];
      return [actionLine(line, out, width)];
    case "edit":
      return shortDiff(line.diff, line.truncated, out);
    case "verification":
      return line.checks.map((check) => checkLine(check, out, width));
    case "decision":
      return line.decision === "continue"
        ? []
        : [wrapLines(`  → ${line.decision}${line.reason === "" ? "" : `: ${wording.oneLine(line.reason, WHOLE)}`}`, width)];
    case "question":
      return [`  ${out.style("yellow", "?")} ${wording.oneLine(line.text, width)}`];
    case "tree":
      return [`  ${line.what === "merged" ? out.style("green", "✓") : out.style("dim", "·")} ${wording.oneLine(line.summary, width)}`];
    case "outcome":
      return line.status === "interrupted"
        ? [
            `  nobody runs this task now; \`${out.word(`task resume ${shortIds.shorten(line.id)}`)}\` ${line.step === 0 ? "starts it" : "goes on"}`,
          ]
        : [];
  }
}

function checkLine(check: Extract<TaskLine, { type: "verification" }>["checks"][number], out: Output, width: number): string {
  const head = `  ${checkMark(check, out)} ${check.name}`;
  if (!check.passed || check.summary !== "passes") return `${head}: ${wording.oneLine(check.summary, width - 20)}`;
  return `${head} passes${check.tests === undefined ? "" : out.style("dim", ` (${check.tests.passed} passed)`)}`;
}

function checkMark({ passed, could_not_run }: { passed: boolean; could_not_run?: boolean | undefined }, out: Output): string {
  if (passed) return out.style("green", "✓");
  return could_not_run === true ? out.style("yellow", "?") : out.style("red", "✗");
}

const shortId = (id: string | undefined): string => shortIds.shorten(id ?? "");

/** What became of its changes, where that is settled. */
function changesWord({ tree, why }: TaskSummary): string {
  if (why === "taken_back") return "undone: ";
  return tree === undefined || tree === "open" ? "" : `${tree}: `;
}

function when(ms: number): string {
  const at = new Date(ms);
  const two = (n: number): string => String(n).padStart(2, "0");
  return `${at.getFullYear()}-${two(at.getMonth() + 1)}-${two(at.getDate())} ${two(at.getHours())}:${two(at.getMinutes())}`;
}

export function renderList(list: readonly TaskSummary[], more: number, out: Output): string {
  if (list.length === 0) return 'no tasks yet; start one with: sylk task start "…" --check "…"';
  const statusWidth = Math.max(18, ...list.map((task) => statusWords(task).length));
  const modelWidth = Math.min(28, Math.max(...list.map(({ model }) => model.length)));
  // Tasks of one request have the same goal: who works on it tells them apart.
  const roleWidth = new Set(list.map(({ role }) => role)).size > 1 ? Math.max(...list.map(({ role }) => role.length)) : 0;
  const lines = list.map((task) => {
    const cost = task.cost_usd > 0 ? `$${task.cost_usd.toFixed(2)}` : "";
    const words = [
      shortIds.shorten(task.id),
      out.style("dim", when(task.created_at)),
      statusText(task, out, statusWidth),
      ...(roleWidth === 0 ? [] : [task.role.padEnd(roleWidth)]),
      `step ${String(task.step).padStart(2)}/${task.step_limit}`,
      out.style("dim", wording.oneLine(task.model, modelWidth).padEnd(modelWidth)),
      cost.padStart(7),
      `${changesWord(task)}${wording.title(task.goal, 80)}`,
    ];
    const waits = task.status === "escalated" || stoppedAsking(task);
    const asks =
      waits && task.question !== undefined && task.question_id !== undefined
        ? [out.style("dim", `          asks: ${wording.oneLine(task.question, 80)}; ${out.word(`questions ${shortId(task.question_id)}`)}`)]
        : [];
    return [words.join("  "), ...asks].join("\n");
  });
  return [
    ...lines,
    ...(more > 0 ? [out.style("dim", `and ${more} more: ${out.word("task list")} --limit ${list.length + more}`)] : []),
  ].join("\n");
}

export function renderTask(task: Result<"task.show">, out: Output, how: "short" | "full"): string {
  const lines: string[] = [];
  const short = shortIds.shorten(task.id);
  const section = (title: string, body: readonly string[]): void => {
    if (body.length > 0) lines.push("", out.style("bold", title), ...body.map((text) => `  ${text}`));
  };
  const why = stoppedAsking(task) ? "" : task.reason.replace(/^(?:finished, not verified|verified): /u, "");
  lines.push(
    `${statusText(task, out)}  ${out.style("dim", task.id)}  step ${task.step} of ${task.step_limit}${why === "" ? "" : `  ${wording.oneLine(why, 200)}`}`,
  );
  if (how === "full") {
    section("Goal", task.goal.split("\n"));
    section("Done when", task.criteria);
    section("Constraints", task.constraints);
    section(
      "What it did",
      task.steps.slice(-15).map((step) => `${String(step.step).padStart(3)} ${wording.oneLine(step.actions.join("; "), 150)}`),
    );
    section("Knows", task.facts.slice(0, 10));
  }
  if (task.still_runs !== undefined)
    section("Still runs", [
      `${wording.oneLine(task.still_runs.command, 150)}  (process ${task.still_runs.pid}; it outlived the process that started it)`,
      `${out.word(`task resume ${short}`)}   waits for it and goes on`,
      `${out.word(`task cancel ${short}`)}   ends it and the task`,
    ]);
  section("Changed", task.changed_files.slice(0, 20).map(visibleLine));
  section("Merged into your folder", task.merged_files?.slice(0, 20).map(visibleLine) ?? []);
  if (task.tree === "discarded")
    section("Work tree", [task.why === "taken_back" ? "discarded; its merge was taken back" : "discarded; nothing of it was merged"]);
  section(
    "Checks",
    task.checks.map(
      (check) =>
        `${check.passed === undefined ? "?" : checkMark({ ...check, passed: check.passed }, out)} ${check.command}${check.passed === false ? `  ${wording.oneLine(check.summary ?? "", 120)}` : ""}`,
    ),
  );
  if (task.report !== undefined) {
    const title = task.why === "plan_ready" ? "Plan" : task.status === "complete" ? "Report" : "Where it stands";
    lines.push("", out.style("bold", title), ...out.markdown(task.report, "  "));
  }
  for (const [name, value] of Object.entries(task.outputs ?? {}))
    section(
      name.replaceAll("_", " ").replace(/^./u, (first) => first.toUpperCase()),
      typeof value === "string" ? value.split("\n") : value,
    );
  if (task.why === "plan_ready")
    section("Next", [
      `${out.word(`task resume ${short}`)}                                            carries it out`,
      `${out.word(`task resume ${short}`)} --permission-mode plan --answer "…"   has it changed first`,
      `${out.word(`task cancel ${short}`)}                                            drops it`,
    ]);
  else if (task.question !== undefined && (task.status === "escalated" || stoppedAsking(task))) {
    const way =
      task.code === "STEP_BUDGET"
        ? [
            `go on with: ${out.word(`task resume ${short}`)} --more-steps 10`,
            `or say what to do: ${out.word(`task resume ${short}`)} --answer "…" --more-steps 10`,
          ]
        : task.why === "waits_for_answer" || stoppedAsking(task)
          ? [
              `${out.word(`questions ${shortId(task.question_id)}`)}   shows it whole, with what may be answered`,
              `${out.word(`task resume ${short}`)}   then goes on`,
            ]
          : task.why === "checks_cannot_run"
            ? [
                `${out.word(`task resume ${short}`)}   looks again and goes on, with what runs then`,
                `${out.word(`task accept ${short}`)}   ends it on your word`,
              ]
            : [`answer with: ${out.word(`task resume ${short}`)} --answer "…"`];
    const asked = task.question_id === undefined ? [] : [out.style("dim", `question ${task.question_id}`)];
    section("It asks", [...task.question.split("\n"), ...asked, "", ...way]);
  } else if (task.status === "paused" || task.status === "interrupted") section("Next", [`${out.word(`task resume ${short}`)}`]);
  else if (task.work_tree !== undefined && task.status !== "running" && task.changed_files.length > 0)
    section("Next", [
      `${out.word(`task diff ${short}`)}      what it changed, in its own work tree`,
      `${out.word(`task merge ${short}`)}     bring that into your folder`,
      `${out.word(`task discard ${short}`)}   throw it away`,
    ]);
  else if (task.tree === "merged") section("Next", [`${out.word(`task undo ${short}`)}   take the merge back`]);
  else if (task.tree === undefined && task.status !== "running" && task.changed_files.length > 0)
    section("Next", [`${out.word(`task diff ${short}`)}   what it changed`, `${out.word(`task undo ${short}`)}   take it back`]);
  const unpriced = task.usage.output > 0 && !/^(?:scripted|replay)\//u.test(task.model);
  const cost = task.usage.cost_usd > 0 ? `, $${task.usage.cost_usd.toFixed(4)}` : unpriced ? ", no price: a server of your own" : "";
  const repeats = task.usage.failed === 0 ? "" : ` (${task.usage.failed} of them in vain)`;
  section("Cost", [
    `${task.usage.calls} model call${task.usage.calls === 1 ? "" : "s"}${repeats}, ${task.usage.input} tokens in (${task.usage.cached} cached), ${task.usage.output} out${cost}`,
  ]);
  if (how === "full") section("Files", [task.folder]);
  return lines.join("\n");
}
