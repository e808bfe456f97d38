/** What `terminal-markdown.test.ts` and its long form share. */
import { openHeadlessSession } from "../support/headless-session.ts";
import { planOf, simplePiece, teamProject, type TeamProject } from "../support/team-project.ts";

export const ANSWER = [
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

export function answering(answer: string): TeamProject {
  const call = (name: string, input: unknown): unknown => ({ text: "x", tool_calls: [{ name, input }] });
  const one = [simplePiece("loud")];
  return teamProject(planOf(one), one, {}, [
    { when: { role: "guide" }, answer: call("classify", { kind: "answer", confidence: 0.9, reading: "a question" }) },
    { when: { role: "librarian" }, answer: call("answer", { answer, sources: ["src/trim.js:1"], confidence: 0.9 }) },
  ]);
}

/** The words of a model, and the lines that a session shows from there on. */
export async function shownOn(screen: string, answer: string, color: boolean): Promise<{ said: string; lines: string[] }> {
  const { dir, env, rules } = answering(answer);
  await using session = await openHeadlessSession(
    { dir, env: { ...env, SYLK_TERMINAL_SCREEN: screen } },
    { first: ["run", "where is trim?", "-m", rules], color, columns: 80, rows: 60 },
  );
  const all = await session.sees(/answered, nothing was changed[\s\S]*ready$/u);
  const lines = all.split("\n").map((line) => line.trimEnd());
  return { said: session.terminal.said, lines: lines.slice(lines.findIndex((line) => line.includes("understood as"))) };
}
