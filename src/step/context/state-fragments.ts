/** Turns the task's state into fragments with smaller versions, least valuable first. */
import type { WorkingMemory } from "../../memory/index.ts";
import type { StepRecord, TaskState } from "../task-state.ts";
import type { Definition } from "../../code/index.ts";
import { excerpt, focusOf } from "./excerpt.ts";
import { headAndTail, shortLine } from "./fit-lines.ts";
import type { Fragment } from "./fragment.ts";
import { outline } from "./outline.ts";
import { quote } from "./quote.ts";
import type { CheckResult, MemoryItem } from "../task-facts.ts";

const HALF_PAGE = 700;
const QUARTER_PAGE = 300;
const OUTLINE = 220;
const WHOLE_ITEMS = 2;
/** Shorter than this an outline saves nothing worth having. */
export const SMALL_CHARS = 1_400;
const ERROR_CHARS = 500;
const MAX_FACTS = 12;
const PINNED_WORTH = 1e6;
const MAX_CHECKS = 12;

/**
 * Which items are shown whole: pinned ones, what came with the last step, and the newest that are still to be
 * worked on. A file that was changed is outlined sooner: what became of it stands in the diff.
 */
function fresh(state: TaskState): Set<string> {
  const { items } = state.memory;
  const changed = (item: MemoryItem): boolean => item.source !== undefined && state.changedFiles[item.source.path] !== undefined;
  const newest = items.toSorted((a, b) => Number(changed(a)) - Number(changed(b)) || b.step - a.step);
  const last = Math.max(0, ...items.map((item) => item.step));
  return new Set(newest.filter((item, rank) => item.pinned || rank < WHOLE_ITEMS || item.step === last).map((item) => item.key));
}

export interface ItemTexts {
  texts: ReadonlyMap<string, string>;
  /** Where the definitions of an item's text stand, by its reference. */
  definitions: ReadonlyMap<string, readonly Definition[]>;
}

/** Items keep their place from step to step; the oldest are cut first, pinned ones last. */
export function itemFragments(state: TaskState, { texts, definitions }: ItemTexts, aging: boolean): Fragment[] {
  const whole = aging ? fresh(state) : new Set(state.memory.items.map((item) => item.key));
  const errors = failing(state)
    .map((check) => texts.get(check.output ?? "") ?? check.summary)
    .join("\n");
  return state.memory.items.map((item): Fragment => {
    const text = texts.get(item.content) ?? "";
    const head = `## ${item.key}${item.pinned ? " (pinned)" : ""}\n${item.title.replaceAll(/\s*\n\s*/g, " ")}`;
    const show = (body: string): string => `${head}\n${quote(body)}`;
    const known = definitions.get(item.content) ?? [];
    const focus = item.source === undefined || known.length === 0 ? [] : focusOf(item.source, text, { errors, goal: state.created.goal });
    const aged = (): string => excerpt(text, known, focus, focus.length > 0 ? HALF_PAGE : OUTLINE) ?? outline(text, OUTLINE);
    return {
      item: item.key,
      worth: item.step + (item.pinned ? PINNED_WORTH : 0),
      text: show(whole.has(item.key) || text.length <= SMALL_CHARS ? text : aged()),
      variants: [
        known.length > 0
          ? {
              rule: "definitions around the focus",
              text: () => show(excerpt(text, known, focus, HALF_PAGE) ?? headAndTail(text, HALF_PAGE)),
            }
          : { rule: "first and last lines", text: () => show(headAndTail(text, HALF_PAGE)) },
        { rule: "outline", text: () => show(excerpt(text, known, [], OUTLINE) ?? outline(text, OUTLINE)) },
        { rule: "reference only", text: () => reference(item) },
      ],
    };
  });
}

function reference(item: MemoryItem): string {
  const again =
    item.source === undefined
      ? "repeat the action to see it"
      : `load_context full_file:${item.source.path}@${item.source.from}-${item.source.to} shows it`;
  return `## ${item.key}\n${item.title}: not shown for lack of room; ${again}`;
}

/** Which notes there are; what they say is one action away. */
function noteLine(state: TaskState): string {
  const keys = state.memory.notes.map((note) => note.key);
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
          : `- ${fact.subject}: ${fact.text}${fact.confidence < 0.7 ? " (unsure)" : ""}`,
      )
      .join("\n");
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

/** `told` checks have their problems listed already. */
export function checkFragments(state: TaskState, texts: ReadonlyMap<string, string>, told: (check: CheckResult) => boolean): Fragment[] {
  return failing(state)
    .filter((check) => !told(check))
    .slice(0, 3)
    .map((check): Fragment => {
      const output = withoutNoise(texts.get(check.output ?? "") ?? check.summary);
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

/** What was read says its lines; its name stands there already. */
function actionLine({ step }: StepRecord, action: StepRecord["actions"][number], chars: number): string {
  const begin = `- step ${step}: ${action.action} ${shortLine(action.target, 120)}`;
  const lines = action.ok ? /^read .* (lines .*)$/.exec(action.summary)?.[1] : undefined;
  if (lines !== undefined) return `${begin}: ${lines}`;
  return `${begin} → ${action.ok ? "" : "FAILED, "}${shortLine(action.summary, chars)}`;
}

const SAID_CHARS = 200;

function stepLine(record: StepRecord, chars: number): string {
  if (record.invalid !== undefined) return `- step ${record.step}: the answer could not be used: ${shortLine(record.invalid, chars)}`;
  const said = record.said === undefined || record.said === "" ? "" : `you said: ${shortLine(record.said, Math.min(chars, SAID_CHARS))}`;
  return [
    ...(said === "" ? [] : [`- step ${record.step}: ${said}`]),
    ...record.actions.map((action) => actionLine(record, action, chars)),
  ].join("\n");
}

export function recentFragments(state: TaskState, count: number): Fragment[] {
  return state.history.slice(-count).map((record, index, all): Fragment => ({
    item: `step:${record.step}`,
    text: stepLine(record, ERROR_CHARS),
    variants: [
      { rule: "shorter summaries", text: () => stepLine(record, 200) },
      { rule: `last ${Math.max(1, all.length - 1)} steps only`, text: () => (index === 0 && all.length > 1 ? "" : stepLine(record, 120)) },
      { rule: "last step only", text: () => (index < all.length - 1 ? "" : shortLine(stepLine(record, 120), 2 * ERROR_CHARS)) },
    ],
  }));
}

/** What was changed: the diff when the work may be done, else what happened before the last steps, which are shown anyway. */
export function changeFragments(state: TaskState, recent: number, diff: string): Fragment[] {
  if (diff !== "") {
    const show = (body: string): string => quote(body, "diff");
    return [
      {
        item: "diff",
        text: show(diff),
        variants: [
          { rule: "first and last lines", text: () => `${show(headAndTail(diff, 2 * HALF_PAGE))}\nload_context diff shows all of it` },
          { rule: "first and last lines, fewer", text: () => `${show(headAndTail(diff, HALF_PAGE))}\nload_context diff shows all of it` },
          { rule: "files only", text: () => `${Object.keys(state.changedFiles).slice(0, 30).join(", ")}; load_context diff shows it` },
        ],
      },
    ];
  }
  const shown = new Set(state.history.slice(-recent).map((record) => `step ${record.step}:`));
  const older = state.changeLog.filter((line) => ![...shown].some((start) => line.startsWith(start)));
  if (older.length === 0) return [];
  const last = (count: number, chars: number): string =>
    [
      ...(older.length > count ? [`- ${older.length - count} earlier changes`] : []),
      ...older.slice(-count).map((line) => `- ${shortLine(line, chars)}`),
    ].join("\n");
  return [
    {
      item: "changes",
      text: last(6, 120),
      variants: [
        { rule: "last 4 changes", text: () => last(4, 100) },
        { rule: "last 3 changes", text: () => last(3, 100) },
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
