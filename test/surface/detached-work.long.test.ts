/** `terminal.on_close: detach`: the terminal is closed in the middle of the work, which goes on by itself until it needs somebody or is over. */
import { randomInt } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { expect, test, vi } from "vitest";
import { atPty, processesWith, until } from "../support/closable-terminal.ts";
import { runSylk } from "../support/run-sylk.ts";
import { script, scriptedProject, type ScriptedCall, type ScriptedProject } from "../support/scripted-project.ts";
import { planOf, simplePiece, teamProject, teamRules } from "../support/team-project.ts";
import { NO_TERMINAL } from "../support/terminal.ts";

vi.setConfig({ testTimeout: 600_000 });

const FILES = {
  "add.mjs": "export const add = (a, b) => a - b;\n",
  "check.mjs": 'import { add } from "./add.mjs";\nif (add(2, 3) !== 5) process.exit(1);\n',
};
const MEND: ScriptedCall = { name: "edit_file", input: { path: "add.mjs", find: "a - b", replace: "a + b" } };
const END: ScriptedCall = { name: "complete", input: { summary: "it adds now" } };
const ASKS: ScriptedCall = { name: "run_command", input: { command: "printenv NOTHING; echo x" } };

/** Whoever is asked never answers. */
const FOR_EVER = JSON.stringify({ rules: [{ answer: { text: "x", delay_ms: 3_600_000 } }] });
const pieces = [simplePiece("loud")];

interface Closed {
  /** In the environment of everything this session starts. */
  mark: string;
  sylk(...args: string[]): ReturnType<typeof runSylk>;
}

interface Scene {
  here: ScriptedProject;
  onClose: "end" | "detach";
  /** Words of the command line; none opens a session. */
  args?: string[];
  /** What is said there. */
  say?: string;
  /** Rules of the model once the terminal is closed. */
  later: string;
}

/** The model never answers; the terminal is closed while it thinks. */
async function closeWhileItThinks({ here, onClose, args = [], say, later }: Scene): Promise<Closed> {
  const mark = `mark-${randomInt(100_000_000, 999_999_999)}`;
  const rules = path.join(here.base, "rules.yaml");
  writeFileSync(rules, FOR_EVER);
  const env = { ...here.env, SYLK_LLM_DEFAULT_MODEL: here.rules };
  const { child, sees } = atPty(here.dir, { ...env, SYLK_TEST_MARK: mark, SYLK_TERMINAL_ON_CLOSE: onClose }, ...args);
  if (say !== undefined) {
    await sees("ready");
    child.stdin.write(`${say}\r`);
  }
  await sees("thinks 1 s");
  writeFileSync(rules, later);
  child.kill("SIGKILL");
  return { mark, sylk: (...words) => runSylk(here.dir, { ...env, NO_COLOR: "1" }, words) };
}

const nobodyIsLeft = ({ mark }: Closed): Promise<void> => until(() => processesWith(mark).length === 0);
/** The process that goes on, and none that had the terminal. */
const goesOnAlone = ({ mark }: Closed): Promise<void> =>
  until(() => {
    const all = processesWith(mark);
    return all.length > 0 && all.every((pid) => commandOf(pid).includes("resume"));
  });
function commandOf(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, "latin1");
  } catch {
    return "";
  }
}
const TASK = '/task mend it --check "node check.mjs"';
const first = (out: string): Record<string, unknown> | undefined => (JSON.parse(out) as Record<string, unknown>[])[0];

test.skipIf(NO_TERMINAL !== undefined)("a task goes on to its end, or rests where it asks, and no process is left", async () => {
  for (const [steps, status] of [
    [[MEND, END], "complete"],
    [[ASKS, ASKS, MEND, END], "escalated"],
  ] as const) {
    const here = scriptedProject(FILES, "");
    const closed = await closeWhileItThinks({ here, onClose: "detach", say: TASK, later: script(steps) });
    await goesOnAlone(closed);
    await nobodyIsLeft(closed);
    expect(first((await closed.sylk("task", "list", "--json")).out)?.["status"]).toBe(status);
    expect(JSON.parse((await closed.sylk("questions", "--json")).out)).toHaveLength(status === "escalated" ? 1 : 0);
    expect((await closed.sylk("journal", "verify")).code).toBe(0);
  }
});

test.skipIf(NO_TERMINAL !== undefined)("with `end` nothing goes on, and it can be gone on with", async () => {
  const here = scriptedProject(FILES, "");
  const closed = await closeWhileItThinks({ here, onClose: "end", say: TASK, later: script([MEND, END]) });
  await nobodyIsLeft(closed);
  expect(first((await closed.sylk("task", "list", "--json")).out)?.["status"]).toBe("interrupted");
  expect(readFileSync(path.join(here.dir, "add.mjs"), "utf8")).toBe(FILES["add.mjs"]);
  expect((await closed.sylk("task", "resume")).code).toBe(0);
});

const RUN = ["run", "add loud", "--check", "node --test", "--team", "--approve", "auto"];

test.skipIf(NO_TERMINAL !== undefined)("a request goes on to its end, with the permissions it had", async () => {
  const here = teamProject(planOf(pieces), pieces);
  const later = teamRules(planOf(pieces), pieces);
  const args = [...RUN, "--permission-mode", "accept-edits", "--allow=docker ps -a"];
  const closed = await closeWhileItThinks({ here, onClose: "detach", args, later });
  await goesOnAlone(closed);
  const words = processesWith(closed.mark).map((pid) => commandOf(pid).split("\0"));
  expect(words[0]).toEqual(expect.arrayContaining(["--permission-mode=accept-edits", "--allow=docker ps -a", "session", "resume"]));
  await nobodyIsLeft(closed);
  expect(first((await closed.sylk("sessions", "--json")).out)).toMatchObject({ status: "done", merged: 1, running: false });
  expect(readFileSync(path.join(here.dir, "src/loud.js"), "utf8")).toContain("loud");
});

test.skipIf(NO_TERMINAL !== undefined)("what goes on is listed as running, followed with attach and ended with stop", async () => {
  const here = teamProject(planOf(pieces), pieces);
  const closed = await closeWhileItThinks({ here, onClose: "detach", args: RUN, later: FOR_EVER });
  await goesOnAlone(closed);
  const isRunning = async () => first((await closed.sylk("sessions", "--json")).out)?.["running"] === true;
  while (!(await isRunning())) await new Promise((resolve) => setTimeout(resolve, 100));
  const attached = closed.sylk("attach", "last");
  expect((await closed.sylk("stop", "last")).out).toContain("stopped");
  expect((await attached).out).toContain("cancelled");
  await nobodyIsLeft(closed);
});
