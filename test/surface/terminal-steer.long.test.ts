/** What can be said while something runs, and what is true after it was stopped; the same in both renderers. */
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { stringify } from "yaml";
import { describe, expect, test, vi } from "vitest";
import { KEYS, openHeadlessSession, type HeadlessOptions, type HeadlessSession } from "../support/headless-session.ts";
import { script, scriptedProject, type ScriptedCall, type ScriptedProject } from "../support/scripted-project.ts";
import { planOf, simplePiece, teamProject } from "../support/team-project.ts";

vi.setConfig({ testTimeout: 600_000 });

const FILES = {
  "add.mjs": "export const add = (a, b) => a - b;\n",
  "check.mjs": 'import { add } from "./add.mjs";\nif (add(2, 3) !== 5) process.exit(1);\n',
};
const MEND: ScriptedCall = { name: "edit_file", input: { path: "add.mjs", find: "a - b", replace: "a + b" } };
const END: ScriptedCall = { name: "complete", input: { summary: "it adds now" } };
const WAITS: ScriptedCall = { name: "run_command", input: { command: "echo begun; while [ ! -e go ]; do sleep 0.05; done" } };
const TASK = '/task mend it --check "node check.mjs"';
/** Fails at once before the change, and has no end after it. */
const HANGS = "grep -q 'a + b' add.mjs && echo checking && sleep 600";

const project = (...steps: ScriptedCall[]): ScriptedProject => scriptedProject(FILES, script(steps));
const goOn = ({ dir }: ScriptedProject): void => writeFileSync(path.join(dir, "go"), "");

/** What the model saw at a step of the last task. */
async function seenAt(here: ScriptedProject, step: number): Promise<string> {
  const app = await here.open();
  const { id } = await app.api.query({ type: "task.resolve", id: "last" });
  const { user } = await app.api.query({ type: "task.context", id, step });
  await app.close();
  return user;
}

describe.each(["main", "full"] as const)("on the %s screen", (screen) => {
  const open = (here: ScriptedProject, options?: HeadlessOptions): Promise<HeadlessSession> =>
    openHeadlessSession(
      { dir: here.dir, env: { ...here.env, SYLK_TERMINAL_SCREEN: screen, SYLK_LLM_DEFAULT_MODEL: here.rules } },
      { rows: 60, ...options },
    );

  test("words said while a task runs reach it in its next step, and nothing waits", async () => {
    const here = project(WAITS, MEND, END);
    await using session = await open(here);
    await session.sees("ready");
    session.say(TASK);
    await session.sees(/│ begun[\s\S]*working, step 1$/u);
    session.say("keep the order of a and b");
    const told = await session.sees("told the task: keep the order of a and b");
    expect(told).not.toContain("waits for its turn");
    goOn(here);
    await session.sees(/verified[\s\S]*ready$/u);
    expect(await seenAt(here, 2)).toContain("keep the order of a and b");
  });

  test("words said while it completes are heard before it ends", async () => {
    const answer = (step: number | string, calls: ScriptedCall[], delay = 0): unknown => ({
      when: { step },
      answer: { text: `step ${step}`, tool_calls: calls, ...(delay === 0 ? {} : { delay_ms: delay }) },
    });
    const here = scriptedProject(FILES, stringify({ rules: [answer(1, [MEND]), answer(2, [END], 4_000), answer(">=3", [END])] }));
    await using session = await open(here);
    await session.sees("ready");
    session.say(TASK);
    await session.sees(/✓ check passes[\s\S]*thinks/u);
    session.say("and say so in the notes");
    await session.sees("told the task: and say so in the notes");
    await session.sees(/complete, verified[\s\S]*ready$/u);
    expect(await seenAt(here, 3)).toContain("and say so in the notes");
  });

  test("what only looks is answered beside the work, and a line for the shell runs; the work goes on", async () => {
    const here = project(MEND, WAITS, END);
    await using session = await open(here, { rows: 100 });
    await session.sees("ready");
    session.say(TASK);
    await session.sees(/│ begun[\s\S]*working, step 2$/u);
    for (const [said, told] of [
      ["/diff", /› \/diff\s*\n[\s\S]*\+export const add = \(a, b\) => a \+ b;/u],
      ["/context", /› \/context\s*\n[\s\S]*step 2: [\s\S]*tokens in/u],
      ["/cost", /› \/cost\s*\n[\s\S]*scripted/u],
      ["/agents", /› \/agents\s*\n[\s\S]*engineer/u],
      ["/why add.mjs:1", /› \/why add\.mjs:1\s*\n\s*\S/u],
      ["/tasks", /› \/tasks\s*\n[\s\S]*mend it/u],
      ["!echo beside $((2 + 3))", /› !echo beside[^\n]*\nbeside 5/u],
      ["/help", /› \/help[\s\S]*\/why /u],
    ] as const) {
      session.say(said);
      await session.sees(told);
      // A long answer is seen before what lives is drawn below it.
      expect([said, (await session.sees(/working[^\n]*$/u)).includes("waits for its turn")]).toEqual([said, false]);
    }
    expect(existsSync(path.join(here.dir, "go"))).toBe(false);
    goOn(here);
    await session.sees(/verified[\s\S]*ready$/u);
  });

  test("Escape also stops a line for the shell that was begun beside the work", async () => {
    const here = project(WAITS, END);
    await using session = await open(here);
    await session.sees("ready");
    session.say(TASK);
    await session.sees(/│ begun/u);
    session.say("!echo $$ > shell.pid; echo shell; sleep 600");
    await session.sees("\nshell\n");
    const pid = Number(readFileSync(path.join(here.dir, "shell.pid"), "utf8"));
    session.type(KEYS.escape);
    expect(await session.sees(/stopping …[\s\S]*ready$/u)).not.toContain("ended with 0");
    await vi.waitFor(() => expect(() => process.kill(pid, 0)).toThrow("ESRCH"), { timeout: 60_000 });
  });

  test.each([
    ["an edit", MEND, ""],
    [
      "a command",
      {
        name: "run_command",
        input: { command: `printf 'export const add = (a, b) => a + b;\\n' > add.mjs` },
      },
      "",
    ],
    ["an edit in a tree of its own", MEND, " -w"],
  ] as const)(
    "the clock goes on while a check runs, and after Escape in the middle of it /diff tells what stands there: %s",
    async (_what, change, more) => {
      const here = project(change, END);
      await using session = await open(here, { columns: 120 });
      await session.sees("ready");
      session.say(`/task mend it --check "${HANGS}"${more}`);
      await session.sees("│ checking");
      await session.sees(/\$ grep -q 'a \+ b' add\.mjs && echo checking && sleep 600 1 s · Ctrl\+C stops/u);
      await session.sees(/\$ grep -q 'a \+ b' add\.mjs && echo checking && sleep 600 3 s · Ctrl\+C stops/u);
      session.type(KEYS.escape);
      await session.sees(/stopping …[\s\S]*ready$/u);
      session.say("/diff");
      await session.sees(
        /› \/diff[\s\S]*-export const add = \(a, b\) => a - b;\s*\n\+export const add = \(a, b\) => a \+ b;[\s\S]*ready$/u,
      );
      const own = readFileSync(path.join(here.dir, "add.mjs"), "utf8");
      expect(own.includes("a + b")).toBe(more === "");
    },
  );

  test("a request that runs its checks says which, and since when", async () => {
    const pieces = [simplePiece("loud")];
    const here = teamProject(planOf(pieces), pieces);
    await using session = await open(here, { first: ["run", "add loud", "--check", "echo x; sleep 600", "-m", here.rules], columns: 90 });
    await session.sees(/planning · [^\n]*\n\s*check \$ echo x; sleep 600 1 s/u);
    await session.sees(/check \$ echo x; sleep 600 3 s/u);
    session.type(KEYS.escape);
    const after = await session.sees(/stopping …[\s\S]*ready$/u);
    expect(after.slice(after.lastIndexOf("stopping …"))).not.toContain("check $");
  });

  test("/rewind goes to the step that is named, of the task that is named, or says which there are", async () => {
    const here = project({ name: "write_file", input: { path: "a.txt", content: "first\n" } }, MEND, END);
    await using session = await open(here);
    await session.sees("ready");
    session.say(TASK);
    await session.sees(/complete, verified[\s\S]*ready$/u);
    session.say("/rewind 7");
    await session.sees(/it cannot go back to step 7[\s\S]*there are 0 \(before the first\) to 2[\s\S]*ready$/u);
    session.say("/rewind 3");
    await session.sees(/it cannot go back to step 3[\s\S]*ready$/u);
    session.say("/rewind nowhere at all");
    await session.sees(/there is no step nowhere at all[\s\S]*ready$/u);
    session.say("/rewind zzzzzzzz 1");
    await session.sees(/there is no task zzzzzzzz[\s\S]*ready$/u);
    session.say("/tasks");
    const id = /\n(?<id>[0-9a-z]{8}) {2}\d{4}-/u.exec(await session.sees(/› \/tasks[\s\S]*mend it[\s\S]*ready$/u))?.groups?.["id"] ?? "";
    session.say(`/rewind ${id} 1`);
    expect(await session.sees(/taken back: add\.mjs[\s\S]*ready$/u)).not.toContain("Back to where");
    expect(readFileSync(path.join(here.dir, "add.mjs"), "utf8")).toBe(FILES["add.mjs"]);
    session.say("/rewind 0");
    await session.sees(/taken back: a\.txt[\s\S]*ready$/u);
    expect(existsSync(path.join(here.dir, "a.txt"))).toBe(false);
  });
});
