/** What `tree-setup.test.ts` and its long form share. */
import { systemClock } from "../../src/kernel/index.ts";
import { openApp, type App } from "../support/lab.ts";
import { script, scriptedProject, type ScriptedProject } from "../support/scripted-project.ts";

export const never = new AbortController().signal;

/** Makes a package that no project folder here has; says no to what a builder may have written. */
const INSTALL = `
const fs = require("node:fs");
if (fs.existsSync("src/loud.js") && fs.readFileSync("src/loud.js", "utf8").includes("broken")) {
  console.error("the lock file does not fit");
  process.exit(7);
}
fs.mkdirSync("node_modules/dep", { recursive: true });
fs.writeFileSync("node_modules/dep/package.json", '{ "name": "dep", "main": "index.js" }');
fs.writeFileSync("node_modules/dep/index.js", "module.exports = " + JSON.stringify(process.env.SYLK_WORKTREE));
`;

export const SETUP = { ".gitignore": "node_modules/\n", "install.cjs": INSTALL };

export const opened = (project: ScriptedProject, env: Record<string, string>): Promise<App> =>
  openApp({ cwd: project.dir, env: { ...project.env, ...env }, clock: systemClock });

export const taskOf = (project: ScriptedProject, check: string) => ({
  goal: "look",
  type: "implement_feature",
  role: "engineer",
  criteria: [],
  constraints: [],
  checks: [check],
  model: project.rules,
  profile: "minimal",
  maxSteps: 3,
  worktree: true,
});

export const lookingProject = (more: Record<string, string> = {}): ScriptedProject =>
  scriptedProject({ ...SETUP, ...more }, script([{ name: "complete", input: { summary: "done" } }]));

export async function setups(app: App): Promise<unknown[]> {
  const { position: until } = await app.api.query({ type: "journal.head" });
  const found: unknown[] = [];
  for await (const { payload } of app.api.events({ until }, 0, never))
    if (JSON.stringify(payload).includes('"tree_setup"')) found.push((payload as { rule?: unknown }).rule);
  return found;
}
