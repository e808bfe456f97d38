/** `terminal-screens.test.ts` goes on here with what takes longer. */
import { writeFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, test, vi } from "vitest";
import { KEYS } from "../support/headless-session.ts";
import { planOf, simplePiece, teamProject } from "../support/team-project.ts";
import { MEND, END, run, project, TASK, openOn, read, typed } from "./terminal-screens.ts";

vi.setConfig({ testTimeout: 600_000 });

describe.each(["main", "full"] as const)("on the %s screen", (screen) => {
  const open = openOn(screen);

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
});
