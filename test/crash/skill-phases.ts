/** What `skill-phases.test.ts` and its long form share. */
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { expect } from "vitest";
import { openApp } from "../support/lab.ts";
import { systemClock } from "../../src/kernel/index.ts";
import { privateOf } from "../support/scripted-project.ts";
import { tempDir } from "../support/temp.ts";

const CHILD = path.join(import.meta.dirname, "skill-child.ts");

const WISH = "review SQL migrations for locking problems";

const NAME = "sql-migrations-locking-review";

const play = (dir: string, wish: string, point: string) =>
  spawnSync(process.execPath, [CHILD, path.join(dir, "project"), dir, wish, point], { encoding: "utf8" });

function skillTexts(dir: string): string[] {
  return [".claude", ".gemini"].map((cli) => {
    const file = path.join(dir, "project", cli, "skills", NAME, "SKILL.md");
    return existsSync(file) ? (readFileSync(file, "utf8") === "mine\n" ? "mine" : "new") : "none";
  });
}

export async function isWholeOrNothing(point: string): Promise<void> {
  const dir = tempDir("sylk-forge");
  mkdirSync(path.join(dir, "project/.claude/skills", NAME), { recursive: true });
  writeFileSync(path.join(dir, "project/.claude/skills", NAME, "SKILL.md"), "mine\n");
  const killed = play(dir, WISH, point);
  expect({ signal: killed.signal, err: killed.stderr }).toEqual({ signal: "SIGKILL", err: "" });

  // Whoever looks next sees nothing half done.
  const app = await openApp({
    cwd: path.join(dir, "project"),
    env: { PATH: "", HOME: dir, SYLK_HOME: path.join(dir, "sylk") },
    clock: systemClock,
  });
  const { skills, undone } = await app.skills.list(new AbortController().signal);
  await app.close();
  const after = point === "persist" || point === "report";
  expect(skillTexts(dir)).toEqual(after ? ["new", "new"] : ["mine", "none"]);
  expect(skills).toHaveLength(after ? 1 : 0);
  expect(undone).toEqual(point.startsWith("placed:") ? [NAME] : []);

  const resumed = play(dir, "", "none");
  expect({ out: resumed.stdout, err: resumed.stderr }).toEqual({ out: "installed", err: "" });
  expect(skillTexts(dir)).toEqual(["new", "new"]);
  expect(readdirSync(path.join(dir, "project/.claude/skills"))).toEqual([NAME]);
  expect(
    readdirSync(path.join(privateOf({ dir: path.join(dir, "project"), env: { SYLK_HOME: path.join(dir, "sylk") } }), "backups")).length,
  ).toBeGreaterThan(0);
}
