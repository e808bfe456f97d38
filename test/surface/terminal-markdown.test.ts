/** Words of a model in a session: Markdown is shown as what it means, and speaks to no terminal. */
import { describe, expect, test, vi } from "vitest";
import { ANSWER, shownOn } from "./terminal-markdown.ts";

vi.setConfig({ testTimeout: 300_000 });

describe.each(["main", "full"] as const)("on the %s screen", (screen) => {
  test("headings, lists, code and tables are drawn; what would steer the terminal is a mark", async () => {
    const { said, lines } = await shownOn(screen, ANSWER, true);
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
});
