/**
 * A check that fails before anything is built and runs no test says nothing of tests that are written later: `lint && test`
 * with a red lint never gets to them. What tells stands beside it as a check of its own: the command that the person
 * names, else the project's runner as its own line runs it. The red check stays what it is, a failure from before.
 */
import type { Run } from "../journal/index.ts";
import { wording } from "../kernel/index.ts";
import type { Place } from "../protocol/index.ts";
import { EVENTS, USER, type Payload } from "../protocol/events/index.ts";
import type { TaskState } from "../step/index.ts";
import { checkPlace, type Checked } from "./judge.ts";
import type { FlowParts } from "./parts.ts";
import { askUser, type Next } from "./request-hands.ts";
import type { RequestState } from "./request-state.ts";

type Check = TaskState["created"]["checks"][number];
type Today = Payload<"request.measured">["today"][number];

const ALONE = "tests alone";
const YOURS = "your check";

/** The failing check that names no test, where none of them runs any. */
function blindIn(checks: readonly Check[], { lines, each, tests }: Checked): Check[] {
  if (tests !== null) return [];
  return checks.filter((check) => {
    const line = lines.find(({ name }) => name === check.name);
    const one = each.find(({ name }) => name === check.name);
    if (line === undefined || one === undefined || line.passed || one.mute || one.lacks) return false;
    return one.failing.every(({ name }) => name === check.name);
  });
}

/** The project's runner for what a blind check does not get to; nothing where it is not known or may not run unasked. */
async function runnerFor(parts: FlowParts, as: TaskState["created"], folder: string, blind: Check): Promise<Check | undefined> {
  const engine = await parts.engine();
  const found = await engine.narrowTests?.(folder, { kind: "alone", command: blind.command });
  if (found === undefined || found.cwd !== ".") return undefined;
  const check: Check = { name: ALONE, command: found.argv.map(wording.shellWord).join(" "), from: "project" };
  const said = await engine.mayRun({ ...as, role: "tester", checks: [check] }, check.command);
  return said === "runs" ? check : undefined;
}

/** It ran to its end, or says of single tests how they are. */
const tells = ({ lines, each, tests }: Checked): boolean =>
  lines.every(({ passed }) => passed) || (tests ?? 0) > 0 || each.some(({ name, failing }) => failing.some((one) => one.name !== name));

/** Words may be pasted, and some were a model's: only what was given as an answer, or with `--check`, is the person's word. */
export const yours = ({ named, given }: Pick<RequestState, "named" | "given">): Check[] =>
  named.map((command, at) => ({
    name: at === 0 ? YOURS : `${YOURS} ${at + 1}`,
    command,
    from: given.includes(command) ? "person" : "agent",
  }));

/** Those that run without a question, and those that do not. */
export async function runnable(
  parts: FlowParts,
  as: TaskState["created"],
  checks: readonly Check[],
): Promise<{ run: Check[]; left: Today[] }> {
  const engine = await parts.engine();
  const found: { run: Check[]; left: Today[] } = { run: [], left: [] };
  for (const check of checks) {
    const said = check.from === "person" ? "runs" : await engine.mayRun({ ...as, role: "tester", checks: [check] }, check.command);
    if (said === "runs") found.run.push(check);
    else found.left.push({ command: check.command, says: "not_tried", failing: [], why: "" });
  }
  return found;
}

export interface Telling {
  /** What stands beside the checks, and what it says. */
  checks: Check[];
  checked: Checked | undefined;
  /** Of the checks, those that run no test. */
  blind: Check[];
  /** Named in words, and not to be run unasked. */
  left: Today[];
}

/** What tells, beside the checks: what the person named, else the runner where a check is blind. */
export async function whatTells(
  parts: FlowParts,
  place: Place & { kind: "tree" },
  {
    as,
    checks,
    checked,
    state,
    signal,
  }: { as: TaskState["created"]; checks: readonly Check[]; checked: Checked; state: RequestState; signal: AbortSignal },
): Promise<Telling> {
  const seen = blindIn(checks, checked);
  const look = (wanted: readonly Check[]): Promise<Checked> => checkPlace(parts, place, { as, checks: wanted, isStart: true, signal });
  const fresh = yours(state).filter(({ command }) => !checks.some((one) => one.command === command));
  const { run, left } = await runnable(parts, as, fresh);
  if (run.length > 0) return { checks: run, checked: await look(run), blind: seen, left };
  const found: Telling = { checks: [], checked: undefined, blind: [], left };
  for (const check of seen) {
    const runner = await runnerFor(parts, as, place.folder, check);
    if (runner === undefined) continue;
    found.blind.push(check);
    if (found.checks.length > 0) continue;
    const said = await look([runner]);
    if (tells(said)) Object.assign(found, { checks: [runner], checked: said });
  }
  // Found in the project as its test, it is blind whether a runner is known or not.
  return { ...found, blind: seen.filter((check) => found.blind.includes(check) || (check.from === "project" && check.name === "test")) };
}

/** How each of them failed that holds nobody up: what does not tell, where something else does, and what never runs tests. */
export function silentIn(checks: readonly Check[], { each }: Checked, { blind, checks: beside }: Telling): string[] {
  return checks.flatMap((check) => {
    const isKnown = (beside.length > 0 && blind.includes(check)) || (check.from === "project" && check.name !== "test");
    const silent = each.find(({ name }) => name === check.name)?.silent;
    return isKnown && silent !== undefined ? [silent] : [];
  });
}

/** Said beside a blind check. */
export const noteOf = (command: string, { blind, checks }: Telling): Pick<Today, "runs_no_test" | "instead"> =>
  blind.some((check) => check.command === command)
    ? { runs_no_test: true, ...(checks[0] === undefined ? {} : { instead: checks[0].command }) }
    : {};

const blindToday = ({ baseline }: RequestState): Today | undefined => baseline?.today.find(({ runs_no_test: blind }) => blind === true);

const ran = ({ baseline }: RequestState, command: string): boolean =>
  baseline?.today.some((one) => one.command === command && one.says !== "not_tried") === true;

/** Whether the person is to say which command runs the tests: once, and where the person is asked at all. */
export const mustAskCheck = (state: RequestState): boolean =>
  state.created.approve === "ask" &&
  !state.checkAsked &&
  blindToday(state) !== undefined &&
  !state.named.some((command) => ran(state, command));

export async function askCheck(parts: FlowParts, run: Run<RequestState>): Promise<Next> {
  const { command = "", instead, why = "" } = blindToday(run.state) ?? {};
  const message = `\`${command}\` fails before anything is changed and runs no test (${why}). Which command tells whether the tests pass?`;
  const said = await askUser(parts, run, "check", "check", message, {
    kind: "choice",
    options: [
      ...(instead === undefined ? [] : [{ value: "runner", label: instead, hint: "the project's own runner" }]),
      { value: "other", label: "another command", hint: "runs as a check, like --check", words: "needed" as const },
      ...(instead === undefined ? [{ value: "none", label: "go on without", hint: "tests may not be seen to fail" }] : []),
    ],
  });
  if ("next" in said) return said.next;
  const chosen = said.value === "other" ? said.words.trim().replaceAll(/^`|`$/gu, "") : said.value === "runner" ? (instead ?? "") : "";
  await run.append(EVENTS.request.checkNamed.create({ command: chosen }, { actor: USER }));
  return "again";
}
