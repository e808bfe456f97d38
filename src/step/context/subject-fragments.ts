/**
 * What a task of this type is about, as its type asks for it (CTX-011…013): the violation and its place, the
 * files the work touches, a test of this project to follow.
 */
import type { Problem } from "../task-events.ts";
import type { TaskState } from "../task-state.ts";
import { headAndTail, shortLine } from "./fit-lines.ts";
import type { Fragment } from "./fragment.ts";

export const SUBJECTS = ["violation", "targets", "example_test"] as const;
export type Subject = (typeof SUBJECTS)[number];

/** What was looked up in the files for it. */
export interface SubjectTexts {
  /** Numbered lines around the first problem. */
  spot?: { path: string; text: string } | undefined;
  exampleTest?: { path: string; text: string } | undefined;
}

const REMAINING = 8;
const EXAMPLE = 450;
const SHORT_EXAMPLE = 200;
const MAX_TARGETS = 15;

export interface OpenProblem extends Problem {
  id: string;
  check: string;
  command: string;
}

/** Every open problem of the failing checks, with a number to name it by. */
export function openProblems(state: TaskState): OpenProblem[] {
  return (state.verification?.checks ?? [])
    .filter((check) => !check.passed)
    .flatMap((check) => (check.problems ?? []).map((problem) => ({ ...problem, check: check.name, command: check.command })))
    .map((problem, i) => ({ ...problem, id: `V${i + 1}` }));
}

const place = ({ path, line }: Problem): string => (path === undefined ? "" : `${path}${line === undefined ? "" : `:${line}`}`);
const oneLine = (problem: OpenProblem, chars: number): string =>
  [problem.id, problem.severity, problem.rule ?? "", place(problem), shortLine(problem.message.replaceAll("\n", " "), chars)]
    .filter((part) => part !== "")
    .join(" ");

function violation(state: TaskState, { spot }: SubjectTexts): Fragment[] {
  const [first, ...rest] = openProblems(state);
  if (first === undefined) return [];
  const told = `## The violation\n${oneLine(first, 400)}\nReported by ${first.check}: \`${shortLine(first.command, 160)}\``;
  const code = spot === undefined ? "" : `\n\`\`\`\n${spot.text}\n\`\`\``;
  const left = (count: number): string =>
    rest.length === 0
      ? "\nNo other problem is reported."
      : `\nRemaining:\n${rest
          .slice(0, count)
          .map((one) => `- ${oneLine(one, 120)}`)
          .join("\n")}${rest.length > count ? `\n- and ${rest.length - count} more` : ""}`;
  return [
    {
      item: "violation",
      text: `${told}${code}${left(REMAINING)}`,
      variants: [
        { rule: "fewer remaining problems", text: () => `${told}${code}${left(2)}` },
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
  for (const { path, check } of openProblems(state))
    if (path !== undefined) lines.set(path, `${lines.has(path) ? `${lines.get(path)}, ` : ""}named by ${check}`);
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
  const show = (room: number): string =>
    `## A test of this project, for its style: ${example.path}\n\`\`\`\n${headAndTail(example.text, room)}\n\`\`\``;
  return [{ item: "example_test", text: show(EXAMPLE), variants: [{ rule: "first and last lines", text: () => show(SHORT_EXAMPLE) }] }];
}

export function subjectFragments(shows: readonly Subject[], state: TaskState, texts: SubjectTexts): Fragment[] {
  return shows.flatMap((subject) => {
    switch (subject) {
      case "violation":
        return violation(state, texts);
      case "targets":
        return targets(state);
      case "example_test":
        return exampleTest(texts);
    }
  });
}
