/** Kills a merge, the making of a work tree and a skill at places between their appends; the next process must end them, once. */
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { expect } from "vitest";
import { sqliteDriver } from "../../src/journal/index.ts";
import { systemClock } from "../../src/kernel/index.ts";
import type { SkillConduct } from "../../src/forge/index.ts";
import { gitIn } from "../support/knowledge-project.ts";
import { filesOf, privateOf, script, scriptedProject, type ScriptedProject } from "../support/scripted-project.ts";
import { atPlaces, liveOut, NEVER, startInTree, type Point } from "./run-life.ts";

const signal = new AbortController().signal;
type Chosen = (place: number) => boolean;

const FILES = { "a.txt": "one\n", "b.txt": "two\n", "gone.txt": "three\n" };
const MERGED = { "a.txt": "ONE\n", "b.txt": "TWO\n" };

function project(): ScriptedProject {
  const louder = (name: string, find: string): unknown => ({ path: name, find, replace: find.toUpperCase() });
  return scriptedProject(
    FILES,
    script([
      { name: "multi_edit", input: { edits: [louder("a.txt", "one"), louder("b.txt", "two")] } },
      { name: "delete_file", input: { path: "gone.txt" } },
      { name: "complete", input: { summary: "louder" } },
    ]),
  );
}

async function facts(from: ScriptedProject, prefix: string): Promise<string[]> {
  await using store = await sqliteDriver.open({ path: path.join(privateOf(from), "sylk.db"), clock: systemClock });
  expect(await store.admin.verify()).toMatchObject({ valid: true });
  const events = await store.journal.readAll({ after: 0, limit: 10_000, filter: { stream: prefix } });
  return events.map((event) => event.type);
}

const treesOf = ({ dir }: ScriptedProject): { trees: number; branches: number; bases: number } => ({
  trees: (gitIn(dir, "worktree", "list", "--porcelain").match(/^branch refs\/heads\/sylk\//gmu) ?? []).length,
  branches: (gitIn(dir, "branch", "--list", "sylk/*").match(/sylk\//gu) ?? []).length,
  bases: (gitIn(dir, "for-each-ref", "refs/sylk/base").match(/refs/gu) ?? []).length,
});

export async function killMerges(isChosen: Chosen): Promise<number> {
  const merge = async (point: Point) => {
    const from = project();
    const app = await from.open();
    const id = await startInTree(app, from.rules);
    expect((await app.tasks.run(id, () => undefined, signal)).status).toBe("complete");
    await app.close();
    return { from, id, life: await liveOut(from, { do: "merge", id, streams: ["task/"] }, point) };
  };
  const straight = await merge(NEVER);
  expect(straight.life.outcome).toMatchObject({ kind: "merged" });
  return atPlaces(straight.life.appends, isChosen, async (point) => {
    const { from, id, life } = await merge(point);
    expect(life.killed).toBe(true);
    const app = await from.open();
    const again = await app.trees.merge(id, undefined, signal);
    expect(["merged", "already_merged"]).toContain(again.kind);
    expect(await app.trees.merge(id, undefined, signal)).toMatchObject({ kind: "already_merged" });
    await app.close();
    const told = await facts(from, "task/");
    expect({ point, files: filesOf(from.dir), merged: told.filter((type) => type === "task.merged").length, last: told.at(-1) }).toEqual({
      point,
      files: MERGED,
      merged: 1,
      last: "tree.discarded",
    });
    expect(treesOf(from)).toEqual({ trees: 0, branches: 0, bases: 0 });
  });
}

export async function killTrees(isChosen: Chosen): Promise<number> {
  const start = async (point: Point) => {
    const from = project();
    await (await from.open()).close();
    return { from, life: await liveOut(from, { do: "tree", rules: from.rules, streams: ["tree/", "task/"] }, point) };
  };
  const straight = await start(NEVER);
  expect(treesOf(straight.from)).toEqual({ trees: 1, branches: 1, bases: 1 });
  return atPlaces(straight.life.appends, isChosen, async (point) => {
    const { from, life } = await start(point);
    expect(life.killed).toBe(true);
    const app = await from.open();
    const id = await startInTree(app, from.rules);
    expect((await app.tasks.run(id, () => undefined, signal)).status).toBe("complete");
    // One for each task that came to be, and nothing of the one that was killed on the way.
    const tasks = (await app.tasks.list()).length;
    expect({ point, ...treesOf(from) }).toEqual({ point, trees: tasks, branches: tasks, bases: tasks });
    await app.close();
    expect(filesOf(from.dir)).toEqual(FILES);
  });
}

const WISH = "review SQL migrations for locking problems";
const NAME = "sql-migrations-locking-review";
const CONDUCT: SkillConduct = { approve: true, onCollision: "overwrite" };

export async function killSkills(isChosen: Chosen): Promise<number> {
  const mine = `.claude/skills/${NAME}`;
  const create = async (point: Point) => {
    const from = scriptedProject({ [`${mine}/SKILL.md`]: "mine\n", [`${mine}/extra.md`]: "mine too\n" }, script([]));
    mkdirSync(path.join(from.base, "home"), { recursive: true });
    writeFileSync(path.join(from.base, "home/.keep"), "");
    return { from, life: await liveOut(from, { do: "skill", wish: WISH, streams: ["ring/", "skill/"] }, point) };
  };
  const straight = await create(NEVER);
  const expected = filesOf(straight.from.dir);
  expect(Object.keys(expected).toSorted()).toEqual([`${mine}/SKILL.md`, `.gemini/skills/${NAME}/SKILL.md`]);
  return atPlaces(straight.life.appends, isChosen, async (point) => {
    const { from, life } = await create(point);
    expect(life.killed).toBe(true);
    const app = await from.open();
    const { skills } = await app.skills.list(signal);
    const whole = skills.length === 1;
    // Whoever looks next sees all of it or nothing of it.
    expect({ point, mine: filesOf(from.dir)[`${mine}/extra.md`], gemini: existsSync(path.join(from.dir, ".gemini/skills", NAME)) }).toEqual(
      {
        point,
        mine: whole ? undefined : "mine too\n",
        gemini: whole,
      },
    );
    const open = await app.skills.open();
    if (open.length > 0) await app.skills.resume(undefined, { dryRun: false }, CONDUCT, signal);
    else if (!whole) {
      const options = { targets: ["claude", "gemini"], template: "base", model: undefined, global: false, dryRun: false };
      await app.skills.create(WISH, options, CONDUCT, signal);
    }
    await app.close();
    expect({ point, files: filesOf(from.dir) }).toEqual({ point, files: expected });
    expect((await facts(from, "skill/")).filter((type) => type === "skill.installed")).toHaveLength(1);
  });
}
