/** `questions.test.ts` goes on here with what takes longer. */
import { readFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { openApp } from "../../src/app/index.ts";
import { systemClock } from "../../src/kernel/index.ts";
import { serveApi } from "../../src/surface/http/index.ts";
import { script, scriptedProject } from "../support/scripted-project.ts";
import { atTerminal, NO_TERMINAL } from "../support/terminal.ts";
import { MAIN } from "../support/built-command.ts";
import { command, STEPS, commandIn } from "./questions.ts";

interface Seen {
  id: string;
  status: string;
  options: { value: string }[];
}

test(
  "nobody there: exit 4 and the question is told; answered, the task goes on; every wrong answer says what to do",
  { timeout: 120_000 },
  () => {
    const project = scriptedProject({ "a.txt": "a" }, STEPS);
    const sylk = commandIn(project);
    const started = sylk(["task", "start", "try", "--no-checks", "-m", project.rules]);
    expect(started.code).toBe(4);
    const [open] = JSON.parse(sylk(["questions", "--json"]).out) as Seen[];
    const id = open?.id ?? "";
    expect(started.out).toContain(id);
    expect(open?.options.map(({ value }) => value)).toEqual(["once", "session", "project", "user", "deny"]);
    expect(sylk(["status"]).out).toMatch(/^ {2}\w{8} {2}needs you +step 1 {2}try$/mu);
    const short = id.slice(-8);
    const shown = sylk(["questions", short]).out;
    for (const part of ["engineer wants to run", "│ printenv NOTHING >> ran.txt; echo x >> ran.txt", `sylk answer ${short} once`])
      expect(shown).toContain(part);
    expect(sylk(["questions", short, "--ids"]).out).toBe("once\nsession\nproject\nuser\ndeny\n");

    expect(sylk(["answer", "nope", "once"])).toMatchObject({
      code: 1,
      err: expect.stringMatching(/there is no question nope\n.*fix: `sylk questions`/) as string,
    });
    expect(sylk(["answer", short, "maybe"])).toMatchObject({
      code: 2,
      err: expect.stringContaining("maybe is not one of once, session") as string,
    });
    expect(sylk(["answer", short])).toMatchObject({ code: 2, err: expect.stringContaining("fix: one of once") as string });

    expect(sylk(["answer", short, "once"])).toMatchObject({
      code: 0,
      out: expect.stringContaining("go on with `sylk task resume") as string,
    });
    expect(sylk(["answer", short, "deny"])).toMatchObject({ code: 1, err: expect.stringMatching(/answered at .*: once/) as string });
    expect(sylk(["task", "resume", "last"]).code).toBe(3);
    expect(readFileSync(path.join(project.dir, "ran.txt"), "utf8")).toBe("x\n");
    expect(sylk(["questions"]).out).toBe("nothing is asked\n");
    expect(sylk(["answer", "--help"]).out).toContain("Examples:");
  },
);

test("~SKF-016: a skill that nobody approved is installed by an answer; its collision too", { timeout: 120_000 }, () => {
  const project = scriptedProject({ "a.txt": "a" }, "rules: []\n");
  const sylk = commandIn(project);
  const create = ["skill", "create", "review SQL migrations for locks", "--target", "claude", "--no-model", "--name", "lock-review"];
  const waits = sylk(create);
  expect(waits.code).toBe(4);
  expect(waits.err).toMatch(/fix: `sylk answer q_\w+ approve`/);
  const ids = (): string => sylk(["questions", "--ids"]).out.trim();
  const approval = ids();
  expect(sylk(["questions", approval]).out).toContain("How to");
  expect(sylk(["answer", approval, "approve"]).code).toBe(0);
  expect(sylk(["skill", "resume"])).toMatchObject({ code: 0, out: expect.stringContaining("lock-review installed") as string });
  const again = sylk([...create, "--yes"]);
  expect(again.code).toBe(4);
  expect(again.err).toContain("lock-review exists already");
  expect(sylk(["answer", ids(), "rename", "other-review"]).code).toBe(0);
  expect(sylk(["skill", "resume", "--yes"]).out).toContain("other-review installed");
});

describe.skipIf(NO_TERMINAL !== undefined)(`at a terminal${NO_TERMINAL === undefined ? "" : ` (skipped: ${NO_TERMINAL})`}`, () => {
  test(
    "over --connect the terminal of the client asks and answers, in one run what may be done and in words",
    { timeout: 120_000 },
    async () => {
      const asks = { name: "ask_user", input: { question: "plus or minus?" } };
      const project = scriptedProject({ "a.txt": "a" }, script([command, asks, { name: "complete", input: { summary: "done" } }]));
      // A note of the desktop holds the same words; settings are the server's.
      const env = { ...project.env, SYLK_TERMINAL_NOTIFY: "false" };
      const served = await openApp({ cwd: project.dir, env, clock: systemClock });
      onTestFinished(() => served.close());
      const { token } = served.serverToken("api");
      await using server = await serveApi(served.api, { port: 0, token, clock: systemClock });
      const argv = [process.execPath, MAIN, "--connect", server.url, "task", "start", "try", "--no-checks", "-m", project.rules];
      const { code, screen } = await atTerminal(argv, {
        cwd: project.dir,
        env: { ...project.env, NODE_COMPILE_CACHE: process.env["NODE_COMPILE_CACHE"] },
        typed: [
          { when: "Allow it?", keys: "yes\r" },
          { when: "plus or minus?", keys: "" },
          { when: "plus or minus?", keys: "plus\r" },
        ],
      });
      expect(screen).not.toContain("answered elsewhere");
      expect(code).toBe(3);
      expect(readFileSync(path.join(project.dir, "ran.txt"), "utf8")).toBe("x\n");
      const all = await served.api.query({ type: "question.list", ended: true });
      expect(all.map(({ answer }) => answer)).toEqual([
        { kind: "chosen", value: "once" },
        { kind: "said", text: "plus" },
      ]);
    },
  );

  test.each([
    ["what it gives up at", [], "name: escalate, input: { reason: no way in }", "no way in", ["no way in"]],
    [
      "what is to be done when its steps are used up",
      ["--max-steps", "1"],
      "name: read_file, input: { path: a.txt }",
      "How should this go on?",
      [],
    ],
  ])("%s is asked where it runs as well", { timeout: 120_000 }, async (_what, options, call, question, before) => {
    const rules = `rules:\n  - when: { text: "use plus", step: ">=2" }\n    answer: { tool_calls: [{ name: complete, input: { summary: done } }] }\n  - answer: { tool_calls: [{ ${call} }] }\n`;
    const project = scriptedProject({ "a.txt": "a" }, rules);
    const { code, screen } = await atTerminal(
      [process.execPath, MAIN, "task", "start", "try", "--no-checks", "--type", "review", "-m", project.rules, ...options],
      {
        cwd: project.dir,
        env: { ...project.env, SYLK_TERMINAL_NOTIFY: "false" },
        typed: [...before.map((when) => ({ when, keys: "" })), { when: question, keys: "use plus\r" }],
      },
    );
    expect(screen).toContain(question);
    expect([0, 3]).toContain(code);
    expect(commandIn(project)(["questions", "--all"]).out).toContain("answered: use plus");
  });
});
