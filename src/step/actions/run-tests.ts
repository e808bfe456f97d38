/**
 * Runs tests: one file, one name, or those that belong to what the task changed; all of them where the project's runner
 * cannot do less. Whether the work is done is never decided by less than all checks.
 */
import { z } from "zod";
import { defineAction, type Action, type ActionContext, type ActionResult } from "./action.ts";
import { commandResult, describeRun } from "./run-actions.ts";

interface Wanted {
  path?: string | undefined;
  name?: string | undefined;
}

async function narrowed({ path, name }: Wanted, context: ActionContext): Promise<ActionResult | undefined> {
  const { workspace, state, signal } = context;
  const changed = Object.keys(state.changedFiles);
  if (path === undefined && name === undefined && changed.length === 0) return undefined;
  const scope =
    path === undefined && name === undefined
      ? { kind: "changed" as const, files: changed, all: await filesOf(context) }
      : { kind: "named" as const, file: path, name };
  const tests = await context.narrowTests?.(workspace.root, scope);
  if (tests === undefined) return undefined;
  const outcome = await workspace.processes.run({ command: tests.argv, cwd: tests.cwd, signal });
  signal.throwIfAborted();
  const line = tests.argv.join(" ");
  const result = await commandResult(line, describeRun(outcome, line), context);
  const which = scope.kind === "changed" ? "tests of what you changed" : "these tests";
  // No verdict on the task: an empty list says that its checks were not run.
  return { ...result, summary: `${result.ok ? `${which} pass: ` : ""}${result.summary}`, checks: [] };
}

async function filesOf({ workspace, signal }: ActionContext): Promise<readonly string[]> {
  const found = await workspace.search.list({ signal });
  return found.kind === "files" ? found.files : [];
}

/** The task's own tests; all its checks where none is called so. */
async function runAll(context: ActionContext): Promise<ActionResult> {
  const tests = await context.runChecks("test");
  const checks = tests.length > 0 ? tests : await context.runChecks();
  if (checks.length === 0) return { ok: false, outcome: "no_checks", summary: "this task has no such check" };
  const failed = checks.filter((check) => !check.passed);
  return {
    ok: failed.length === 0,
    outcome: failed.length === 0 ? "passed" : "failed",
    summary: checks.map((check) => `${check.name}: ${check.passed ? "passes" : check.summary}`).join("; "),
    newsKey: `checks:${checks.map((check) => check.signature).join(",")}`,
    checks,
  };
}

export const runTests: Action = defineAction({
  name: "run_tests",
  summary: "Run tests, or some.",
  effect: "process",
  schema: z.object({ path: z.string().optional(), name: z.string().optional() }),
  paths: (args) => (args.path === undefined ? [] : [args.path]),
  target: (args) => [args.path, args.name].filter((one) => one !== undefined).join(" "),
  execute: async (args, context) => (await narrowed(args, context)) ?? runAll(context),
});
