/** Long lines in a session: broken between words, and what goes on stands below what it belongs to. */
import { describe, expect, test, vi } from "vitest";
import { KEYS, openHeadlessSession } from "../support/headless-session.ts";
import { script, scriptedProject, type ScriptedCall, type ScriptedProject } from "../support/scripted-project.ts";

vi.setConfig({ testTimeout: 240_000 });

const END: ScriptedCall = { name: "complete", input: { summary: "x" } };
const FILES = { "add.mjs": "export const add = (a, b) => a - b;\n" };
const SAID = "alpha bravo charlie delta echo foxtrot golf hotel india juliett kilo lima mike november oscar papa";

describe.each(["main", "full"] as const)("on the %s screen", (screen) => {
  const open = (here: ScriptedProject, columns: number) =>
    openHeadlessSession({ dir: here.dir, env: { ...here.env, SYLK_TERMINAL_SCREEN: screen } }, { columns, rows: 160 });
  const project = (...steps: ScriptedCall[]): ScriptedProject => scriptedProject(FILES, script(steps));
  const linesFrom = (shown: string, from: string, until: RegExp): string[] => {
    const lines = shown
      .slice(shown.lastIndexOf(from))
      .split("\n")
      .map((line) => line.trimEnd())
      .filter((line) => line !== "");
    return lines.slice(
      1,
      lines.findIndex((line, i) => i > 0 && until.test(line)),
    );
  };

  test("a long name gives way in the status line, what happens does not", async () => {
    const here = project(END);
    const env = { ...here.env, SYLK_TERMINAL_SCREEN: screen, SYLK_LLM_DEFAULT_MODEL: here.rules.replace("rules", "a/../".repeat(20)) };
    await using session = await openHeadlessSession({ dir: here.dir, env }, { columns: 60, rows: 24 });
    expect(await session.sees("ready")).toMatch(/^….{20,}\.yaml · master · ready$/mu);
  });

  test("a list goes on below its texts, and no word is broken", async () => {
    await using session = await open(project(END), 50);
    await session.sees("ready");
    session.say("/help");
    const shown = await session.sees(/\/why [\s\S]*ready$/u);
    const lines = linesFrom(shown, "› /help", /^─/u);
    const more = lines.filter((line) => !/^ {2}\S|^\S.*:$/u.test(line));
    expect(more.length).toBeGreaterThan(10);
    expect(more.filter((line) => !/^ {16}\S/u.test(line))).toEqual([]);
    expect(lines.join(" ").replaceAll(/\s+/gu, " ")).toContain(
      "/answer answer what waits for you, while the rest goes on: /answer 4m2kq7ds yes",
    );
  });

  test("words keep their indent; a long word and a script without spaces are broken, and nothing is wider than the screen", async () => {
    await using session = await open(project(END), 40);
    await session.sees("ready");
    session.say(`!printf '    %s\\n' "${SAID}" "漢字かなを長く長く書いた文は言葉のあいだに空白がないので途中で折れる" "${"x".repeat(70)}"`);
    const lines = linesFrom(await session.sees(/\n {4}x{34}\s*\n {6}x{34}\s*\n {6}xx\s*\n[\s\S]*ready$/u), "› !printf", /^─/u);
    const from = lines.findIndex((line) => line.startsWith("    alpha"));
    expect(lines.slice(from, from + 5)).toEqual([
      "    alpha bravo charlie delta echo",
      "      foxtrot golf hotel india juliett",
      "      kilo lima mike november oscar papa",
      "    漢字かなを長く長く書いた文は言葉の",
      "      あいだに空白がないので途中で折れる",
    ]);
  });

  test("what is quoted behind a bar goes on behind another one, so that no line seems to begin there", async () => {
    const here = project({ name: "run_command", input: { command: `printenv NOTHING; echo ${SAID}` } }, END);
    await using session = await open(here, 50);
    await session.sees("ready");
    session.say(`/task mend it --no-checks -m ${here.rules}`);
    const shown = await session.sees(/→ deny/u);
    expect(linesFrom(shown, "engineer wants to run", /which needs/u)).toEqual([
      "  │ printenv NOTHING; echo alpha bravo charlie",
      "  ┆ delta echo foxtrot golf hotel india juliett",
      "  ┆ kilo lima mike november oscar papa",
    ]);
    session.type(KEYS.escape);
  });

  test("why a command was refused is told whole, below it", async () => {
    const here = project({ name: "run_command", input: { command: "printenv NOTHING; echo x" } }, END);
    await using session = await open(here, 60);
    await session.sees("ready");
    session.say(`/task mend it --no-checks -m ${here.rules}`);
    await session.sees("→ deny");
    session.type("\t");
    await session.sees("What should it know?");
    for (const letter of `${SAID} ${SAID} the end of it`) session.type(letter);
    session.type(KEYS.enter);
    const shown = await session.sees(/✗ run_command[\s\S]*the end of it[\s\S]*ready$/u);
    const lines = linesFrom(shown.slice(shown.lastIndexOf("✗ run_command") - 4), "✗ run_command", /^step|^\S/u);
    expect(lines.join(" ").replaceAll(/\s+/gu, " ")).toContain(`${SAID} ${SAID} the end of it`);
    expect(lines.filter((line) => !/^ {4,}\S/u.test(line))).toEqual([]);
  });
});
