import { expect, test } from "vitest";
import { createTaskApi, type TaskApiParts } from "./task-desk.ts";

/** A journal of tasks `t1` to `t3` that notes how much it was asked for. */
function threeTasks() {
  const asked: unknown[] = [];
  const ids = ["t3", "t2", "t1"];
  const journal = {
    head: async (stream: string) => (ids.includes(stream.slice("task/".length)) ? 4 : 0),
    keys: async () => ids.map((id) => `task/${id}`),
    list: async (_view: unknown, { limit = ids.length }: { limit?: number }) => {
      asked.push(limit);
      return ids.slice(0, limit).map((id) => ({ key: `task/${id}`, state: { created: { id } } }));
    },
  };
  const parts = { existing: async () => ({ journal }), project: { tasks: "" } };
  return { tasks: createTaskApi(parts as unknown as TaskApiParts), asked };
}

test("the newest task and one by its id, or a part of that, are found without folding the others", async () => {
  const { tasks, asked } = threeTasks();
  expect(await tasks.resolve("last")).toBe("t3");
  expect(await tasks.resolve("t1")).toBe("t1");
  expect(await tasks.resolve("2")).toBe("t2");
  await expect(tasks.resolve("t")).rejects.toMatchObject({ code: "TASK_NOT_FOUND", message: "t could be 3 tasks" });
  expect(asked).toEqual([1]);
});
