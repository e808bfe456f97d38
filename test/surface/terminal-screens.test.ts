/** Every screen of a session as a person reads it, the same in both renderers. */
import { writeFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, test, vi } from "vitest";
import { KEYS } from "../support/headless-session.ts";
import { notInstalled } from "../support/installed.ts";
import { MEND, END, run, project, TASK, openOn, read, typed } from "./terminal-screens.ts";

vi.setConfig({ testTimeout: 600_000 });

describe.each(["main", "full"] as const)("on the %s screen", (screen) => {
  const open = openOn(screen);

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
