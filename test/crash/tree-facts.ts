/** What `tree-facts.test.ts` and its long form share. */
import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import { expect } from "vitest";
import { openApp, type App } from "../support/lab.ts";
import { type Store, sqliteDriver } from "../../src/journal/index.ts";
import { systemClock } from "../../src/kernel/index.ts";
import { privateOf, script, scriptedProject, type ScriptedProject } from "../support/scripted-project.ts";
import { startInTree } from "./run-life.ts";

export const signal = new AbortController().signal;

export const FILES = { "a.txt": "one\n", "b.txt": "two\n" };

export function project(): ScriptedProject {
  return scriptedProject(
    FILES,
    script([
      {
        name: "multi_edit",
        input: {
          edits: [
            { path: "a.txt", find: "one", replace: "ONE" },
            { path: "b.txt", find: "two", replace: "TWO" },
          ],
        },
      },
      { name: "complete", input: { summary: "louder" } },
    ]),
  );
}

/** An app whose appends of one type fail, before or after they are written. */
export function cutAt(from: ScriptedProject, type: string, when: "before" | "after"): Promise<App> {
  const around = (store: Store): Store => ({
    ...store,
    journal: {
      ...store.journal,
      append: async (stream, seq, events, fence) => {
        const hit = events.some((event) => event.type === type);
        if (hit && when === "before") throw new Error("cut off");
        const written = await store.journal.append(stream, seq, events, fence);
        if (hit) throw new Error("cut off");
        return written;
      },
    },
  });
  return openApp({
    cwd: from.dir,
    env: from.env,
    clock: systemClock,
    driver: { ...sqliteDriver, open: async (options) => around(await sqliteDriver.open(options)) },
  });
}

export async function finished(from: ScriptedProject): Promise<string> {
  const app = await from.open();
  const id = await startInTree(app, from.rules);
  expect((await app.tasks.run(id, () => undefined, signal)).status).toBe("complete");
  await app.close();
  return id;
}

export async function factsOf(from: ScriptedProject, id: string): Promise<string[]> {
  await using store = await sqliteDriver.open({ path: path.join(privateOf(from), "sylk.db"), clock: systemClock });
  const types = (await store.journal.read(`task/${id}`)).map((event) => event.type);
  return types.filter((type) => type.startsWith("tree.") || type.startsWith("task.merge"));
}

export const textOf = (from: ScriptedProject, name: string): string => readFileSync(path.join(from.dir, name), "utf8");

export const MERGE_CUTS = [
  ["task.merge_intended", "before", "merged"],
  ["task.merge_intended", "after", "merged"],
  ["task.merged", "before", "merged"],
  ["task.merged", "after", "already_merged"],
  ["tree.discarded", "before", "already_merged"],
  ["tree.discarded", "after", "already_merged"],
] as const;

export async function endsCutMerge(type: string, when: "before" | "after", outcome: string): Promise<void> {
  const from = project();
  const id = await finished(from);
  const cut = await cutAt(from, type, when);
  await expect(cut.trees.merge(id, undefined, signal)).rejects.toThrow("cut off");
  await cut.close();
  const app = await from.open();
  const again = await app.trees.merge(id, undefined, signal);
  expect(again).toMatchObject({ kind: outcome, files: [{ path: "a.txt" }, { path: "b.txt" }] });
  expect(await app.trees.merge(id, undefined, signal)).toMatchObject({ kind: "already_merged" });
  expect(await app.tasks.show(id)).toMatchObject({ tree: "merged", merged_files: ["a.txt", "b.txt"] });
  await app.close();
  expect([textOf(from, "a.txt"), textOf(from, "b.txt")]).toEqual(["ONE\n", "TWO\n"]);
  const facts = await factsOf(from, id);
  expect(facts.filter((fact) => fact === "task.merged")).toHaveLength(1);
  expect(facts.at(0)).toBe("tree.created");
  expect(facts.slice(-2)).toEqual(["task.merged", "tree.discarded"]);
  expect(existsSync(path.join(from.dir, ".git/worktrees"))).toBe(false);
}
