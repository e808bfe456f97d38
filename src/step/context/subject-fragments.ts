/**
 * What a task of this type is about, as its type asks for it (CTX-011…013): the violation and its place, the
 * files the work touches, a test of this project to follow.
 */
import { followProblems, isNew, targetOf, type KnownProblem } from "../problems.ts";
import type { TaskState } from "../task-state.ts";
import { fitLines, shortLine } from "./fit-lines.ts";
import type { Fragment } from "./fragment.ts";
import { quote } from "./quote.ts";
import type { Problem } from "../task-facts.ts";

export const SUBJECTS = ["violation", "targets", "example_test"] as const;
export type Subject = (typeof SUBJECTS)[number];

/** What was looked up in the files for it. */
export interface SubjectTexts {
  /** Files that the user pointed at, with numbered lines. */
  named?: { path: string; lines: readonly string[] }[] | undefined;
  /** Numbered lines around the first problem. */
  spot?: { path: string; text: string } | undefined;
  exampleTest?: { path: string; lines: readonly string[] } | undefined;
}

const NAMED = 2_000;
const SHORT_NAMED = 400;
const REMAINING = 8;
const EXAMPLE = 450;
const SHORT_EXAMPLE = 200;
const MAX_TARGETS = 15;

/** Today's problems, under the numbers they had at the start. */
function openProblems(state: TaskState): KnownProblem[] {
  return followProblems(state.verification?.checks ?? [], state.atStart?.problems ?? []);
}

/** The problem whose place is shown: the target, or what came instead of it. */
export function problemInFocus(state: TaskState): KnownProblem | undefined {
  const open = openProblems(state);
  const target = targetOf(state.created.goal, state.atStart?.problems ?? []);
  return open.find((one) => one.id === target?.id) ?? open.find(isNew);
}

const place = ({ path, line }: Problem): string => (path === undefined ? "" : `${path}${line === undefined ? "" : `:${line}`}`);
const oneLine = (problem: KnownProblem, chars: number): string =>
  [problem.id, problem.severity, problem.rule ?? "", place(problem), shortLine(problem.message.replaceAll("\n", " "), chars)]
    .filter((part) => part !== "")
    .join(" ");

function listed(title: string, problems: readonly KnownProblem[], count: number): string {
  if (problems.length === 0) return "";
  const rest = problems.length - count;
  return `\n${title}:\n${problems
    .slice(0, count)
    .map((one) => `- ${oneLine(one, 120)}`)
    .join("\n")}${rest > 0 ? `\n- and ${rest} more` : ""}`;
}

function violation(state: TaskState, { spot }: SubjectTexts): Fragment[] {
  const start = state.atStart?.problems ?? [];
  const target = targetOf(state.created.goal, start);
  if (target === undefined) return [];
  const open = openProblems(state);
  const now = open.find((one) => one.id === target.id);
  const fresh = open.filter(isNew);
  const others = open.filter((one) => !isNew(one) && one.id !== target.id);
  const told = `## The violation\nTarget: ${oneLine(now ?? target, 400)}${now === undefined ? "\nIt is gone." : ""}\nReported by ${target.check}: \`${shortLine(target.command, 160)}\``;
  const code = spot === undefined ? "" : `\n${spot.path}\n${quote(spot.text)}`;
  const more =
    open.length > start.length ? `\nMore than before (${start.length} → ${open.length}): consider taking the last change back.` : "";
  const left = (count: number): string =>
    listed("New since your changes", fresh, count) + more + listed("There before, not yours to mend", others, Math.min(count, 4));
  return [
    {
      item: "violation",
      text: `${told}${code}${left(REMAINING)}`,
      variants: [
        { rule: "fewer other problems", text: () => `${told}${code}${left(2)}` },
        { rule: "without its place", text: () => `${told}${left(2)}` },
      ],
    },
  ];
}

function targets(state: TaskState): Fragment[] {
  const lines = new Map<string, string>();
  for (const [path, { before, after, step }] of Object.entries(state.changedFiles))
    lines.set(
      path,
      after === null ? `deleted in step ${step}` : before === null ? `new since step ${step}` : `changed, last in step ${step}`,
    );
  const named = Map.groupBy(
    openProblems(state).filter((one) => one.path !== undefined),
    (one) => one.path as string,
  );
  for (const [path, problems] of named)
    lines.set(
      path,
      [...(lines.has(path) ? [lines.get(path)] : []), `named by ${[...new Set(problems.map((one) => one.check))].join(", ")}`].join(", "),
    );
  if (lines.size === 0) return [];
  const show = (count: number): string =>
    `## Files of this task\n${[...lines]
      .slice(-count)
      .map(([path, status]) => `- ${path}: ${shortLine(status, 100)}`)
      .join("\n")}`;
  return [{ item: "targets", text: show(MAX_TARGETS), variants: [{ rule: "last 5 files", text: () => show(5) }] }];
}

function exampleTest({ exampleTest: example }: SubjectTexts): Fragment[] {
  if (example === undefined) return [];
  const lines = example.lines.map((line) => shortLine(line, 200));
  const show = (room: number): string =>
    `## A test of this project, for its style: ${example.path}\n${quote(lines.slice(0, Math.max(1, fitLines(lines, room))).join("\n"))}`;
  return [{ item: "example_test", text: show(EXAMPLE), variants: [{ rule: "first lines", text: () => show(SHORT_EXAMPLE) }] }];
}

function namedFiles({ named = [] }: SubjectTexts): Fragment[] {
  return named.map(({ path, lines }) => {
    const show = (room: number): string => {
      const count = Math.max(1, fitLines(lines, room));
      const rest = lines.length > count ? `\n… read_file shows the rest` : "";
      return `## It is about ${path}\n${quote(lines.slice(0, count).join("\n"))}${rest}`;
    };
    return { item: `named:${path}`, text: show(NAMED), variants: [{ rule: "first lines", text: () => show(SHORT_NAMED) }] };
  });
}

export function subjectFragments(shows: readonly Subject[], state: TaskState, texts: SubjectTexts): Fragment[] {
  const asked = shows.flatMap((subject) => {
    switch (subject) {
      case "violation":
        return violation(state, texts);
      case "targets":
        return targets(state);
      case "example_test":
        return exampleTest(texts);
    }
  });
  return [...namedFiles(texts), ...asked];
}
