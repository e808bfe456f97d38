/** Words of a model in a session: Markdown is shown as what it means, and speaks to no terminal. */
import { describe, expect, test, vi } from "vitest";
import { openHeadlessSession } from "../support/headless-session.ts";
import { runSylk } from "../support/run-sylk.ts";
import { planOf, simplePiece, teamProject, type TeamProject } from "../support/team-project.ts";

vi.setConfig({ testTimeout: 300_000 });

const ANSWER = [
  "# Where it is",
  "",
  "It is **here**, in `trim`:\u001b]0;PWNED\u0007 &#27;[2J",
  "",
  "- first",
  "- [second](https://example.com/a)",
  "",
  "```js",
  "trim(text)",
  "```",
  "",
  "| a | b |",
  "|---|---|",
  "| 1 | two |",
].join("\n");

function answering(answer: string): TeamProject {
  const call = (name: string, input: unknown): unknown => ({ text: "x", tool_calls: [{ name, input }] });
  const one = [simplePiece("loud")];
  return teamProject(planOf(one), one, {}, [
    { when: { role: "guide" }, answer: call("classify", { kind: "answer", confidence: 0.9, reading: "a question" }) },
    { when: { role: "librarian" }, answer: call("answer", { answer, sources: ["src/trim.js:1"], confidence: 0.9 }) },
  ]);
}

describe.each(["main", "full"] as const)("on the %s screen", (screen) => {
  const shown = async (answer: string, color: boolean): Promise<{ said: string; lines: string[] }> => {
    const { dir, env, rules } = answering(answer);
    await using session = await openHeadlessSession(
      { dir, env: { ...env, SYLK_TERMINAL_SCREEN: screen } },
      { first: ["run", "where is trim?", "-m", rules], color, columns: 80, rows: 60 },
    );
    const all = await session.sees(/answered, nothing was changed[\s\S]*ready$/u);
    const lines = all.split("\n").map((line) => line.trimEnd());
    return { said: session.terminal.said, lines: lines.slice(lines.findIndex((line) => line.includes("understood as"))) };
  };

  test("headings, lists, code and tables are drawn; what would steer the terminal is a mark", async () => {
    const { said, lines } = await shown(ANSWER, true);
    const from = lines.indexOf("Where it is");
    expect(lines.slice(from, from + 17)).toEqual([
      "Where it is",
      "",
      "It is here, in trim:␛]0;PWNED␇ &#27;[2J",
      "",
      "- first",
      "- second (https://example.com/a)",
      "",
      "```js",
      "  trim(text)",
      "```",
      "",
      "┌───┬─────┐",
      "│ a │ b   │",
      "├───┼─────┤",
      "│ 1 │ two │",
      "└───┴─────┘",
      "Sources: src/trim.js:1",
    ]);
    expect(said).toContain("\u001b[1mhere\u001b[22m");
    expect(said).toContain("\u001b[36mtrim\u001b[39m");
    expect(said).not.toContain("\u001b]0;PWNED");
  });

  test("without colours no sign of one is left; what is nested too deep is shown as it was written", async () => {
    const { lines } = await shown("It is **here**.", false);
    expect(lines).toContain("It is here.");
    const deep = await shown(`${">".repeat(6_000)} deep`, false);
    expect(deep.lines.some((line) => line.startsWith(">>>>>>>>"))).toBe(true);
  });
});

test("elsewhere it stays as it was written", async () => {
  const { dir, env, rules } = answering(ANSWER);
  const { out } = await runSylk(dir, { ...env, NO_COLOR: "1" }, ["run", "where is trim?", "-m", rules], 200_000);
  expect(out).toContain("# Where it is\n\nIt is **here**, in `trim`:␛]0;PWNED␇ &#27;[2J\n");
});
