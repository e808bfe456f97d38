/**
 * As a person meets it: somebody cut the project's journal and took the anchor away. Every command that would write
 * says so and what helps, looking still works, and going on takes a reason.
 */
import { spawnSync } from "node:child_process";
import { readdirSync, rmSync } from "node:fs";
import path from "node:path";
import { DatabaseSync } from "node:sqlite";
import { expect, test } from "vitest";
import { script, scriptedProject, type ScriptedProject } from "../../support/scripted-project.ts";
import { MAIN } from "../../support/built-command.ts";

function sylk(project: ScriptedProject, ...args: string[]): { code: number | null; out: string; err: string } {
  const done = spawnSync(process.execPath, [MAIN, "-C", project.dir, ...args], {
    env: { ...process.env, ...project.env },
    encoding: "utf8",
  });
  return { code: done.status, out: done.stdout, err: done.stderr };
}

function find(dir: string, name: string): string {
  const entry = readdirSync(dir, { recursive: true, withFileTypes: true }).find((one) => one.isFile() && one.name === name);
  return path.join(entry?.parentPath ?? dir, name);
}

test("M4: verify fails, work is refused with the command that helps, accept goes on and stays visible", () => {
  const rules = script([{ name: "complete", input: { summary: "done" } }]);
  const project = scriptedProject({ "a.txt": "a\n" }, rules);
  const start = ["task", "start", "look around", "-m", project.rules, "--no-checks", "--type", "review"];
  sylk(project, ...start);
  const file = sylk(project, "journal", "path").out.trim();
  const db = new DatabaseSync(file);
  const half = Math.floor((db.prepare("SELECT max(position) AS n FROM events").get() as { n: number }).n / 2);
  expect(half).toBeGreaterThan(1);
  db.exec(`DELETE FROM events WHERE position > ${half}; DELETE FROM signatures WHERE json_extract(statement, '$.to') > ${half};
    DELETE FROM streams WHERE stream <> '' AND stream NOT IN (SELECT stream FROM events);
    UPDATE streams SET seq = (SELECT max(seq) FROM events e WHERE e.stream = streams.stream),
      hash = (SELECT hash FROM events e WHERE e.stream = streams.stream ORDER BY seq DESC LIMIT 1) WHERE stream <> '';
    UPDATE streams SET seq = ${half} WHERE stream = ''; DELETE FROM view_rows; UPDATE views SET position = 0`);
  db.close();
  rmSync(find(project.base, "anchor.json"));

  const verified = sylk(project, "journal", "verify");
  expect(verified.code).toBe(1);
  expect(verified.out).toContain("anchor_missing");
  expect(verified.out).toContain("sylk journal accept --reason");
  const refused = sylk(project, ...start);
  expect(refused.code).not.toBe(0);
  expect(refused.err).toContain("nothing is written to");
  expect(refused.err).toContain("sylk journal accept --reason");
  expect(sylk(project, "journal", "accept", "--reason", " ").code).toBe(2);
  expect(sylk(project, "journal", "accept", "--reason", "lost with the old disk")).toMatchObject({ code: 0 });
  expect(sylk(project, ...start).err).not.toContain("nothing is written to");
  const again = sylk(project, "journal", "verify");
  expect(again).toMatchObject({ code: 0, out: expect.stringContaining("lost with the old disk") });
});
