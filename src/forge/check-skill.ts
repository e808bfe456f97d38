/** The thirteen-point check (SKF-023). Code judges what code can; the rest is left to a model or stays open. */
import { countTokens } from "../model/index.ts";
import type { Redactor } from "../guard/index.ts";
import { MAX_DESCRIPTION_CHARS, MAX_NAME_CHARS, NAME_PATTERN, parseSkill, type SkillFiles } from "./read-skill.ts";
import { verbOf } from "./understand-request.ts";
import { FILLER, INTERNAL_URL, PERSONAL_ADDRESS } from "./word-lists.ts";

export type Severity = "CRITICAL" | "WARNING" | "INFO";

export interface SkillCheck {
  number: number;
  title: string;
  severity: Severity;
  /** `open`: nobody judged it. */
  result: "passed" | "failed" | "open";
  judge: "code" | "model" | "nobody";
  detail: string;
}

export interface SkillReport {
  name: string;
  description: string;
  lines: number;
  tokens: number;
  checks: SkillCheck[];
  grade: "PASS" | "PARTIAL" | "FAIL";
  critical: number;
  warnings: number;
  /** What reading forgave, and what is left for a user to fill in. */
  notes: string[];
}

export interface Judgement {
  number: number;
  passed: boolean;
  detail: string;
}

const LIMITS = { lines: 500, tokens: 5_000, descriptionTokens: 200, referencesFromLines: 200 } as const;
const PUBLIC_FIELDS = new Set(["name", "description", "license", "compatibility", "metadata", "allowed-tools"]);

const POINTS: readonly { number: number; title: string; severity: Severity }[] = [
  { number: 1, title: "frontmatter is valid", severity: "CRITICAL" },
  { number: 2, title: "frontmatter holds only known fields", severity: "CRITICAL" },
  { number: 3, title: "small enough to load", severity: "CRITICAL" },
  { number: 4, title: "description says what and when", severity: "CRITICAL" },
  { number: 5, title: "no “when to use” section in the body", severity: "WARNING" },
  { number: 6, title: "task-oriented sections (“How to …”)", severity: "WARNING" },
  { number: 7, title: "well-known things get one sentence", severity: "WARNING" },
  { number: 8, title: "no filler", severity: "WARNING" },
  { number: 9, title: "examples only where not obvious", severity: "WARNING" },
  { number: 10, title: "one term for one thing", severity: "WARNING" },
  { number: 11, title: "degree of freedom fits", severity: "INFO" },
  { number: 12, title: "long texts use references", severity: "WARNING" },
  { number: 13, title: "no secrets, personal data or internal addresses", severity: "CRITICAL" },
];

/** The points only a reader can judge. */
export const JUDGED_BY_READING: readonly { number: number; title: string }[] = POINTS.filter(({ number }) =>
  [7, 9, 10, 11].includes(number),
);

export interface CheckInput {
  text: string;
  files?: SkillFiles;
  /** Name of the folder it stands in; absent: it has none yet. */
  folder?: string | undefined;
  redactor: Redactor;
  judgements?: readonly Judgement[];
}

/** Places of secrets, without their values. */
export function findUnsafe(text: string, redactor: Redactor): string[] {
  const lineOf = (at: number): number => text.slice(0, at).split("\n").length;
  const unsafe = redactor.find(text).map((finding) => `${finding.pattern} in line ${lineOf(finding.start)}`);
  const url = INTERNAL_URL.exec(text);
  if (url !== null) unsafe.push(`internal address in line ${lineOf(url.index)}`);
  const person = PERSONAL_ADDRESS.exec(text);
  if (person !== null) unsafe.push(`personal address in line ${lineOf(person.index)}`);
  return unsafe;
}

function frontmatterProblems(skill: ReturnType<typeof parseSkill>, folder: string | undefined): string[] {
  const { name, description } = skill;
  const problems = skill.warnings.filter((warning) => warning.includes("frontmatter"));
  if (name === "") problems.push("name is missing");
  else if (name.length > MAX_NAME_CHARS) problems.push(`name has ${name.length} characters, at most ${MAX_NAME_CHARS} are allowed`);
  else if (!NAME_PATTERN.test(name)) problems.push(`name ${name} is not lower-case words joined by single hyphens`);
  if (name !== "" && folder !== undefined && folder !== name) problems.push(`name ${name} differs from its folder ${folder}`);
  if (description === "") problems.push("description is missing");
  else if (description.length > MAX_DESCRIPTION_CHARS)
    problems.push(`description has ${description.length} characters, at most ${MAX_DESCRIPTION_CHARS} are allowed`);
  return problems;
}

function descriptionProblems(name: string, description: string): string[] {
  const problems: string[] = [];
  if (verbOf(/^[\p{L}-]+/u.exec(description)?.[0] ?? "") === undefined) problems.push("does not begin with an action verb");
  if (!/\buse (this )?(skill )?when\b/i.test(description)) problems.push("has no “Use when …” trigger");
  const words = new Set(description.toLowerCase().match(/[a-z0-9]+/g) ?? []);
  const own = name.split("-");
  if ([...words].filter((word) => !own.includes(word)).length < 4) problems.push("only repeats the name");
  if (countTokens(description) > LIMITS.descriptionTokens) problems.push(`is longer than ${LIMITS.descriptionTokens} tokens`);
  return problems;
}

export function checkSkill(input: CheckInput): SkillReport {
  const { text, files = {}, redactor } = input;
  const skill = parseSkill(text);
  const lines = text.split("\n").length;
  const tokens = countTokens(text);
  const headings = skill.body.match(/^#{1,6} .+$/gm) ?? [];
  const unknown = Object.keys(skill.fields).filter((field) => !PUBLIC_FIELDS.has(field));
  const tooBig = [
    ...(lines >= LIMITS.lines ? [`${lines} lines, fewer than ${LIMITS.lines} wanted`] : []),
    ...(tokens >= LIMITS.tokens ? [`${tokens} tokens, fewer than ${LIMITS.tokens} wanted`] : []),
  ];
  const lower = skill.body.toLowerCase();
  const filler = FILLER.filter((phrase) => lower.includes(phrase));
  const deep = Object.keys(files).filter((file) => file.startsWith("references/") && file.split("/").length > 2);
  const references = Object.keys(files).filter((file) => file.startsWith("references/"));
  const unsafe = [text, ...Object.values(files)].flatMap((content) => findUnsafe(content, redactor));
  const found: Record<number, string[]> = {
    1: frontmatterProblems(skill, input.folder),
    2: unknown.map((field) => `unknown field ${field}`),
    3: tooBig,
    4: skill.description === "" ? ["there is none"] : descriptionProblems(skill.name, skill.description),
    5: headings.filter((heading) => /when (to|should|do) (use|you use|i use)|^#+ usage triggers?/i.test(heading)),
    6: headings.some((heading) => /^#{2,6} how to\b/i.test(heading)) ? [] : ["no section begins with “How to”"],
    8: filler.map((phrase) => `“${phrase}”`),
    12: [
      ...(lines > LIMITS.referencesFromLines && references.length === 0 ? [`${lines} lines and no references/`] : []),
      ...deep.map((file) => `${file} is more than one level deep`),
    ],
    13: unsafe,
  };
  const unfinished = skill.body.match(/^>\s*\*\*To complete:\*\*/gm)?.length ?? 0;
  const checks = POINTS.map((point): SkillCheck => {
    const problems = found[point.number];
    if (problems !== undefined)
      return { ...point, result: problems.length === 0 ? "passed" : "failed", judge: "code", detail: problems.slice(0, 5).join("; ") };
    const judged = input.judgements?.find((judgement) => judgement.number === point.number);
    if (judged === undefined) return { ...point, result: "open", judge: "nobody", detail: "needs a reader; no model judged it" };
    return { ...point, result: judged.passed ? "passed" : "failed", judge: "model", detail: judged.detail };
  });
  const failed = (severity: Severity): number => checks.filter((check) => check.severity === severity && check.result === "failed").length;
  const critical = failed("CRITICAL");
  const warnings = failed("WARNING");
  return {
    name: skill.name,
    description: skill.description,
    lines,
    tokens,
    checks,
    grade: critical > 0 || warnings > 2 ? "FAIL" : warnings > 0 ? "PARTIAL" : "PASS",
    critical,
    warnings,
    notes: [
      ...skill.warnings,
      ...(unfinished === 0 ? [] : [`${unfinished} ${unfinished === 1 ? "place is" : "places are"} marked “To complete”`]),
    ],
  };
}
