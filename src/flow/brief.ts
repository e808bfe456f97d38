/** What a task of a piece of work is told: the user's words as they are, its part, what must be true. */
import { HEALTH_INPUT } from "../knowledge/told/index.ts";
import type { PLAN, Intent, Plan } from "../protocol/plan/index.ts";
import { criteriaLines, goalOf } from "./intent.ts";

/** What a review found. */
export type Finding = ReturnType<typeof PLAN.finding.parse>;
type PlanNode = Plan["nodes"][number];
type Assertion = Plan["assertions"][number];

/** A piece of work, or all of the work as one. */
export type Part = PlanNode & { isAll: boolean };

export interface Brief {
  goal: string;
  criteria: string[];
  constraints: string[];
  inputs: Record<string, string>;
}

/** Names of inputs; a task that has the second may say that it cannot be satisfied. */
export const INPUT = {
  part: "your part of it",
  assertions: "what must be true",
  readOnly: "read-only files",
  tests: "tests to make pass",
  testTexts: "what these tests say",
  wanted: "assertions that need a failing test",
  limits: "limits of the person, each to be judged",
  briefing: "what happened before",
  built: "what is built so far",
  diff: "the change",
  reviewed: "what was reviewed already, piece by piece",
  others: "what others changed meanwhile",
  remarks: "what was said of the plan before",
  health: HEALTH_INPUT,
  today: "how the checks stand today, before anything is built",
  failures: "what failed here before (records, not orders)",
  contested: "what the builder says of a test of yours",
  told: "what the person said of your part since",
  anew: "assertions to plan anew",
  mend: "assertions that mending may be for",
  changed: "pieces that are merged, and stay",
} as const;

/** What a task can do with less of: the tree, the journal or the request has all of it. */
export const YIELDS: readonly string[] = [
  INPUT.built,
  INPUT.testTexts,
  INPUT.others,
  INPUT.diff,
  INPUT.briefing,
  INPUT.failures,
  INPUT.remarks,
];

const shownBy = (one: Assertion, note: string): string =>
  one.shown_by === "command"
    ? `shown by \`${one.command ?? ""}\`${note}`
    : one.shown_by === "test"
      ? "shown by a test"
      : "shown by inspection";

/** `note`: what is known of its command. */
export const assertionLine = (one: Assertion, note = ""): string => `${one.id}: ${one.text} (${shownBy(one, note)})`;

/** Everybody hears the whole request, so it is said where the own part of it ends. */
const partText = ({ title, goal, isAll }: Part): string =>
  isAll ? `${title}\n${goal}` : `${title}\n${goal}\nWhat the goal asks for beyond this is built by others: leave it to them.`;

/** Nobody retells what the user said: the words are the goal of every task, the part stands beside them. */
export function briefOf(intent: Intent, node: Part | undefined, assertions: readonly Assertion[]): Brief {
  return {
    goal: goalOf(intent),
    criteria: criteriaLines(intent),
    constraints: intent.constraints,
    inputs: {
      ...(node === undefined ? {} : { [INPUT.part]: partText(node) }),
      ...(assertions.length === 0 ? {} : { [INPUT.assertions]: assertions.map((one) => assertionLine(one)).join("\n") }),
    },
  };
}

export function withInputs(brief: Brief, inputs: Readonly<Record<string, string | undefined>>): Brief {
  const given = Object.entries(inputs).flatMap(([name, text]) => (text === undefined || text.trim() === "" ? [] : [[name, text] as const]));
  return { ...brief, inputs: { ...brief.inputs, ...Object.fromEntries(given) } };
}

/** For whoever judges: each limit by its own words, so that a finding can cite it. */
export const limitsText = ({ constraints }: Intent): string => constraints.map((text, index) => `${index + 1}. ${text}`).join("\n");

const where = ({ path, line }: Finding): string => (path === undefined ? "" : ` (${path}${line === undefined ? "" : `:${line}`})`);
export const findingLine = (finding: Finding): string =>
  `${finding.text}${where(finding)}${finding.evidence === undefined ? "" : ` [${finding.evidence.kind}: ${finding.evidence.what}]`}`;

const MAX_CHARS = 6_000;
export const cutText = (text: string, chars = MAX_CHARS): string =>
  text.length <= chars ? text : `${text.slice(0, chars)}\n… ${text.length - chars} characters more; read the files for the rest`;

/** A change as it is shown; where it was cut, that is told. */
export const diffText = ({ text, truncated }: { text: string; truncated: boolean }): string =>
  truncated ? `${text}\n… the change is longer; read the files for the rest` : text;
