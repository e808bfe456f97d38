/** Actions that start processes. */
import { z } from "zod";
import { messageOf } from "../../kernel/index.ts";
import type { RunOutcome } from "../../workspace/index.ts";
import { headAndTail, shortLine } from "../context/fit-lines.ts";
import { changedResult, recorded } from "./write-actions.ts";
import { defineAction, type Action, type ActionContext, type ActionResult } from "./action.ts";

/** `limit`: the setting of `tools.subprocess` that says how long it may be silent. */
export function describeRun(
  outcome: RunOutcome,
  command: string,
  limit: "default_timeout" | "check_timeout" = "default_timeout",
): { ok: boolean; outcome: string; summary: string; text: string } {
  const name = shortLine(command, 100);
  switch (outcome.kind) {
    case "exited":
      return {
        ok: outcome.exitCode === 0,
        outcome: `exit_${outcome.exitCode ?? outcome.signal}`,
        summary: `\`${name}\` exited with ${outcome.exitCode ?? outcome.signal} (${outcome.output.summary})${outcome.notice === undefined ? "" : `; ${outcome.notice}`}`,
        text: outcome.output.text,
      };
    case "timed_out":
      return {
        ok: false,
        outcome: "timed_out",
        summary: `\`${name}\` did not end by itself and was stopped after ${Math.round(outcome.durationMs / 1000)} s: ${outcome.after === "idle" ? `it had nothing new to say for too long (\`tools.subprocess.${limit}\` gives it longer)` : "no command may take longer"}; run a part of it, or look for what hangs`,
        text: outcome.output.text,
      };
    case "cancelled":
      return { ok: false, outcome: "cancelled", summary: `\`${name}\` was cancelled`, text: outcome.output.text };
    case "not_started":
      return {
        ok: false,
        outcome: outcome.reason,
        summary: `\`${name}\` did not start: ${outcome.message}${outcome.fix === undefined ? "" : `; ${outcome.fix}`}`,
        text: outcome.message,
      };
    case "refused":
      return { ok: false, outcome: "refused", summary: `\`${name}\` is not allowed: ${outcome.reason}`, text: outcome.reason };
  }
}

const runCommand = defineAction({
  name: "run_command",
  summary: "Run a command.",
  effect: "process",
  schema: z.object({
    command: z.string().min(1),
    credentials: z.array(z.string()).optional().describe("names of credentials to put into its environment"),
  }),
  target: (args) => args.command,
  prepare: (context) => context.workspace.processes.ready(context.recordDir),
  execute: (args, context) => runRecorded(args.command, args.credentials ?? [], context),
  async recover(args, context) {
    const left = await context.workspace.processes.recover(context.recordDir, context.signal);
    if (left.kind === "not_started") return "act";
    const name = shortLine(args.command, 100);
    const { text } = left.output;
    const run =
      left.kind === "ended"
        ? {
            ok: left.exitCode === 0,
            outcome: `exit_${left.exitCode}`,
            summary: `\`${name}\` exited with ${left.exitCode} (${left.output.summary})`,
            text,
          }
        : {
            ok: false,
            outcome: "cut_off",
            summary: `\`${name}\` was cut off by a crash; it may have run, in part or whole: look before repeating it`,
            text,
          };
    return { value: await withTrack(await commandResult(args.command, run, context), context) };
  },
});

async function runRecorded(command: string, credentials: readonly string[], context: ActionContext): Promise<ActionResult> {
  const start = (grantedEnv: Record<string, string>): Promise<RunOutcome> =>
    context.workspace.processes.run({
      command,
      signal: context.signal,
      record: context.recordDir,
      grantedEnv,
      beforeStart: () =>
        context.track().then(
          (track) => track.begin(context.recordDir, context.signal),
          // That nothing is known of it is told with its result.
          () => undefined,
        ),
    });
  const used =
    credentials.length === 0
      ? { kind: "done" as const, value: await start({}) }
      : await context.credentials.use({ providers: credentials, reason: command, signal: context.signal }, start);
  if (used.kind === "refused") return { ok: false, outcome: "refused", summary: `credential ${used.provider}: ${used.reason}` };
  const result = await commandResult(command, describeRun(used.value, command), context);
  const began = used.value.kind !== "refused" && used.value.kind !== "not_started";
  return began ? withTrack(result, context) : result;
}

export async function commandResult(command: string, run: ReturnType<typeof describeRun>, context: ActionContext): Promise<ActionResult> {
  return {
    ok: run.ok,
    outcome: run.outcome,
    summary: run.summary,
    detail: run.text,
    newsKey: `run:${command}:${run.outcome}`,
    effects: await outputItem(`run:${command}`, command, run.text, context),
  };
}

const NAMED = 4;

const few = (names: readonly string[]): string =>
  `${names.slice(0, NAMED).join(", ")}${names.length > NAMED ? ` and ${names.length - NAMED} more` : ""}`;

/** With what it changed, which is recorded like an edit; what cannot be is said. */
export async function withTrack(result: ActionResult, context: ActionContext): Promise<ActionResult> {
  const { files: changes, unknown } = await context.track().then(
    (track) => track.end(context.recordDir, context.blobs, context.signal),
    (error: unknown) => ({ files: [], unknown: [messageOf(error)] }),
  );
  const files = recorded(changes);
  const changed = files.length === 0 ? "" : `; it changed ${few(files.map((file) => `${file.path} (${file.operation})`))}`;
  const open = unknown.length === 0 ? "" : `; what else it changed is not known and cannot be taken back: ${few(unknown)}`;
  const effects = files.length === 0 ? [] : ((await changedResult([], files, context)).effects ?? []);
  return {
    ...result,
    summary: `${result.summary}${changed}${open}`,
    files,
    tracked: unknown.length === 0,
    effects: [...effects, ...(result.effects ?? [])],
  };
}

async function outputItem(key: string, title: string, text: string, context: ActionContext): Promise<NonNullable<ActionResult["effects"]>> {
  if (text.trim() === "") return [];
  const short = headAndTail(text, context.profile.page);
  const more = short.includes("lines omitted") ? " (load_context last_result or error_details shows all)" : "";
  return [
    {
      op: "put",
      item: {
        key: key.slice(0, 120),
        kind: "action_result",
        title: `output of \`${shortLine(title, 80)}\`${more}`,
        content: await context.blobs.put(short),
        pinned: false,
        step: context.step,
      },
    },
  ];
}

export const runActions: readonly Action[] = [runCommand];
