/** A sentence that was stopped says so, in every list, and when a session is opened again. */
import { expect, test, vi } from "vitest";
import { KEYS, openHeadlessSession } from "../support/headless-session.ts";
import { runSylk } from "../support/run-sylk.ts";
import { scriptedProject } from "../support/scripted-project.ts";
import { planOf, simplePiece, teamProject } from "../support/team-project.ts";

vi.setConfig({ testTimeout: 600_000 });

const WORDS = "add loud to it";

test("stopped while it is read, a request is interrupted and not planning; it is mentioned once, until it is gone on with", async () => {
  const pieces = [simplePiece("loud")];
  const here = teamProject(planOf(pieces), pieces, {}, [{ when: { role: "guide" }, answer: { text: "x", delay_ms: 3_600_000 } }]);
  const env = { ...here.env, SYLK_LLM_DEFAULT_MODEL: here.rules };
  const sylk = (...args: string[]) => runSylk(here.dir, env, args);
  const statuses = async (): Promise<string[]> =>
    (JSON.parse((await sylk("session", "list", "--json")).out) as { status: string }[]).map(({ status }) => status);
  // What was only written down was not interrupted.
  await sylk("run", "for later", "--detach");
  expect(await statuses()).toEqual(["planning"]);
  {
    await using session = await openHeadlessSession({ dir: here.dir, env });
    const opened = await session.sees("ready");
    expect(opened).not.toContain("was interrupted");
    session.say(WORDS);
    await session.sees(/working[\s\S]*thinks|planning ·/u);
    session.type(KEYS.escape);
    await session.sees(/interrupted; go on[\s\S]*ready$/u);
  }
  expect(await statuses()).toEqual(["interrupted", "planning"]);
  for (const word of ["status", "sessions"]) expect((await sylk(word)).out).toMatch(new RegExp(`\\w+ {2}interrupted .*${WORDS}`, "u"));
  {
    await using session = await openHeadlessSession({ dir: here.dir, env });
    await session.sees(`“${WORDS}” was interrupted: /resume goes on`);
    session.say("/resume");
    await session.sees(/planning ·/u);
    session.type(KEYS.escape);
    await session.sees(/interrupted; go on[\s\S]*ready$/u);
    session.say("/stop");
    await session.sees(/of \w{8}: .+\nstopped; nothing of it reaches your folder[\s\S]*ready$/u);
  }
  expect(await statuses()).toEqual(["cancelled", "planning"]);
  await using session = await openHeadlessSession({ dir: here.dir, env });
  expect(await session.sees("ready")).not.toContain("was interrupted");
});

test("a task of the user's own that was stopped is named by the next session and by -c, with the word that goes on", async () => {
  const rules =
    "rules:\n  - when: { step: 1 }\n    answer: { tool_calls: [{ name: read_file, input: { path: a.txt } }] }\n  - answer: { text: x, delay_ms: 3600000 }\n";
  const here = scriptedProject({ "a.txt": "a\n" }, rules);
  {
    await using session = await openHeadlessSession(here);
    await session.sees("ready");
    session.say(`/task mend the sum -m ${here.rules}`);
    await session.sees(/step 1 ·[\s\S]*thinks/u);
    session.type(KEYS.escape);
    await session.sees(/interrupted; go on[\s\S]*ready$/u);
  }
  {
    await using session = await openHeadlessSession(here);
    await session.sees(/the task “mend the sum” was interrupted: \/resume \w{8} goes on/u);
  }
  expect(await runSylk(here.dir, here.env, ["-c"])).toMatchObject({
    err: expect.stringMatching(
      /the task “mend the sum” \(\w{8}\) was stopped by you[^\n]*\n {2}fix: sylk task resume \w{8} goes on/u,
    ) as string,
  });
});
