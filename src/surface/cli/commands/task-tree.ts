/** What a user does with what a task changed: see it, merge it, take it back, throw it away. */
import type { Command } from "commander";

import { shortIds, SylkError, wording } from "../../../kernel/index.ts";
import type { Result } from "../../../protocol/api/index.ts";
import { bothSidesIn } from "../../task-lines.ts";
import type { CliContext } from "../command.ts";
import { EXIT } from "../exit-codes.ts";
import type { Output } from "../output.ts";
import { colouredDiff } from "../coloured-diff.ts";
import { taskId } from "../whole-task-id.ts";
import { wholeNumber } from "../whole-number.ts";
import { visibleLine } from "../visible-text.ts";
import { isOver } from "../words-to-go-on.ts";

const MAX_LINES = 8;

/** The first lines of a text, under a word. */
function quoted(word: string, lines: readonly string[]): string[] {
  const shown = lines.slice(0, MAX_LINES).map((line) => `      ${line}`);
  const more = lines.length > MAX_LINES ? [`      … ${lines.length - MAX_LINES} more`] : [];
  return [`    ${word}${lines.length === 0 ? " nothing" : ""}`, ...shown, ...more];
}

const linesOf = (text: string): string[] => text.split("\n").filter((line, i, all) => line !== "" || i < all.length - 1);

function describeConflicts({ conflicts, wanted }: Extract<Result<"task.merge">, { kind: "conflicts" }>): string[] {
  return [
    "nothing was written; you and the task changed the same places:",
    ...conflicts.flatMap(({ path, reason, places, lost }) => [
      `  ${visibleLine(path)}  ${reason.replaceAll("_", " ")}`,
      ...places.flatMap(({ before, mine, task }) => [
        ...quoted("before:", linesOf(before)),
        ...quoted("your folder:", linesOf(mine)),
        ...quoted("the task:", linesOf(task)),
      ]),
      ...quoted("--prefer mine keeps your file; lost of the task's:", lost.mine),
      ...quoted("--prefer task takes the task's file; lost of yours:", lost.task),
    ]),
    `the task wanted: ${wanted}`,
    "merge with --prefer mine or --prefer task, or change your files and merge again",
  ];
}

function describeMerged({ files, combined }: Extract<Result<"task.merge">, { kind: "merged" }>): string[] {
  const how = (word: string): string => (word === "resolved" ? "the task's file, in place of yours" : word.replaceAll("_", " "));
  const what = bothSidesIn(files) ? "your edits and the task's were combined" : "nobody has run your folder with this yet";
  return [
    `merged ${files.length} file${files.length === 1 ? "" : "s"}:`,
    ...files.map((file) => `  ${visibleLine(file.path)}  ${how(file.how)}`),
    ...(combined ? [`${what}: run the checks again`] : []),
  ];
}

function describe(outcome: Result<"task.merge">): string {
  switch (outcome.kind) {
    case "merged":
      return describeMerged(outcome).join("\n");
    case "already_merged":
      return `already merged: ${outcome.files.map((file) => visibleLine(file.path)).join(", ")}`;
    case "nothing_to_merge":
      return "nothing to merge: the project has all of it";
    case "conflicts":
      return describeConflicts(outcome).join("\n");
    case "refused":
      return `nothing was written: ${visibleLine(outcome.path)}: ${outcome.reason}`;
  }
}

function describeUndo(outcome: Result<"task.undo">, which: string, out: Pick<Output, "word">): string {
  switch (outcome.kind) {
    case "undone":
      if (outcome.files.length === 0) return "no file is to be taken back; what came later is forgotten";
      return `${outcome.dry_run ? "would take back" : "taken back"}${outcome.what === "merge" ? " (the merge)" : ""}: ${outcome.files.map(visibleLine).join(", ")}${
        outcome.commands > 0 ? `\n  what ${outcome.commands} of its commands changed is not known, or not all of it, and stays` : ""
      }${outcome.still_runs === undefined ? "" : `\n  a command of it still runs and may change files again: ${wording.oneLine(outcome.still_runs, 120)}\n  fix: \`${out.word(`task cancel ${which}`)}\` ends it; then undo again`}`;
    case "nothing_to_undo":
      return "nothing to take back";
    case "changed_since":
      return `nothing taken back; changed again since, or while a command of the task ran and so perhaps by you: ${outcome.files.map(visibleLine).join(", ")}\n  fix: look at them with \`${out.word(`task diff ${which}`)}\`; --force brings back the old content all the same`;
    case "not_kept":
      return `nothing taken back; the old content was not kept: ${outcome.files.map(visibleLine).join(", ")}`;
  }
}

/** So far back is looked for something to take back. */
const LOOKED_AT = 100;
const SHOWN_GOAL = 100;

interface Changed {
  id: string;
  goal: string;
  /** What was changed after it is taken back already. */
  later?: { id: string; goal: string };
}

const called = ({ id, goal }: Pick<Changed, "id" | "goal">): string => `${shortIds.shorten(id)}: ${wording.title(goal, SHOWN_GOAL)}`;

/** What a piece of a request changed stands in a tree; of a request the merge counts, which one of its tasks made. */
async function newestChanged(cli: CliContext): Promise<Changed | undefined> {
  let later: Changed["later"];
  for (const { id, goal, session, tree } of await cli.query({ type: "task.list", limit: LOOKED_AT })) {
    const { merged_files: merged = [], changed_files: changed, why } = await cli.query({ type: "task.show", id });
    const isHere = tree === undefined && !session.startsWith("req_") && changed.length > 0;
    if (isHere || merged.length > 0) return { id, goal, ...(later === undefined ? {} : { later }) };
    if (why === "taken_back") later ??= { id, goal };
  }
  return undefined;
}

/** What would be taken back without being named: said twice, it is not the work of before. */
async function newestToUndo(cli: CliContext): Promise<string | undefined> {
  const newest = await newestChanged(cli);
  if (newest?.later === undefined) {
    if (newest !== undefined) cli.out.note(`of ${called(newest)}`);
    return newest?.id;
  }
  throw new SylkError({
    code: "TASK_WRONG_STATUS",
    tier: "user_fixable",
    message: `what was changed last is taken back already (${called(newest.later)})`,
    fix: `\`${cli.out.word(`task undo ${shortIds.shorten(newest.id)}`)}\` takes back what was changed before it (${called(newest)})`,
  });
}

/** The newest request, while somebody works on it: what it changed so far stands in its trees. */
async function taskAtWork(cli: CliContext): Promise<string | undefined> {
  const [request] = await cli.query({ type: "request.list", limit: 1 });
  const [task] = await cli.query({ type: "task.list", limit: 1 });
  const isIts = request !== undefined && task?.session === request.id && !isOver(request.status);
  return isIts || (task !== undefined && task.status !== "complete" && !task.session.startsWith("req_")) ? task?.id : undefined;
}

/** Whose change is shown where nobody is named: of what is at work, else what was changed last here. */
async function newestDiffed(cli: CliContext): Promise<string> {
  const atWork = await taskAtWork(cli);
  if (atWork !== undefined) return atWork;
  const newest = await newestChanged(cli);
  if (newest !== undefined) cli.out.note(`of ${called(newest)}`);
  return newest?.id ?? (await taskId(cli, "last"));
}

/** A task, or a request: what that changed is what its look at the whole was about. */
async function diffed(cli: CliContext, which: string): Promise<string> {
  try {
    return await taskId(cli, which);
  } catch (error) {
    const request = await cli.query({ type: "request.resolve", id: which }).catch(() => undefined);
    const { whole } = request === undefined ? {} : await cli.query({ type: "request.show", id: request.id });
    if (whole === undefined) throw error;
    return whole;
  }
}

export function addTreeCommands(command: Command, cli: CliContext, idHelp: string): void {
  const { out } = cli;
  command
    .command("diff")
    .description("what a task or a request changed")
    .argument("[id]", "the id or its last characters, or `last`; without one, what is at work, else what was changed last here")
    .action(async (which: string | undefined) => {
      const api = await cli.api();
      const id = which === undefined ? await newestDiffed(cli) : await diffed(cli, which);
      const diff = await api.query({ type: "task.diff", id }, cli.signal);
      const { status } = diff.text === "" ? await api.query({ type: "task.show", id }, cli.signal) : { status: "complete" };
      const none = status === "complete" || status === "cancelled" ? "it changed nothing" : "it has changed nothing so far";
      out.paged(diff, () => (diff.text === "" ? none : `${colouredDiff(diff.text, out)}${diff.truncated ? "\n… cut" : ""}`));
    });
  command
    .command("undo")
    .description("take a task's changes back, or its merge into your folder; files changed again since are left alone")
    .argument("[id]", "the id or its last characters, or `last`; without one, the newest that changed something here and was not undone")
    .option("--dry-run", "only say what would be taken back")
    .option("--force", "also over later changes")
    .option("--to <step>", "back to how things stood after this step: its later steps are taken back and forgotten, and it can go on")
    .action(async (which: string | undefined, flags: { dryRun?: boolean; force?: boolean; to?: string }) => {
      const api = await cli.api();
      const id = which === undefined ? await newestToUndo(cli) : await taskId(cli, which);
      if (id === undefined)
        return out.result({ kind: "nothing_to_undo" }, () => "nothing to take back: no task changed anything here that was not undone");
      const to = flags.to === undefined ? {} : { to_step: wholeNumber("--to", flags.to) };
      const options = { dry_run: flags.dryRun === true, force: flags.force === true, ...to };
      const outcome = await api.send({ type: "task.undo", id, ...options }, cli.signal);
      out.result({ id, ...outcome }, () => describeUndo(outcome, shortIds.shorten(id), out));
      if (outcome.kind === "changed_since" || outcome.kind === "not_kept") cli.setExit(EXIT.failure);
    });
  command
    .command("merge")
    .description(
      "bring a task's work tree into your folder beside your own edits; where both changed the same place nothing is written, and `undo` takes it back",
    )
    .argument("<id>", idHelp)
    .option("--prefer <side>", "where both changed the same place: mine (your folder's file) or task (the task's file)")
    .action(async (which: string, flags: { prefer?: string }) => {
      const { prefer } = flags;
      if (prefer !== undefined && prefer !== "mine" && prefer !== "task")
        throw new SylkError({
          code: "USAGE_PREFER",
          tier: "user_fixable",
          message: `--prefer cannot be ${prefer}`,
          fix: "write mine or task",
        });
      const api = await cli.api();
      const outcome = await api.send({ type: "task.merge", id: await taskId(cli, which), prefer }, cli.signal);
      out.result(outcome, () => describe(outcome));
      if (outcome.kind === "conflicts") cli.setExit(EXIT.stuck);
      if (outcome.kind === "refused") cli.setExit(EXIT.failure);
    });
  command
    .command("discard")
    .description("throw a task's work tree away")
    .argument("<id>", idHelp)
    .option("--force", "even when it holds work that was not merged")
    .action(async (which: string, flags: { force?: boolean }) => {
      const api = await cli.api();
      const outcome = await api.send({ type: "task.discard", id: await taskId(cli, which), force: flags.force === true }, cli.signal);
      out.result(outcome, () =>
        outcome.kind === "discarded"
          ? "discarded"
          : outcome.kind === "already_gone"
            ? "nothing to discard: its work tree is gone already"
            : `kept: not merged yet: ${outcome.changed.map(visibleLine).join(", ")}\n  fix: \`${out.word(`task merge ${which}`)}\`, or discard with --force`,
      );
      if (outcome.kind === "kept") cli.setExit(EXIT.failure);
    });
}
