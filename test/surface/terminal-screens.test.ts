/** Every screen of a session as a person reads it, the same in both renderers. */
import { writeFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, test, vi } from "vitest";
import { KEYS, openHeadlessSession, type HeadlessOptions, type HeadlessSession } from "../support/headless-session.ts";
import { notInstalled } from "../support/installed.ts";
import { script, scriptedProject, type ScriptedCall, type ScriptedProject } from "../support/scripted-project.ts";
import { planOf, simplePiece, teamProject } from "../support/team-project.ts";

vi.setConfig({ testTimeout: 600_000 });

const FILES = {
  "add.mjs": "export const add = (a, b) => a - b;\n",
  "check.mjs": 'import { add } from "./add.mjs";\nif (add(2, 3) !== 5) process.exit(1);\n',
};
const MEND: ScriptedCall = { name: "edit_file", input: { path: "add.mjs", find: "a - b", replace: "a + b" } };
const END: ScriptedCall = { name: "complete", input: { summary: "it adds now" } };
const run = (command: string): ScriptedCall => ({ name: "run_command", input: { command } });
const project = (...steps: ScriptedCall[]): ScriptedProject => scriptedProject(FILES, script(steps));
const TASK = '/task mend it --check "node check.mjs"';

/** From the last place where this stands: without what differs from run to run, and without empty lines. */
function read(shown: string, from: string): string {
  return shown
    .slice(shown.lastIndexOf(from))
    .split("\n")
    .map((line) =>
      line
        .trimEnd()
        .replace(/─{4,}/u, "────")
        .replaceAll(/scripted\/\S*\/rules\.yaml/gu, "scripted/rules.yaml")
        .replaceAll(/\/[^\s;]*sylk-project[^\s;]*/gu, "/project")
        .replaceAll(/task_\w{26}/gu, "task_id")
        .replaceAll(/\d[\d.]*k?(?= tokens| in \(| out\b)/gu, "N")
        .replaceAll(/\b\d+ s\b/gu, "N s")
        .replaceAll(/(?:^|(?<= · ))[0-9a-hjkmnp-tv-z]{8}(?=$| {2})/gu, "id"),
    )
    .join("\n")
    .replaceAll(/\n{2,}/gu, "\n");
}

const typed = (session: HeadlessSession, text: string): void => {
  for (const letter of text) session.type(letter);
};

describe.each(["main", "full"] as const)("on the %s screen", (screen) => {
  const open = (here: ScriptedProject, options?: HeadlessOptions) =>
    openHeadlessSession(
      { dir: here.dir, env: { ...here.env, SYLK_TERMINAL_SCREEN: screen, SYLK_LLM_DEFAULT_MODEL: here.rules } },
      { rows: 50, ...options },
    );

  test("/help: every word with what it does, and those people wrote themselves", async () => {
    const here = project(END);
    await using session = await open(here, { rows: 90 });
    await session.sees("ready");
    session.say("/help");
    expect(
      read(await session.sees(/\/why [\s\S]*ready$/u), "› /help")
        .split("\n")
        .slice(0, 6)
        .join("\n"),
    ).toMatchInlineSnapshot(`
      "› /help
      Keys:
        Enter         says it
        Shift+Enter   another line; Ctrl+J too
        @             a file; as the first word, a role
        !             a line for your own shell"
    `);
  });

  test("a task at work: what it says, calls folded to a line, a command's output as it comes, an edit as a hunk, its end", async () => {
    const here = project(run("echo begun; while [ ! -e go ]; do sleep 0.05; done"), MEND, END);
    await using session = await open(here);
    await session.sees("ready");
    session.say(TASK);
    const atWork = await session.sees(/│ begun[\s\S]*\d s · Ctrl\+C stops[\s\S]*working, step 1$/u);
    expect(read(atWork, "step 1 ·")).toMatchInlineSnapshot(`
      "step 1 · explore · N tokens in
        step 1
        $ echo begun; while [ ! -e go ]; do sleep 0.05; done
        │ begun
        $ echo begun; while [ ! -e go ]; do sleep 0.05; done N s · Ctrl+C stops
      ────
      ────
      scripted/rules.yaml · N tokens · master · working, step 1"
    `);
    writeFileSync(path.join(here.dir, "go"), "");
    const over = await session.sees(/verified[\s\S]*ready$/u);
    expect(read(over.slice(0, over.indexOf("step 3")), "step 2 ·")).toMatchInlineSnapshot(`
      "step 2 · change · N tokens in
        step 2
        $ node check.mjs
        ✓ edit_file add.mjs  changed add.mjs: "a - b" → "a + b"
          -export const add = (a, b) => a - b;
          +export const add = (a, b) => a + b;
        ✓ check passes
      "
    `);
  });

  test("of a check that passes one line stays, with how many tests passed; what it said is shown where it fails", async () => {
    const here = project(MEND, END);
    writeFileSync(
      path.join(here.dir, "add.test.mjs"),
      'import test from "node:test";\nimport { add } from "./add.mjs";\ntest("it adds", () => {\n  console.log("the sum is", add(2, 3));\n  if (add(2, 3) !== 5) throw new Error("no sum");\n});\n',
    );
    await using session = await open(here, { rows: 80 });
    await session.sees("ready");
    session.say(`/task mend it --check "node --test" -m ${here.rules}`);
    const over = await session.sees(/verified[\s\S]*ready$/u);
    expect(over).toMatch(/│ .*the sum is -1/u);
    expect(over).toMatch(/\$ node --test\s*\n[\s\S]*✓ check passes \(1 passed\)/u);
    expect(over).not.toContain("the sum is 5");
  });

  test("an edit is coloured: what goes is red, what comes is green", async () => {
    const here = project(MEND, END);
    await using session = await open(here, { color: true });
    await session.sees("ready");
    session.say(TASK);
    await session.sees(/verified[\s\S]*ready$/u);
    expect(session.terminal.said).toContain("\u001b[31m-export const add = (a, b) => a - b;\u001b[39m");
    expect(session.terminal.said).toContain("\u001b[32m+export const add = (a, b) => a + b;\u001b[39m");
  });

  test("a permission is asked for with the whole line, in the place of the input", async () => {
    await using session = await open(project(run("printenv NOTHING; echo x"), END));
    await session.sees("ready");
    session.say(TASK);
    const shown = read(await session.sees(/→ deny[\s\S]*needs you$/u), "engineer wants to run");
    const inSandbox = "  also with a yes it stays in the sandbox: what that forbids fails (`sylk sandbox status`)\n";
    expect(shown.includes(inSandbox)).toBe(notInstalled(["bwrap", "socat"]) === "");
    expect(shown.replace(inSandbox, "")).toMatchInlineSnapshot(`
      "engineer wants to run
        │ printenv NOTHING; echo x
        which needs an answer to
        │ run printenv NOTHING
        in /project; a lasting yes would cover exactly this line
        step 1
      Allow it? Type yes or no, or move to an answer. (Ctrl+C stops the task, which can be resumed)
        allow once
        allow in this run: this exact line
        always in this project: this exact line
        always, everywhere: this exact line
      → deny                            Tab: say why
      scripted/rules.yaml · N tokens · master · working, needs you"
    `);
  });

  test("an edit that is asked about is shown as a diff", async () => {
    await using session = await open(project(MEND, END));
    await session.sees("ready");
    session.type(KEYS.cycle);
    await session.sees(/ask-edits[^\n]*$/u);
    session.say(TASK);
    expect(read(await session.sees(/→ deny[\s\S]*needs you$/u), "engineer wants to modify")).toMatchInlineSnapshot(`
      "engineer wants to modify add.mjs
        │ --- a/add.mjs
        │ +++ b/add.mjs
        │ @@ -1 +1 @@
        │ -export const add = (a, b) => a - b;
        │ +export const add = (a, b) => a + b;
        step 1
      Allow it? Type yes or no, or move to an answer. (Ctrl+C stops the task, which can be resumed)
        allow once
        allow in this run: write add.mjs
        always in this project: write add.mjs
        always, everywhere: write add.mjs
        allow in this run: write in this folder
        always in this project: write in this folder
      → deny                            Tab: say why
      scripted/rules.yaml · N tokens · master · ask-edits · working, needs you"
    `);
  });

  test.each([
    ["approve", "approve"],
    ["reject", "reject"],
  ])("a plan is reviewed: %s", async (typedWord, value) => {
    const one = [simplePiece("loud")];
    const here = teamProject(planOf(one), one);
    await using session = await open(here, { first: ["plan", "add loud", "-m", here.rules], rows: 60 });
    await session.sees(/build it: \/resume[\s\S]*ready$/u);
    session.say("/questions");
    const id = /^(?<id>\w{8}) {2}request/mu.exec(await session.sees(/approve, edit, replace, reject[\s\S]*ready$/u))?.groups?.["id"] ?? "";
    session.say(`/answer ${id}`);
    expect(read(await session.sees(/→ approve[\s\S]*needs you$/u), "Is this how")).toMatchInlineSnapshot(`
      "Is this how it should be done?
      → approve
        comment on A1                   loud does what was asked for (shown by a test)
        comment on n1                   loud (A1)
        edit                            say what to change
        replace                         give the whole text anew
        reject
      scripted/rules.yaml · N tokens · master · working, needs you"
    `);
    typed(session, typedWord);
    session.type(KEYS.enter);
    await session.sees(/answered[\s\S]*ready$/u);
    const app = await here.open();
    const { answer } = await app.api.query({ type: "question.show", id });
    await app.close();
    expect(answer).toEqual({ kind: "chosen", value });
  });

  test("what is said while it works waits for its turn, and begins when that comes", async () => {
    const here = project(END);
    await using session = await open(here);
    await session.sees("ready");
    session.say("!echo begun; while [ ! -e go ]; do sleep 0.05; done");
    await session.sees("\nbegun\n");
    session.say("/compact");
    expect(read(await session.sees(/1 waiting$/u), "\nbegun\n")).toMatchInlineSnapshot(`
      "
      begun
        waits for its turn: /compact
      ────
      ────
      scripted/rules.yaml · master · working · 1 waiting"
    `);
    writeFileSync(path.join(here.dir, "go"), "");
    await session.sees(/› \/compact[\s\S]*nothing to compact[\s\S]*ready$/u);
  });

  test("requests are listed, and chosen from", async () => {
    const one = [simplePiece("loud")];
    const here = teamProject(planOf(one), one);
    await using session = await open(here);
    await session.sees("ready");
    for (const words of ["the first wish", "the second wish"]) {
      session.say(`/plan ${words}`);
      await session.sees(new RegExp(`${words}[\\s\\S]*build it: /resume[\\s\\S]*ready$`, "u"));
    }
    session.say("/sessions");
    await session.sees(/› \/sessions[\s\S]*the first wish[\s\S]*ready$/u);
    session.say("/continue");
    expect(read(await session.sees(/Which request\?[\s\S]*working$/u), "› /sessions")).toMatchInlineSnapshot(`
      "› /sessions
      id  planned       0/0       $0  the second wish
      id  planned       0/0       $0  the first wish
      \`/status <id>\` tells more
      › /continue
      Which request?
      → the second wish                 planned · id
        the first wish                  planned · id
      scripted/rules.yaml · N tokens · master · working"
    `);
    session.type(KEYS.escape);
    await session.sees(/no request was chosen[\s\S]*ready$/u);
  });

  test.each([
    [60, 20],
    [10, 12],
  ])("%i columns: nothing is wider than the screen, and what is typed is seen", async (columns, rows) => {
    await using session = await open(project(END));
    await session.sees("ready");
    session.terminal.resize(columns, rows);
    typed(session, "hello");
    const shown = await session.sees(/─\nhello\s*\n─/u);
    expect(shown.split("\n").every((line) => line.length <= columns)).toBe(true);
    expect(read(shown, "─\nhello")).toMatch(/^─\nhello\n─+\n\S/u);
  });

  test("wide characters and those from right to left: the cursor stands where the next one comes, inside the input", async () => {
    await using session = await open(project(END), { columns: 120 });
    await session.sees("ready");
    for (const [text, columns] of [
      ["漢字かな", 8],
      ["שלום", 4],
      ["مرحبا", 5],
      ["e\u0301🙂", 3],
    ] as const) {
      typed(session, text);
      await session.sees(new RegExp(`─\\n${text}`, "u"));
      const { cursorX, cursorY, baseY } = session.terminal.emulator.buffer.active;
      expect([
        cursorX,
        session.terminal.emulator.buffer.active
          .getLine(baseY + cursorY)
          ?.translateToString(true)
          .trimEnd(),
      ]).toEqual([columns, text]);
      session.type(KEYS.interrupt);
      await session.sees(/─\n\s*\n─/u);
    }
  });

  test("nothing is drawn while nothing happens: an hour passes without a byte", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "setInterval", "clearInterval"], shouldAdvanceTime: true });
    try {
      await using session = await open(project(END));
      await session.sees("ready");
      typed(session, "half a sentence");
      await session.sees(/half a sentence\s*\n─+\s*\n[^\n]*ready$/u);
      await vi.advanceTimersByTimeAsync(60_000);
      const before = session.terminal.said.length;
      await vi.advanceTimersByTimeAsync(3_600_000);
      expect(session.terminal.said.slice(before)).toBe("");
    } finally {
      vi.useRealTimers();
    }
  });
});
