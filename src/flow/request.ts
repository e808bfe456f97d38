/**
 * A request as a run: a plan, its approval, the pieces of work in the order of what they need, the look at the whole, the
 * merge into the user's folder. What may begin is worked out anew at every advance from what the journal says.
 */
import type { Run, RunHandler } from "../journal/index.ts";
import { must, SylkError } from "../kernel/index.ts";
import { PLAN } from "../protocol/plan/index.ts";
import { EVENTS, SYSTEM } from "../protocol/events/index.ts";
import { amend, amended, amendStory, amendText, leaveUnchanged } from "./amend.ts";
import { assess, failuresText, healthText, mustBeAssessed } from "./assess.ts";
import {
  baselineText,
  currentBaseline,
  isMeasured,
  isUntried,
  measure,
  measureNamed,
  todayIn,
  tryCommands,
  unmeasured,
} from "./baseline.ts";
import { briefOf, INPUT, withInputs } from "./brief.ts";
import { planProblems } from "./check-plan.ts";
import { explicitOf, removable, removeFrom } from "./intent.ts";
import { taskOf } from "./judge.ts";
import { kindOf, type FlowParts } from "./parts.ts";
import { judgeCommands } from "./plan-commands.ts";
import { planText } from "./plan-text.ts";
import { askUser, end, openTask, pipelinesOf, planTask, restFor, stopPieces, tidy, type Next } from "./request-hands.ts";
import { requestView, type RequestState } from "./request-state.ts";
import { openQuestion, runPhase, whilePaused } from "./run-phase.ts";
import { asOne, soloOrTeam } from "./solo-or-team.ts";
import { askCheck, mustAskCheck } from "./tests-alone.ts";
import { tend } from "./tend-pieces.ts";
import { giveAnswer, isUnderstood, understand } from "./understand.ts";

const BY = { actor: SYSTEM.engine };

/** Versions that cannot be carried out, one after the other, before the user is asked. */
const MAX_REFUSED = 6;

/** No plan comes of it: the request ends so, or goes on as it was planned before. */
const giveUp = (run: Run<RequestState>, version: number, how: "failed" | "rejected", why: string): Promise<Next> =>
  run.state.amending === undefined ? end(run, how, why) : leaveUnchanged(run, version, how, why);

/** The Architect comes to no plan that can be carried out: the user says what else to do. */
async function askStuck(parts: FlowParts, run: Run<RequestState>, why: string): Promise<Next> {
  const version = must(run.state.plan).plan_version;
  const message = `No plan can be carried out: ${run.state.remarks.at(-1)?.words ?? ""} (${why})`;
  const said = await askUser(parts, run, "plan", `stuck/${version}`, message, {
    kind: "choice",
    options: [
      { value: "again", label: "plan again", hint: "say what should be different", words: "needed" },
      { value: "stop", label: "stop here", hint: "nothing was built" },
    ],
  });
  if ("next" in said) return said.next;
  if (said.value === "stop") return giveUp(run, version, "failed", message);
  await run.append(EVENTS.request.commented.create({ plan_version: version, words: said.words }, BY));
  return "again";
}

/** Why the Architect is not asked again by itself. */
function stuckBecause({ plan, remarks, refusals, isRepeated }: RequestState): string | undefined {
  const isRefused = remarks.findLast((one) => one.plan_version === plan?.plan_version)?.by === "check";
  if (!isRefused) return undefined;
  if (isRepeated) return "the same plan came twice";
  return refusals >= MAX_REFUSED ? `${refusals} versions in a row` : undefined;
}

/** The Architect writes the next version, hearing what was said of those before. */
async function draft(parts: FlowParts, run: Run<RequestState>): Promise<Next> {
  const { created, intent, plan: last, remarks } = run.state;
  const version = (last?.plan_version ?? 0) + 1;
  const stuck = stuckBecause(run.state);
  if (stuck !== undefined) return askStuck(parts, run, stuck);
  if (run.state.assessed?.plan_version !== version) return assess(parts, run, version);
  if (!isMeasured(run.state)) return measure(parts, run);
  if (mustAskCheck(run.state)) return askCheck(parts, run);
  const place = mustBeAssessed(run.state, version);
  const id = await openTask(parts, run, "plan", version);
  const known = await pipelinesOf(parts, run.state);
  const story = run.state.amending === undefined ? undefined : amendStory(run.state, known);
  const told = [
    ...(last === undefined ? [] : [story?.told ?? `The plan before, version ${last.plan_version}:\n${planText(last.plan)}`]),
    ...remarks.map(({ plan_version: at, words }) => `Of version ${at}: ${words}`),
  ];
  const brief = withInputs(briefOf(intent, undefined, []), {
    [INPUT.health]: healthText(place),
    [INPUT.failures]: failuresText(place),
    [INPUT.today]: baselineText(todayIn(run.state)),
    [INPUT.remarks]: told.join("\n"),
    [INPUT.changed]: story?.merged,
  });
  const rested = await restFor(parts, run, await runPhase(parts, planTask(created, id, brief), run.signal), id);
  if ("next" in rested) return rested.next;
  const { done } = rested;
  if (done.kind !== "complete") return giveUp(run, version, "failed", `no plan was made: ${done.why}`);
  const text = done.task.outputs?.["plan"];
  const parsed = PLAN.plan.safeParse(typeof text === "string" ? JSON.parse(text) : undefined);
  if (!parsed.success) return giveUp(run, version, "failed", "no plan was made: its task handed in none");
  mustBeAssessed(run.state, version);
  const { plan, problems: undone } = story === undefined ? { plan: parsed.data, problems: [] } : amended(run.state, known, parsed.data);
  await run.append(EVENTS.request.planned.create({ plan_version: version, plan, task: id }, BY));
  const { never } = await judgeCommands(parts, plan, done.task.created);
  const problems = [
    ...undone,
    ...planProblems(plan, explicitOf(intent)),
    ...never.map((command) => `\`${command}\` may not run here: show it in another way`),
  ];
  if (problems.length > 0) await run.append(EVENTS.request.refused.create({ plan_version: version, problems }, BY));
  return "again";
}

const SAME_PLAN = "What you said changed nothing: this is the plan you saw. Say it in other words, approve it or reject it.";

/** The user's gate. Nothing is built before it is passed. */
async function approve(parts: FlowParts, run: Run<RequestState>): Promise<Next> {
  const { created, plan: drafted } = run.state;
  const { plan_version: version, plan } = must(drafted);
  const { asks } = await judgeCommands(parts, plan, (await taskOf(parts, must(drafted).task)).created);
  const commands = asks.filter((command) => !run.state.allowed.includes(command));
  const changes = run.state.amending === undefined ? "" : amendText(run.state, plan, await pipelinesOf(parts, run.state));
  const isApproved = async (): Promise<Next> => {
    // Where nobody is asked it is told.
    const told = created.approve === "auto" && changes !== "" ? { changes } : {};
    await run.append(EVENTS.request.approved.create({ plan_version: version, commands, ...told }, BY));
    return "again";
  };
  if (created.approve === "auto") {
    if (commands.length === 0) return isApproved();
    const listed = commands.map((command) => `  ${command}`).join("\n");
    const allowed = await askUser(
      parts,
      run,
      "commands",
      `commands/${version}`,
      `To show that it is done these would run, and nobody allowed them yet:\n${listed}`,
      {
        kind: "choice",
        options: [
          { value: "allow", label: "allow them", hint: "these, for this request" },
          { value: "stop", label: "stop here", hint: "nothing was built" },
        ],
      },
    );
    if ("next" in allowed) return allowed.next;
    return allowed.value === "allow" ? isApproved() : giveUp(run, version, "rejected", "its commands were not allowed");
  }
  const mayGo = removable(plan);
  const message = run.state.isRepeated ? SAME_PLAN : ["Is this how it should be done?", changes].join("\n").trim();
  const said = await askUser(parts, run, "plan", `plan/${version}`, message, {
    kind: "plan",
    plan: planText(plan, { commands, known: run.state.assessed, today: todayIn(run.state) }),
    ...(mayGo.length === 0 ? {} : { removable: mayGo.map(({ id, text }) => ({ id, text })) }),
    ...(commands.length === 0 ? {} : { allows: commands }),
  });
  if ("next" in said) return said.next;
  const { value, words } = said;
  switch (value) {
    case "approve":
      return isApproved();
    case "reject":
      return giveUp(run, version, "rejected", words === "" ? "the plan was rejected" : `the plan was rejected: ${words}`);
    default: {
      const gone = mayGo.find(({ id }) => value === `remove-${id}`);
      await run.append(
        ...(gone === undefined
          ? [EVENTS.request.commented.create({ plan_version: version, words }, BY)]
          : [
              EVENTS.request.removed.create({ plan_version: version, assertion: gone.id, text: gone.text }, BY),
              EVENTS.request.planned.create({ ...must(drafted), plan_version: version + 1, plan: removeFrom(plan, gone) }, BY),
            ]),
      );
      return "again";
    }
  }
}

/** What was measured before the plan holds for all pieces. */
async function openIntegration(parts: FlowParts, run: Run<RequestState>): Promise<Next> {
  const { tree, base, checks, failing, silent } = await currentBaseline(parts, run);
  parts.log.info("the common tree is open", { request: run.state.created.id, tree });
  await run.append(EVENTS.request.integrated.create({ tree, base, checks, failing, silent }, BY));
  return "again";
}

async function shape(run: Run<RequestState>): Promise<Next> {
  const { created, plan: drafted, integration } = run.state;
  const { plan } = must(drafted);
  const decided = soloOrTeam(plan, {
    mode: created.mode,
    hasChecks: (integration?.checks.length ?? 0) > 0,
    budgetUsd: created.budget_usd,
    pipelineUsd: undefined,
  });
  await run.append(EVENTS.request.shaped.create({ ...decided, nodes: decided.mode === "solo" ? asOne(plan) : plan.nodes }, BY));
  return "again";
}

/** One piece of its way, by where it stands. */
async function advance(parts: FlowParts, id: string, run: Run<RequestState>): Promise<Next> {
  const { state } = run;
  if (state.ended !== undefined) {
    await stopPieces(parts, state, "its request has ended");
    await tidy(parts, state);
    return "done";
  }
  const paused = await whilePaused(parts, id);
  if (paused === "ended") return "again";
  if (paused !== undefined) return paused;
  if (!isUnderstood(parts, state)) return understand(parts, run);
  if (state.classified?.kind === "answer") return giveAnswer(parts, run);
  if (state.integration !== undefined && unmeasured(state).length > 0) return measureNamed(parts, run);
  const version = state.plan?.plan_version ?? 0;
  const remarked = state.remarks.some((one) => one.plan_version === version);
  if (state.plan === undefined || (remarked && !state.approved)) return draft(parts, run);
  // A plan that was taken over from another request is looked at like a new one.
  if (!state.approved && state.assessed === undefined) return assess(parts, run, version);
  if (!state.approved && !isMeasured(state)) return measure(parts, run);
  // What the state was before anything was built is past.
  if (!state.approved && state.amending === undefined && isUntried(state)) return tryCommands(parts, run);
  if (!state.approved && mustAskCheck(state)) return askCheck(parts, run);
  if (!state.approved) return approve(parts, run);
  if (state.integration === undefined) return openIntegration(parts, run);
  if (state.shaped === undefined) return shape(run);
  if (state.amending !== undefined) return amend(parts, run);
  return tend(parts, run);
}

export function requestHandler(parts: FlowParts, id: string): RunHandler<RequestState> {
  return {
    kind: kindOf(id),
    view: requestView,
    mayGoOn: ({ ended }) => ended?.how !== "cancelled",
    turn: ({ additions }) => additions,
    async advance(run) {
      try {
        return await advance(parts, id, run);
      } catch (error) {
        if (SylkError.is(error, "DEADLINE_PASSED") && !run.signal.aborted) return end(run, "failed", error.message);
        const asked = await openQuestion(parts, error);
        if (asked === undefined) throw error;
        if (run.state.waits?.question !== asked.id)
          await run.append(EVENTS.request.waits.create({ why: "task_asks", question: asked.id, text: asked.text }, BY));
        return { wait: asked.wait };
      }
    },
  };
}
