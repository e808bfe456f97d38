/** `/` and a home folder are not indexed and not worked in before `sylk init`. */
import { existsSync, writeFileSync } from "node:fs";
import path from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { systemClock } from "../../src/kernel/index.ts";
import { openApp, type App } from "../support/lab.ts";
import { script } from "../support/scripted-project.ts";
import { tempDir } from "../support/temp.ts";

async function opened(cwd: string, home: string): Promise<App> {
  const env = { PATH: process.env["PATH"] ?? "", HOME: home, SYLK_HOME: path.join(home, "sylk-home") };
  const app = await openApp({ cwd, env, clock: systemClock });
  onTestFinished(() => app.close());
  return app;
}

const words = { goal: "tidy up", type: "implement_feature", role: "engineer", criteria: [], constraints: [], checks: [] };
const signal = new AbortController().signal;

test.each(["/", "home"])("D9: %s is not indexed and not worked in", async (where) => {
  const home = tempDir("home");
  writeFileSync(path.join(home, "rules.yaml"), script([{ name: "complete", input: { summary: "done" } }]));
  const model = `scripted/${path.join(home, "rules.yaml")}`;
  const options = { ...words, discoverChecks: false, model, profile: "minimal", maxSteps: undefined };
  const app = await opened(where === "/" ? "/" : home, home);
  const refused = { code: "PROJECT_TOO_WIDE", fix: expect.stringContaining("sylk init") as string };
  await expect(app.tasks.start(options)).rejects.toMatchObject(refused);
  await expect(app.api.send({ type: "knowledge.index" }, signal)).rejects.toMatchObject(refused);
  expect(existsSync("/.sylk")).toBe(false);
  if (where === "/") return;
  await app.api.send({ type: "project.init", share: false });
  const now = await opened(home, home);
  expect(await now.tasks.start(options)).toMatch(/^task_/u);
});
