/**
 * The attacker wrote what somebody piped into a request, and the settings of a folder that is trusted. He wants the
 * terminal of a later session to obey him: by what is brought back into the input, by the line below it.
 */
import { expect, test } from "vitest";
import { KEYS, openHeadlessSession } from "../../support/headless-session.ts";
import { script, scriptedProject } from "../../support/scripted-project.ts";
import { runSylk } from "../../support/run-sylk.ts";
import { ATTACK } from "./hostile-words.ts";

const MARKED = "␛]0;owned␇";
/** What of an attack a terminal would obey, as it stands in one. */
const OBEYED = ["\u001b]0;owned", "\u001b]8;;http", "\u001b]52;", "\u001b[1A\u001b[2K", "\u009b", "\u202e"];
const obeyed = (said: string): string[] => OBEYED.filter((part) => said.includes(part));

test("what was said before comes back into the input as text, by arrow and by search", { timeout: 60_000 }, async () => {
  const project = scriptedProject({ "a.txt": "a\n" }, script([{ name: "complete", input: { summary: "done" } }]));
  const words = `why ${ATTACK} so`;
  await runSylk(project.dir, project.env, ["task", "start", words, "-m", project.rules, "--max-steps", "1"]);
  await using session = await openHeadlessSession(project, { columns: 400 });
  await session.sees("ready");
  session.type(KEYS.up);
  expect(await session.sees(`/task why ${MARKED}`)).toContain("‹U+009B›31m");
  session.type(KEYS.interrupt);
  session.type("\u0012");
  await session.sees("What did you say?");
  session.type(KEYS.enter);
  await session.sees(`/task why ${MARKED}`);
  expect(obeyed(session.terminal.said)).toEqual([]);
});

test("the line below the input is text, whatever the model is called", { timeout: 60_000 }, async () => {
  const model = JSON.stringify(`scripted/x${ATTACK}.yaml`);
  const files = { ".sylk/config.yaml": `llm: { default_model: ${model} }\n` };
  const project = scriptedProject(files, script([{ name: "complete", input: { summary: "done" } }]));
  await runSylk(project.dir, project.env, ["trust", "--yes"]);
  await using session = await openHeadlessSession(project, { columns: 400 });
  await session.sees(`scripted/x${MARKED}`);
  expect(obeyed(session.terminal.said)).toEqual([]);
});
