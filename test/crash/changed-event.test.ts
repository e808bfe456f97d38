/** An event that was changed on disk: `journal rebuild` does not fold it into the views, it recovers it. */
import { copyFileSync, existsSync, mkdirSync } from "node:fs";
import path from "node:path";
import { DatabaseSync } from "node:sqlite";
import { expect, onTestFinished, test } from "vitest";
import { openProject, systemPaths } from "../../src/kernel/index.ts";
import { privateOf, script, scriptedProject } from "../support/scripted-project.ts";

const signal = new AbortController().signal;

test.each([true, false])("V12: rebuild verifies first and recovers an event that was changed (a backup has it: %s)", async (backup) => {
  const project = scriptedProject({ "a.txt": "one\n" }, script([{ name: "ask_user", input: { question: "and now?" } }]));
  const first = await project.open();
  const words = { goal: "make a file", type: "implement_feature", role: "engineer", criteria: [], constraints: [], checks: [] };
  const id = await first.tasks.start({ ...words, discoverChecks: false, model: project.rules, profile: "minimal", maxSteps: undefined });
  await first.tasks.run(id, () => undefined, signal);
  await first.close();
  const file = path.join(privateOf(project), "sylk.db");
  if (backup) {
    const { backups } = openProject(project.dir, systemPaths.dirs({ env: project.env, platform: process.platform }));
    mkdirSync(backups, { recursive: true });
    copyFileSync(file, path.join(backups, "journal_20260101_000000_periodic.db"));
  }
  const db = new DatabaseSync(file);
  for (const { sql } of db.prepare("SELECT 'DROP TRIGGER ' || name AS sql FROM sqlite_master WHERE type = 'trigger'").all())
    db.exec(String(sql));
  db.exec("UPDATE events SET payload = replace(payload, 'make a file', 'Make a file') WHERE type = 'task.created'");
  const events = Number(db.prepare("SELECT count(*) AS n FROM events").get()?.["n"]);
  db.close();
  const app = await project.open();
  onTestFinished(() => app.close());
  const report = await app.api.send({ type: "journal.rebuild" });
  expect(report).toMatchObject({ kind: "salvaged", missing: 0 });
  expect((await app.journal.verify()).valid).toBe(true);
  if (report.kind !== "salvaged") return;
  expect(existsSync(report.damaged_file)).toBe(true);
  expect(report.set_aside === 0).toBe(backup);
  expect(report.kept + report.set_aside).toBe(events);
  expect((await app.tasks.list()).map(({ goal }) => goal)).toEqual(backup ? ["make a file"] : []);
});
