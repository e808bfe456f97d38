/** The session as its user sees it: every assertion reads the screen. */
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { gitIn } from "../support/knowledge-project.ts";
import { KEYS, openHeadlessSession, type HeadlessOptions } from "../support/headless-session.ts";
import { script, scriptedProject, type ScriptedCall, type ScriptedProject } from "../support/scripted-project.ts";

const FILES = {
  "add.mjs": "export const add = (a, b) => a - b;\n",
  "check.mjs": 'import { add } from "./add.mjs";\nif (add(2, 3) !== 5) process.exit(1);\n',
};
const MEND: ScriptedCall = { name: "edit_file", input: { path: "add.mjs", find: "a - b", replace: "a + b" } };
const END: ScriptedCall = { name: "complete", input: { summary: "it adds now" } };

const project = (...steps: ScriptedCall[]): ScriptedProject => scriptedProject(FILES, script(steps));
const task = ({ rules }: ScriptedProject): string => `/task mend it --check "node check.mjs" -m ${rules}`;

describe.each(["main", "full"] as const)("on the %s screen", (screen) => {
  const open = ({ dir, env }: Pick<ScriptedProject, "dir" | "env">, size?: HeadlessOptions) =>
    openHeadlessSession({ dir, env: { ...env, SYLK_TERMINAL_SCREEN: screen } }, size);

  test("the first frame has the name, the input and what is ready", async () => {
    await using session = await open(project(END));
    const shown = await session.sees("ready");
    const lines = shown.split("\n").map((line) => line.trimEnd().replace(/─+/u, "─"));
    // On a screen of its own the input stands at the bottom.
    expect(lines.length).toBe(screen === "full" ? 30 : 6);
    expect([...lines.slice(0, 2), ...lines.slice(-4)]).toEqual([
      "Sylk 0.0.0  a team of software agents that cannot forget",
      "say what you want · /help lists words · Esc stops · Ctrl+C twice leaves",
      "─",
      "",
      "─",
      "no model chosen · master · ready",
    ]);
  });

  test("a task is worked on below the eyes of its user and stays on the screen when it is over", async () => {
    const here = project(MEND, END);
    await using session = await open(here);
    await session.sees("ready");
    session.say(task(here));
    expect(await session.sees(/verified[\s\S]*ready/u)).toContain("a + b");
    // A screen of its own scrolls by itself.
    if (screen === "full") session.type(KEYS.pageUp);
    const shown = await session.sees("› /task mend it");
    expect(readFileSync(path.join(here.dir, "add.mjs"), "utf8")).toContain("a + b");
    expect(shown.split("\n").filter((line) => line.startsWith("Sylk 0.0.0"))).toHaveLength(1);
  });

  test("what needs a yes is asked in place, with the whole line; typed letters move to the answer", async () => {
    const here = project({ name: "run_command", input: { command: "printenv NOTHING; echo x" } }, MEND, END);
    await using session = await open(here);
    await session.sees("ready");
    session.say(task(here));
    expect(await session.sees("Allow it?")).toContain("printenv NOTHING; echo x");
    for (const letter of "no") session.type(letter);
    session.type(KEYS.enter);
    const shown = await session.sees(/verified[\s\S]*ready/u);
    expect(shown).not.toContain("Allow it?");
  });

  test("what is typed while it works waits for its turn; Escape stops what runs and the next begins", async () => {
    const here = project({ name: "run_command", input: { command: "printenv NOTHING; echo x" } }, END);
    await using session = await open(here);
    await session.sees("ready");
    session.say(task(here));
    await session.sees("Allow it?");
    session.type(KEYS.interrupt);
    const stopped = await session.sees(/interrupted; go on with: sylk task resume[\s\S]*ready/u);
    expect(stopped).not.toContain("Allow it?");
    session.say("/tasks");
    await session.sees(/interrupted[\s\S]*mend it[\s\S]*ready/u);
  });

  test("/btw asks beside what works: it is answered at once, and the work goes on", async () => {
    const here = project(END);
    await using session = await open(here);
    await session.sees("ready");
    session.say("!echo begun; while [ ! -e go ]; do sleep 0.1; done; echo over");
    await session.sees("\nbegun\n");
    session.say("/btw where is add defined?");
    const shown = await session.sees(/btw where is add defined[\s\S]*add\.mjs/u);
    expect(shown).toContain("working");
    expect(shown).not.toContain("waits for its turn");
    writeFileSync(path.join(here.dir, "go"), "");
    await session.sees(/\nover\n[\s\S]*ready/u);
  });

  test("Escape twice goes back to a step of the last task that is chosen; it rests there and can be gone on with", async () => {
    const here = project({ name: "write_file", input: { path: "a.txt", content: "first\n" } }, MEND, END);
    await using session = await open(here);
    await session.sees("ready");
    session.say(task(here));
    await session.sees(/complete, verified[\s\S]*ready/u);
    session.type(KEYS.escape);
    await session.sees("Escape again goes back");
    session.type(KEYS.escape);
    const asked = await session.sees(/Back to where in[\s\S]*after step 2[\s\S]*after step 1[\s\S]*before the first step/u);
    expect(asked).toContain("mend it");
    for (const letter of "after step 1") session.type(letter);
    session.type(KEYS.enter);
    await session.sees(/taken back: add\.mjs[\s\S]*ready/u);
    expect([readFileSync(path.join(here.dir, "add.mjs"), "utf8"), readFileSync(path.join(here.dir, "a.txt"), "utf8")]).toEqual([
      FILES["add.mjs"],
      "first\n",
    ]);
    session.say("/tasks");
    await session.sees(/paused[\s\S]*mend it[\s\S]*ready/u);
  });

  test("the line below the input tells the branch, how far it is and what this session spent", async () => {
    const here = project(MEND, { name: "run_command", input: { command: "printenv NOTHING; echo x" } }, END);
    gitIn(here.dir, "checkout", "-q", "-b", "feature/adding");
    await using session = await open(here);
    await session.sees(/no model chosen · feature\/adding · ready$/u);
    session.say(task(here));
    await session.sees("Allow it?");
    await session.sees(/feature\/adding · working, (?:step 2|needs you)$/u);
    session.type(KEYS.enter);
    expect(await session.sees(/no model chosen · \d+\.\dk tokens · feature\/adding · ready$/u)).toContain("verified");
  });

  test("what completes speaks to no terminal: names of files and words of others that would are not offered, or marked", async () => {
    const here = scriptedProject({ "odd/plain.txt": "a\n", "odd/we\u001b]0;PWNED\u0007ird.txt": "b\n" }, script([END]));
    const own = path.join(here.env["SYLK_HOME"] as string, "commands");
    mkdirSync(own, { recursive: true });
    writeFileSync(path.join(own, "zest.md"), '---\ndescription: "a\\e]52;c;aGk=\\a b"\nargument-hint: "x\\u202Ey"\n---\nDo it.\n');
    await using session = await open(here);
    await session.sees("ready");
    for (const letter of "look at odd/") session.type(letter);
    session.type("\t");
    await session.sees("plain.txt");
    session.type(KEYS.escape);
    session.type(KEYS.interrupt);
    for (const letter of "/zest") session.type(letter);
    await session.sees(/zest +x‹U\+202E›y · a␛\]52/u);
    for (const raw of ["PWNED\u0007", "\u001b]52", "\u202E"]) expect(session.terminal.said).not.toContain(raw);
  });

  test("words with a slash: a near miss is told, what there is nothing of is said, and none becomes work", async () => {
    await using session = await open(project(END));
    await session.sees("ready");
    session.say("/hlep");
    await session.sees("did you mean /help?");
    session.say("/compact");
    await session.sees("nothing to compact");
    session.say("/tasks");
    expect(await session.sees(/\/tasks[\s\S]*no task[\s\S]*ready/iu)).toContain("nothing to compact");
  });

  test("Ctrl+C empties the line first, then says how to leave, then leaves", async () => {
    await using session = await open(project(END));
    await session.sees("ready");
    session.type("h");
    session.type("i");
    await session.sees("hi");
    session.type(KEYS.interrupt);
    session.type(KEYS.interrupt);
    await session.sees("Ctrl+C again leaves");
    session.type(KEYS.interrupt);
    await session.ended;
    expect(session.shown()).not.toContain("Ctrl+C again leaves");
  });

  test("ten columns, a storm of sizes and a paste of a megabyte with control characters: it stands and goes on", async () => {
    await using session = await open(project(END), { columns: 10, rows: 6 });
    await session.sees("no m");
    for (let i = 0; i < 50; i += 1) session.terminal.resize(10 + (i % 60), 6 + (i % 20));
    session.terminal.resize(80, 24);
    session.type(`\u001b[200~${"x\u0007\u009b31m".repeat(250_000)}\u001b[201~`);
    session.type(KEYS.interrupt);
    session.say("/compact");
    expect(await session.sees("nothing to compact")).not.toContain("\u009b");
  });

  test("a line with an exclamation mark runs as in a shell: its output comes as it is said, its end is told, Escape stops it", async () => {
    const here = project(END);
    await using session = await open({ ...here, env: { ...here.env, GREETING: "from my own shell" } });
    await session.sees("ready");
    session.say('!echo "$GREETING"; pwd; exit 3');
    const shown = await session.sees(/ended with 3[\s\S]*ready/u);
    expect(shown).toContain("\nfrom my own shell\n");
    expect(shown).toContain(`\n${here.dir}\n`);
    session.say("!echo begun; sleep 600");
    await session.sees("\nbegun\n");
    session.type(KEYS.escape);
    await session.sees(/stopping …[\s\S]*ready/u);
  });

  test("Shift+Tab goes round what may be done without asking, and it counts from the next thing said", async () => {
    const here = project(MEND, END);
    await using session = await open(here);
    await session.sees("ready");
    for (const mode of ["accept-edits", "plan", "auto", "no model chosen · master · ready", "accept-edits", "plan"]) {
      session.type(KEYS.cycle);
      await session.sees(new RegExp(`${mode}[^\\n]*$`, "u"));
    }
    session.say(task(here));
    await session.sees(/its plan waits for your approval[\s\S]* · plan · ready$/u);
    expect(readFileSync(path.join(here.dir, "add.mjs"), "utf8")).toBe(FILES["add.mjs"]);
  });

  test("/context tells what the last step's input was made of, and its parts add up", async () => {
    const here = project(MEND, END);
    await using session = await open(here);
    await session.sees("ready");
    session.say(task(here));
    await session.sees(/verified[\s\S]*ready/u);
    session.say("/context");
    const shown = await session.sees(/step 2: \d+ tokens in[\s\S]*ready/u);
    const whole = Number(/step 2: (\d+) tokens in/u.exec(shown)?.[1]);
    const parts = [...shown.slice(shown.indexOf("step 2:")).matchAll(/^ {2}[a-z ]+ (\d+) +\d+ %/gmu)].map(([, size]) => Number(size));
    expect(parts.length).toBeGreaterThan(4);
    expect(parts.reduce((sum, size) => sum + size, 0)).toBe(whole);
  });
});
