/** The whole, when its pieces are merged: every check on the merged tree, a review of all of it, then the user's folder. */
import type { Run } from "../journal/index.ts";
import { must } from "../kernel/index.ts";
import { EVENTS, SYSTEM, type Payload } from "../protocol/events/index.ts";
import type { Plan } from "../protocol/plan/index.ts";
import { briefOf, cutText, findingLine, INPUT, withInputs } from "./brief.ts";
import { checkTree, taskOf, weigh } from "./judge.ts";
import type { FlowParts } from "./parts.ts";
import type { PipelineState } from "./pipeline-state.ts";
import { askUser, end, openTask, pipelinesOf, restForTask, type Next } from "./request-hands.ts";
import { purposeKey, type RequestState } from "./request-state.ts";
import { runPhase } from "./run-phase.ts";

type PlanNode = Plan["nodes"][number];

type Judged = Payload<"request.judged">;

const BY = { actor: SYSTEM.engine };
const DIFF_CHARS = 9_000;

/** By assertion, what shows it: the tests of its piece, its command, or a review that found nothing against it. */
function evidenceOf(
  state: RequestState,
  known: ReadonlyMap<string, PipelineState>,
  judged: Pick<Judged, "checks" | "findings" | "commit">,
): Record<string, string> {
  const shown: Record<string, string> = {};
  const at = judged.commit.slice(0, 10);
  for (const one of must(state.plan).plan.assertions) {
    const pieces = [...known.values()].filter((piece) => piece.merged !== undefined && piece.opened.node.assertions.includes(one.id));
    const against = judged.findings.some((found) => found.blocks && (found.assertion === undefined || found.assertion === one.id));
    const red = pieces.flatMap((piece) => piece.red?.failing ?? []);
    const command = judged.checks.find((check) => check.name === one.id);
    if (pieces.length === 0 || against) continue;
    if (one.shown_by === "command") {
      if (command?.passed === true) shown[one.id] = `\`${command.command}\` passes at ${at}`;
    } else if (one.shown_by === "test") {
      const green = judged.checks.filter((check) => check.passed).map((check) => check.command);
      if (red.length > 0 && green.length > 0)
        shown[one.id] = `${red.slice(0, 3).join(", ")} failed before and pass at ${at} (${green.join(", ")})`;
    } else shown[one.id] = `the review of ${at} found nothing against it`;
  }
  return shown;
}

/** Inspection and every check on the merged tree; what is found becomes work, a few times, then a question. */
async function judgeTree(parts: FlowParts, run: Run<RequestState>): Promise<Next> {
  const { created, integration, plan, repairs } = run.state;
  const { tree: treeId, checks, failing } = must(integration);
  const tree = await parts.trees.find(treeId);
  const id = await openTask(parts, run, "inspect", repairs);
  const { assertions } = must(plan).plan;
  const diff = await tree.diff({ maxBytes: DIFF_CHARS, signal: run.signal });
  const brief = withInputs(briefOf(created.intent, undefined, assertions), { [INPUT.diff]: cutText(diff.text, DIFF_CHARS) });
  const architect = await taskOf(parts, must(plan).task);
  const commands = assertions.flatMap((one) =>
    one.shown_by === "command" && one.command !== undefined ? [{ name: one.id, command: one.command, from: "project" as const }] : [],
  );
  const [checked, looked] = await Promise.all([
    checkTree(parts, tree, { as: architect.created, checks: [...checks, ...commands], put: [], before: failing, signal: run.signal }),
    runPhase(
      parts,
      {
        id,
        type: "inspect",
        role: "inspector",
        ...brief,
        checks: [],
        model: created.model,
        profile: created.profile,
        maxSteps: undefined,
        session: created.id,
        folder: ".",
        // The look at the whole owns the common tree: what a user does with a task's tree can be done with it.
        tree,
      },
      run.signal,
    ),
  ]);
  if (looked.kind === "asks") return restForTask(run, looked, id);
  const findings = looked.kind === "complete" ? await weigh(parts, tree, looked.task, checked, run.signal) : [];
  const judged = { commit: await tree.head(), checks: checked.lines, findings };
  const passed = checked.fresh.length === 0 && findings.every((one) => !one.blocks);
  const evidence = evidenceOf(run.state, await pipelinesOf(parts, run.state), judged);
  await run.append(EVENTS.request.judged.create({ ...judged, round: repairs, passed, evidence }, BY));
  return "again";
}

/** What the look at the whole found, as one more piece of work. */
async function repair(parts: FlowParts, run: Run<RequestState>, judged: Judged): Promise<Next> {
  const { repairs, nodes, plan } = run.state;
  const wrong = [
    ...judged.checks.filter((check) => !check.passed).map((check) => `${check.name} fails: ${check.summary}`),
    ...judged.findings.filter((one) => one.blocks).map(findingLine),
  ].join("\n");
  if (repairs >= parts.limits.repairs)
    return askUser(
      parts,
      run,
      "whole",
      `whole/${repairs}`,
      `The pieces are built, and together they are not right:\n${cutText(wrong, 1_500)}`,
      {
        kind: "choice",
        options: [
          { value: "merge", label: "take it as it is", hint: "into your folder, not called done" },
          { value: "stop", label: "stop here", hint: "nothing reaches your folder" },
        ],
      },
    );
  const id = `n${nodes.length + 1}`;
  const node: PlanNode = {
    id,
    title: `mend what the pieces together get wrong (${repairs + 1})`,
    goal: cutText(wrong, 1_900),
    assertions: must(plan).plan.assertions.map((one) => one.id),
    after: [],
    files: [],
  };
  await run.append(EVENTS.request.repairing.create({ round: repairs + 1, nodes: [node] }, BY));
  return "again";
}

async function mergeToUser(parts: FlowParts, run: Run<RequestState>): Promise<Next> {
  const { tasks, repairs, judged, plan } = run.state;
  const task = must(tasks[purposeKey("inspect", repairs)]);
  const outcome = await parts.taskTrees.merge(task, undefined, run.signal);
  if (outcome.kind === "conflicts")
    return askUser(
      parts,
      run,
      "conflict",
      `conflict/${must(judged).commit}`,
      `You changed ${outcome.conflicts.map((one) => one.path).join(", ")} while this was built, and both cannot be combined. Your files are untouched.`,
      {
        kind: "choice",
        options: [
          { value: "again", label: "try again", hint: "after you settled it by hand" },
          { value: "stop", label: "stop here", hint: `the work stays: sylk task merge ${task} --prefer …` },
        ],
      },
    );
  if (outcome.kind === "refused") return end(run, "failed", `it could not be merged: ${outcome.path}: ${outcome.reason}`);
  const files = outcome.kind === "nothing_to_merge" ? [] : outcome.files.map((file) => file.path);
  const missing = must(plan).plan.assertions.filter((one) => judged?.evidence[one.id] === undefined);
  const shown = missing.length === 0 && judged?.passed === true;
  const summary = must(plan).plan.summary;
  return end(
    run,
    shown ? "done" : "not_shown",
    shown ? summary : `${summary}\nNot shown: ${missing.map((one) => one.id).join(", ") || "what the checks say"}`,
    files,
  );
}

/** What the user chose, of a question with this reason; undefined while there is no answer. */
async function chosen(parts: FlowParts, run: Run<RequestState>, why: string): Promise<string | undefined> {
  const { waits } = run.state;
  if (waits?.why !== why) return undefined;
  const answer = (await parts.questions.get(waits.question))?.answer;
  return answer?.kind === "chosen" ? answer.value : undefined;
}

export async function judgeWhole(parts: FlowParts, run: Run<RequestState>): Promise<Next> {
  const { judged, created, nodes, skipped } = run.state;
  if (nodes.every((node) => node.id in skipped)) return end(run, "failed", "nothing of it was built");
  if (judged === undefined) return judgeTree(parts, run);
  const asIs = await chosen(parts, run, "whole");
  if (asIs === "stop") return end(run, "failed", "stopped: the whole is not right");
  if (!judged.passed && asIs !== "merge") return repair(parts, run, judged);
  if (created.approve === "ask") {
    const said = await chosen(parts, run, "merge");
    if (said === "no") return end(run, "not_shown", "built and not merged, as you wished");
    if (said === undefined && run.state.waits?.why !== "conflict") {
      const task = await taskOf(parts, must(run.state.tasks[purposeKey("inspect", run.state.repairs)]));
      return askUser(
        parts,
        run,
        "merge",
        `merge/${judged.commit}`,
        `Merge it into your folder? \`sylk task diff ${task.created.id}\` shows all of it.`,
        {
          kind: "choice",
          options: [
            { value: "yes", label: "merge it" },
            { value: "no", label: "leave it", hint: "it stays in its own tree" },
          ],
        },
      );
    }
  }
  if ((await chosen(parts, run, "conflict")) === "stop") return end(run, "not_shown", "built, and not merged because of your own changes");
  return mergeToUser(parts, run);
}
