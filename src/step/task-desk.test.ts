import { expect, test } from "vitest";
import { DEFAULT_SESSION } from "../protocol/events/index.ts";
import { createTaskApi, type TaskApiParts } from "./task-desk.ts";

interface Row {
  readonly id: string;
  readonly session?: string;
  readonly merged?: object;
}

/** A journal of these tasks, the newest first, that notes how much it was asked for. */
function tasksOf(rows: readonly Row[]) {
  const asked: unknown[] = [];
  const journal = {
    head: async (stream: string) => (rows.some(({ id }) => stream === `task/${id}`) ? 4 : 0),
    keys: async () => rows.map(({ id }) => `task/${id}`),
    list: async (_view: unknown, { limit = rows.length }: { limit?: number }) => {
      asked.push(limit);
      return rows
        .slice(0, limit)
        .map(({ id, session = DEFAULT_SESSION, merged }) => ({ key: `task/${id}`, state: { created: { id, session }, merged } }));
    },
  };
  const parts = { existing: async () => ({ journal }), project: { tasks: "" } };
  return { tasks: createTaskApi(parts as unknown as TaskApiParts), asked };
}

test("the newest task and one by its id, or a part of that, are found without folding the others", async () => {
  const { tasks, asked } = tasksOf([{ id: "t3" }, { id: "t2" }, { id: "t1" }]);
  expect(await tasks.resolve("last")).toBe("t3");
  expect(await tasks.resolve("t1")).toBe("t1");
  expect(await tasks.resolve("2")).toBe("t2");
  await expect(tasks.resolve("t")).rejects.toMatchObject({ code: "TASK_NOT_FOUND", message: "t could be 3 tasks" });
  expect(asked).toEqual([1]);
});

test.each([
  ["what the newest request merged", [{ id: "t3", session: "s1" }, { id: "t2", session: "s1", merged: {} }, { id: "t1" }], "t2"],
  ["not what an older request merged", [{ id: "t3", session: "s2" }, { id: "t2", session: "s1", merged: {} }, { id: "t1" }], "t1"],
  ["what the user started, where the newest request merged nothing", [{ id: "t3", session: "s1" }, { id: "t2" }, { id: "t1" }], "t2"],
  [
    "the newest, where there is nothing else",
    [
      { id: "t3", session: "s1" },
      { id: "t2", session: "s1" },
    ],
    "t3",
  ],
])("`last` is %s", async (_what, rows: readonly Row[], id) => {
  expect(await tasksOf(rows).tasks.resolve("last")).toBe(id);
});

test("`last` says what starts a task where there is none", async () => {
  await expect(tasksOf([]).tasks.resolve("last")).rejects.toMatchObject({ code: "TASK_NOT_FOUND", message: "there is no task here yet" });
});
