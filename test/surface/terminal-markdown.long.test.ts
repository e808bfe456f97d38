/** `terminal-markdown.test.ts` goes on here with what takes longer. */
import { describe, expect, test, vi } from "vitest";
import { runSylk } from "../support/run-sylk.ts";
import { ANSWER, answering, shownOn } from "./terminal-markdown.ts";

vi.setConfig({ testTimeout: 300_000 });

test("elsewhere it stays as it was written", async () => {
  const { dir, env, rules } = answering(ANSWER);
  const { out } = await runSylk(dir, { ...env, NO_COLOR: "1" }, ["run", "where is trim?", "-m", rules], 200_000);
  expect(out).toContain("# Where it is\n\nIt is **here**, in `trim`:␛]0;PWNED␇ &#27;[2J\n");
});

describe.each(["main", "full"] as const)("on the %s screen", (screen) => {
  test("without colours no sign of one is left; what is nested too deep is shown as it was written", async () => {
    const { lines } = await shownOn(screen, "It is **here**.", false);
    expect(lines).toContain("It is here.");
    const deep = await shownOn(screen, `${">".repeat(6_000)} deep`, false);
    expect(deep.lines.some((line) => line.startsWith(">>>>>>>>"))).toBe(true);
  });
});
