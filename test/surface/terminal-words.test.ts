/** Words of a session that people know from elsewhere: another model, leaving, signing in, help; and lines outside of one. */
import { expect, test, vi } from "vitest";
import { KEYS, openHeadlessSession } from "../support/headless-session.ts";
import { script, scriptedProject } from "../support/scripted-project.ts";
import { atTerminal, NO_TERMINAL } from "../support/terminal.ts";
import { MAIN } from "../support/built-command.ts";

vi.setConfig({ testTimeout: 240_000 });

const WORDS = "alpha bravo charlie delta echo foxtrot golf hotel india juliett kilo lima mike november oscar papa";
const project = () => scriptedProject({ "n.txt": "1\n" }, script([{ name: "complete", input: { summary: "looked" } }]));
const open = (here: ReturnType<typeof project>, env: Record<string, string> = {}) =>
  openHeadlessSession({ dir: here.dir, env: { ...here.env, ...env } }, { columns: 120, rows: 90 });

test("/model with a name is the model of what is said next; one nobody knows is refused with those that are near", async () => {
  const here = project();
  await using session = await open(here, { OPENAI_API_KEY: "key-for-tests", SYLK_LLM_DEFAULT_MODEL: "openai/gpt-5" });
  await session.sees(/openai\/gpt-5 · master · ready$/u);
  session.say("/model openai/gpt-5-mni");
  await session.sees(/there is no model openai\/gpt-5-mni[\s\S]*did you mean openai\/gpt-5-mini[\s\S]*openai\/gpt-5 · master · ready$/u);
  session.say("/model openai/gpt-5-mini");
  await session.sees(/using openai\/gpt-5-mini for what you say next[\s\S]*openai\/gpt-5-mini · master · ready$/u);
  session.say("/model");
  await session.sees(/in use {2}openai\/gpt-5-mini\s*\n[\s\S]*^→ openai\/gpt-5-mini [\s\S]*ready$/mu);
  session.say(`/model ${here.rules}`);
  await session.sees(/using scripted\/[\s\S]*ready$/u);
  session.say("/task look --type discover --no-checks");
  expect(await session.sees(/Report\s+looked[\s\S]*ready$/u)).not.toContain("There is no key");
});

test.each(["exit", "quit", "/exit"])("%s leaves", async (word) => {
  await using session = await open(project());
  await session.sees("ready");
  session.say(word);
  await expect(session.ended).resolves.toBeUndefined();
});

test("/login asks as the first minute does; an address is shown as it is typed, a key is not", async () => {
  await using session = await open(project(), { OLLAMA_HOST: "127.0.0.1:9" });
  await session.sees("ready");
  session.say("/login");
  await session.sees("API key or address");
  for (const letter of "sk-ant-secret") session.type(letter);
  expect(await session.sees(/> •{13}/u)).not.toContain("sk-ant");
  for (const _letter of "sk-ant-secret") session.type("\u007f");
  for (const letter of "127.0.0.1:9") session.type(letter);
  await session.sees(/> 127\.0\.0\.1:9/u);
  session.type(KEYS.enter);
  await session.sees(/does not answer[\s\S]*API key or address/u);
  session.type(KEYS.escape);
  await session.sees(/skipped[\s\S]*ready$/u);
});

test("/help begins with the keys, then come the words in the groups of sylk help", async () => {
  await using session = await open(project());
  await session.sees("ready");
  session.say("/help");
  const shown = await session.sees(/Keys:[\s\S]*ready$/u);
  const help = shown.slice(shown.lastIndexOf("Keys:"));
  for (const key of ["Enter", "Shift+Enter", "@", "!", "Shift+Tab", "Esc", "Esc Esc", "Ctrl+R", "Tab", "Ctrl+C twice"])
    expect(help.split("Say what you want:")[0]).toContain(`\n  ${key} `);
  expect(help).toMatch(/Say what you want:[\s\S]*\/task [\s\S]*See how it stands:[\s\S]*\/diff [\s\S]*Set it up:[\s\S]*\/model /u);
});

test.skipIf(NO_TERMINAL !== undefined)("outside of a session a long line is broken between words too", async () => {
  const here = project();
  const { screen } = await atTerminal([process.execPath, MAIN, "exec", WORDS, "--type", "discover", "--no-checks", "-m", here.rules], {
    cwd: here.dir,
    env: { ...here.env, NO_COLOR: "1", NODE_COMPILE_CACHE: process.env["NODE_COMPILE_CACHE"] },
    columns: 60,
    typed: [],
  });
  const first = screen.slice(0, screen.indexOf("scripted/")).split(/\r?\n/u);
  expect(first.length).toBeGreaterThan(1);
  expect(first.filter((line) => line.length > 60)).toEqual([]);
});
