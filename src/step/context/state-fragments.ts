/** Turns the task's state into fragments with smaller versions, least valuable first. */
import { PLAN, type WorkingMemory } from "../../memory/index.ts";
import { changedFileOf } from "../fact-files.ts";
import { ledgerText } from "../ledger.ts";
import type { StepRecord, TaskState } from "../task-state.ts";
import { failureKey } from "../problems.ts";
import { headAndTail, shortLine } from "./fit-lines.ts";
import type { Fragment } from "./fragment.ts";
import { planOf } from "./now.ts";
import { quote } from "./quote.ts";
import type { CheckResult } from "../task-facts.ts";

const HALF_PAGE = 700;
const QUARTER_PAGE = 300;
const ERROR_CHARS = 500;
const MAX_FACTS = 12;
const MAX_CHECKS = 12;

/** Which notes there are; what they say is one action away. */
function noteLine(state: TaskState): string {
  const keys = state.memory.notes.map((note) => note.key).filter((key) => key !== PLAN.key);
  return keys.length === 0 ? "" : shortLine(`- your notes (scratchpad shows them): ${keys.join(", ")}`, 200);
}

export function factFragments(state: TaskState): Fragment[] {
  const notes: Fragment[] = noteLine(state) === "" ? [] : [{ item: "notes", text: noteLine(state), variants: [], worth: 1 }];
  if (state.memory.facts.length === 0) return notes;
  const ranked = state.memory.facts.toSorted((a, b) => b.confidence - a.confidence || b.step - a.step);
  const show = (facts: WorkingMemory["facts"]): string =>
    facts
      .map((fact) =>
        fact.kind === "mistake"
          ? `- avoid ${fact.subject}: ${fact.text}; instead: ${fact.fix ?? ""}`
          : `- ${fact.subject}: ${fact.text}${fact.confidence < 0.7 ? " (unsure)" : ""}${stale(fact)}`,
      )
      .join("\n");
  const stale = (fact: WorkingMemory["facts"][number]): string => {
    const path = changedFileOf(fact, state);
    return path === undefined ? "" : ` (STALE: ${path} changed since)`;
  };
  const top = (count: number) => ({
    rule: `the ${count} surest facts`,
    text: () => `${show(ranked.slice(0, count))}\n- and ${Math.max(0, ranked.length - count)} more`,
  });
  return [{ item: "facts", text: show(ranked.slice(0, MAX_FACTS)), variants: [top(10), top(5), top(2)], worth: 0 }, ...notes];
}

export function answerFragments(state: TaskState): Fragment[] {
  return state.answers.slice(-3).map((answer, index): Fragment => ({
    item: `answer:${index}`,
    text: `- ${answer.text}`,
    variants: [{ rule: `first ${ERROR_CHARS} characters`, text: () => `- ${shortLine(answer.text, ERROR_CHARS)}` }],
  }));
}

function failing(state: TaskState): CheckResult[] {
  return (state.verification?.checks ?? []).filter((check) => !check.passed);
}

/** Every error line, and what surrounds it, beats the beginning and the end of a long output. */
function errorsOf(output: string): string {
  const lines = output.split("\n");
  const hits = lines.flatMap((line, index) =>
    /\b(error|fail(ed|ure)?|expected|assert\w*|exception|panic|not ok)\b|[\w./-]+\.\w+[:(]\d+/i.test(line) ? [index] : [],
  );
  const keep = new Set(hits.slice(0, 12).flatMap((index) => [index - 1, index, index + 1, index + 2]));
  return lines
    .filter((_line, index) => keep.has(index))
    .map((line) => shortLine(line, 200))
    .join("\n");
}

/** A frame of a stack inside a library or the runtime: where it went wrong is above it, in the project's own code. */
const LIBRARY_FRAME =
  /^\s*(?:at .*(?:node_modules[\\/]|node:|\(native\))|File ".*(?:site-packages|dist-packages|lib[\\/]python[\d.]+)[\\/]|at (?:java|javax|jdk|sun|org\.junit|org\.gradle)\.|\d+: .*(?:rust_begin_unwind|core::|std::|test::)|\s+at \/rustc\/|.*[\\/](?:rustlib|go[\\/]src)[\\/])/;

/** What package managers and test runners say about themselves. */
const CHATTER =
  /^\s*(?:npm (?:notice|warn)\b|> \S+@\d|(?:Start at|Duration|Isolate|Transform|Environment)\s{2,}|at least ~|(?:JSON|HTML|JUNIT) report written|RUN {2}v\d|⎯{5,}$)/i;

function withoutLibraryFrames(lines: readonly string[]): string[] {
  const out: string[] = [];
  let left = 0;
  for (const line of [...lines, undefined]) {
    if (line !== undefined && LIBRARY_FRAME.test(line)) {
      left += 1;
      continue;
    }
    if (left > 0) out.push(`    … ${left} library frame${left === 1 ? "" : "s"} …`);
    left = 0;
    if (line !== undefined) out.push(line);
  }
  return out;
}

/** Without what passed and without times: neither helps, and both differ from run to run. */
function withoutNoise(output: string): string {
  return withoutLibraryFrames(output.split("\n"))
    .filter((line) => !/^\s*(✓|√|ok \d|PASS\b|--- PASS|\S+ \.\.\. ok$)/.test(line) && !CHATTER.test(line))
    .map((line) => line.replace(/\b\d+(\.\d+)?\s?(ms|s)\b/g, "…").replace(/\b\d\d:\d\d:\d\d\b/g, "…"))
    .join("\n");
}

/** A failure of fewer lines is shown whole every time. */
const SHORT_FAILURE = 6;

/**
 * A failure that the step before was shown whole is told in its heading and first line: what is new or changed stands
 * out, and the rest is one action away.
 */
function withoutRepeats(output: string, check: CheckResult, { step, verification }: TaskState): string {
  const seen = new Set(verification?.repeated);
  const again = (verification?.step ?? 0) < step;
  const known = (check.problems ?? []).filter((one) => one.test === true && (again || seen.has(failureKey(check.name, one))));
  if (known.length === 0) return output;
  let short = 0;
  const blocks = output.split(/^(?=✗ )/mu).map((block) => {
    const lines = block.trimEnd().split("\n");
    const name = known.some(({ rule }) => block.startsWith(`✗ ${rule ?? ""}`));
    if (!name || lines.length <= SHORT_FAILURE) return block;
    short += 1;
    return `${lines.slice(0, 2).join("\n")}\n`;
  });
  if (short === 0) return output;
  return `${blocks.join("").trimEnd()}\n(${short} as in the step before, in short; load_context error_details shows all)`;
}

/** Failures that are named, of those that whoever gave the task knew of before. */
const NAMED_OLD = 10;

/** What failed before whoever gave the task began is not its matter: named, without what it says. */
function withoutKnown(output: string, check: CheckResult, state: TaskState): string {
  const { failing } = state.created;
  if (failing === undefined) return output;
  const { before, wanted } = failing;
  const times = (all: readonly string[], name: string): number => all.filter((one) => one === name).length;
  const now = (check.problems ?? []).flatMap(({ rule, test, path }) =>
    test === true && rule !== undefined && !wanted.some((file) => path === file) ? [rule] : [],
  );
  // Two tests may have one name: where more of it fail than did, none of them is hidden.
  const names = now.filter((name) => times(now, name) <= times(before, name));
  const isKnown = (block: string): boolean => names.some((name) => block.startsWith(`✗ ${name} (`) || block.startsWith(`✗ ${name}\n`));
  const blocks = output.split(/^(?=✗ )/mu);
  const known = blocks.filter(isKnown).map((block) => block.split("\n", 1)[0] ?? "");
  if (known.length === 0) return output;
  const more = known.length - NAMED_OLD;
  return [
    blocks
      .filter((block) => !isKnown(block))
      .join("")
      .trimEnd(),
    `${known.length} failed before this work began and are not yours:`,
    ...known.slice(0, NAMED_OLD),
    ...(more > 0 ? [`and ${more} more`] : []),
  ].join("\n");
}

/** `told` checks have their problems listed already. */
export function checkFragments(state: TaskState, texts: ReadonlyMap<string, string>, told: (check: CheckResult) => boolean): Fragment[] {
  return failing(state)
    .filter((check) => !told(check))
    .slice(0, 3)
    .map((check): Fragment => {
      const output = withoutNoise(withoutRepeats(withoutKnown(texts.get(check.output ?? "") ?? check.summary, check, state), check, state));
      const show = (body: string): string => `## ${check.name}\n${quote(body)}`;
      return {
        item: `check:${check.name}`,
        text: show(headAndTail(output, 2 * HALF_PAGE)),
        variants: [
          { rule: "error lines", text: () => show(headAndTail(errorsOf(output), HALF_PAGE)) },
          { rule: "error lines, shorter", text: () => show(headAndTail(errorsOf(output), QUARTER_PAGE)) },
          { rule: `first ${ERROR_CHARS} characters`, text: () => show(shortLine(errorsOf(output) || output, ERROR_CHARS)) },
        ],
      };
    });
}

/** Their results are in view, in the diff or in the ledger; more need not be said. */
const SAID_ELSEWHERE = new Set(["read", "listed", "found", "loaded", "noted", "stored", "shown", "pinned", "cleared", "previewed"]);

function actionLine({ step }: StepRecord, action: StepRecord["actions"][number], chars: number): string[] {
  if (action.ok && SAID_ELSEWHERE.has(action.outcome) && !/; | \(at |, within/.test(action.summary)) return [];
  return [
    `- step ${step}: ${`${action.action} ${shortLine(action.target, 120)}`.trim()} → ${action.ok ? "" : "FAILED, "}${shortLine(action.summary, chars)}`,
  ];
}

const SAID_CHARS = 500;

function stepLine(record: StepRecord, chars: number): string {
  if (record.invalid !== undefined) return `- step ${record.step}: the answer could not be used: ${shortLine(record.invalid, chars)}`;
  const said = record.said === undefined || record.said === "" ? "" : `you said: ${shortLine(record.said, Math.min(chars, SAID_CHARS))}`;
  return [
    ...(said === "" ? [] : [`- step ${record.step}: ${said}`]),
    ...record.actions.flatMap((action) => actionLine(record, action, chars)),
  ].join("\n");
}

export function recentFragments(state: TaskState, count: number): Fragment[] {
  const telling = state.history.slice(-count).filter((record) => stepLine(record, ERROR_CHARS) !== "");
  return telling.map((record, index, all): Fragment => ({
    item: `step:${record.step}`,
    text: stepLine(record, ERROR_CHARS),
    variants: [
      { rule: "shorter summaries", text: () => stepLine(record, 200) },
      { rule: `last ${Math.max(1, all.length - 1)} steps only`, text: () => (index === 0 && all.length > 1 ? "" : stepLine(record, 120)) },
      { rule: "last step only", text: () => (index < all.length - 1 ? "" : shortLine(stepLine(record, 120), 2 * ERROR_CHARS)) },
    ],
  }));
}

export function planFragments(state: TaskState): Fragment[] {
  const plan = planOf(state);
  return plan === "" ? [] : [{ item: "plan", text: plan, variants: [] }];
}

export function ledgerFragments(state: TaskState, maxLines: number): Fragment[] {
  const show = (lines: number): string => ledgerText(state.ledger, lines);
  if (show(maxLines) === "") return [];
  return [
    {
      item: "ledger",
      text: show(maxLines),
      variants: [
        { rule: "half of the steps", text: () => show(Math.ceil(maxLines / 2)) },
        { rule: "the last steps", text: () => show(Math.ceil(maxLines / 4)) },
        { rule: "left out", text: () => "" },
      ],
    },
  ];
}

export function verificationFragments(state: TaskState): Fragment[] {
  const { verification } = state;
  if (verification === undefined) return [];
  const stale = verification.changes === state.changes ? "" : " (before the last change)";
  const line = (check: CheckResult, chars: number): string =>
    `- ${check.name}: ${check.passed ? "passes" : `FAILS: ${shortLine(check.summary, chars)}`}${stale}`;
  const ordered = verification.checks.toSorted((a, b) => Number(a.passed) - Number(b.passed));
  const show = (max: number, chars: number): string => {
    const rest = ordered.length - max;
    return [...ordered.slice(0, max).map((check) => line(check, chars)), ...(rest > 0 ? [`- and ${rest} more`] : [])].join("\n");
  };
  return [
    {
      item: "checks",
      text: show(MAX_CHECKS, 200),
      variants: [
        { rule: "first 5 checks", text: () => show(5, 120) },
        { rule: "first 2 checks", text: () => show(2, 80) },
      ],
    },
  ];
}
