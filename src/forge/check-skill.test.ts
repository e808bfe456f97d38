import { expect, test } from "vitest";
import { createRedactor } from "../guard/index.ts";
import { checkSkill } from "./check-skill.ts";

const redactor = createRedactor();
const text = (description: string, body: string, more = ""): string =>
  `---\nname: a-b\ndescription: ${description}\n${more}---\n\n${body}\n`;
const GOOD = "Reviews migrations before they run. Use when a pull request changes the schema.";
const failed = (input: string, files: Record<string, string> = {}): number[] =>
  checkSkill({ text: input, files, folder: "a-b", redactor })
    .checks.filter((check) => check.result === "failed")
    .map((check) => check.number);

test("SKF-023: each point code can judge fails on its own", () => {
  const body = "## How to review\n\nRead it.";
  expect(failed(text(GOOD, body))).toEqual([]);
  expect(failed("no frontmatter at all")).toEqual([1, 4, 6]);
  expect(failed(text(GOOD, body, "author: me\n"))).toEqual([2]);
  expect(failed(text(GOOD, `${body}\n${"line\n".repeat(600)}`))).toEqual([3, 12]);
  expect(failed(text("Migrations and locks, all about them. Use when needed for schema work.", body))).toEqual([4]);
  expect(failed(text("Reviews migrations before they run on a database.", body))).toEqual([4]);
  expect(failed(text("Reviews a b. Use when b a.", body))).toEqual([4]);
  expect(failed(text(GOOD, `${body}\n\n## When to use\n\nOften.`))).toEqual([5]);
  expect(failed(text(GOOD, "## Review\n\nRead it."))).toEqual([6]);
  expect(failed(text(GOOD, `${body} It is important to note that it works.`))).toEqual([8]);
  expect(failed(text(GOOD, `${body}\n${"line\n".repeat(210)}`))).toEqual([12]);
  expect(failed(text(GOOD, `${body}\n${"line\n".repeat(210)}`), { "references/a.md": "more" })).toEqual([]);
  expect(failed(text(GOOD, body), { "references/deep/a.md": "x" })).toEqual([12]);
  expect(failed(text(GOOD, `${body} Ask bob@firm.io.`))).toEqual([13]);
});

test("SKF-017: a skill is small: fewer than 500 lines and 5,000 tokens, a short description, references one level deep", () => {
  const body = "## How to review\n\nRead it.";
  const more = { "references/a.md": "more" };
  expect(failed(text(GOOD, `${body}\n${"line\n".repeat(480)}`), more)).toEqual([]);
  expect(failed(text(GOOD, `${body}\n${"line\n".repeat(495)}`), more)).toEqual([3]);
  expect(failed(text(GOOD, `${body}\n${"several words stand here ".repeat(1_300)}`), more)).toEqual([3]);
  expect(failed(text(`${GOOD} ${"It also looks at everything else there is. ".repeat(25)}`, body))).toEqual([1, 4]);
  expect(failed(text(`${GOOD} ${"It is so. ".repeat(60)}`, body))).toEqual([4]);
  expect(failed(text(GOOD, body), { "references/deep/a.md": "x" })).toEqual([12]);
});

test("SKF-023: what is left for a person to complete is told", () => {
  const report = checkSkill({
    text: text(GOOD, "## How to x\n\n> **To complete:** steps\n\n> **To complete:** form"),
    folder: "a-b",
    redactor,
  });
  expect(report.notes).toEqual(["2 places are marked “To complete”"]);
});

test("SKF-023: the report says who judged, and the grade counts warnings", () => {
  const none = checkSkill({ text: text(GOOD, "## How to x\n\ny"), folder: "a-b", redactor });
  expect(none.grade).toBe("PASS");
  expect(none.checks.filter((check) => check.judge === "nobody").map((check) => check.number)).toEqual([7, 9, 10, 11]);
  const judged = checkSkill({
    text: text(GOOD, "## How to x\n\ny"),
    folder: "a-b",
    redactor,
    judgements: [7, 9, 10, 11].map((number) => ({ number, passed: number !== 7, detail: "because" })),
  });
  expect(judged.grade).toBe("PARTIAL");
  expect(judged.checks[6]).toMatchObject({ number: 7, result: "failed", judge: "model", detail: "because" });
  const bad = checkSkill({ text: text(GOOD, "# When to use\n\nbasically\n\n# When to use this"), folder: "a-b", redactor });
  expect(bad).toMatchObject({ grade: "FAIL", critical: 0, warnings: 3 });
});

test("SKF-015: frontmatter that people write is read, and what was forgiven is named", () => {
  const report = checkSkill({
    text: `\uFEFF${text("Reviews: all of it. Use when: a pull request changes things.", "## How to x\n\ny").replaceAll("\n", "\r\n")}`,
    folder: "a-b",
    redactor,
  });
  expect(report.description).toBe("Reviews: all of it. Use when: a pull request changes things.");
  expect(report.notes).toHaveLength(3);
  expect(report.checks[0]).toMatchObject({ result: "failed" });
});
