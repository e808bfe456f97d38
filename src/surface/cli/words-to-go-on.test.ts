import { expect, test } from "vitest";
import type { Query } from "../../protocol/api/index.ts";
import type { CliContext } from "./command.ts";
import { wordsMeant } from "./words-to-go-on.ts";

interface There {
  request?: { id: string; status: string; updated_at: number };
  task?: { id: string; status: string; updated_at: number };
}

/** Of the Api, what is asked of it here. */
function cliWith({ request, task }: There): CliContext {
  const one = <T extends { id: string }>(known: T | undefined, id: string): Promise<T> =>
    known !== undefined && (id === "last" || known.id.endsWith(id)) ? Promise.resolve(known) : Promise.reject(new Error("not found"));
  const query = (asked: Query): Promise<unknown> => {
    switch (asked.type) {
      case "request.list":
        return Promise.resolve(request === undefined ? [] : [request]);
      case "request.resolve":
        return one(request, asked.id);
      case "task.resolve":
      case "task.show":
        return one(task, asked.id);
      default:
        return Promise.reject(new Error(asked.type));
    }
  };
  return { query } as unknown as CliContext;
}

const at = (id: string, status: string, when: number, session = "default") => ({ id, status, updated_at: when, session });
const RESUME = ["task", "resume", "last"];

test.each<[string, There, string[]]>([
  ["nothing is there", {}, RESUME],
  ["only a task", { task: at("t1", "paused", 1) }, RESUME],
  ["a request that has not ended", { request: at("r1", "building", 1) }, ["session", "continue", "r1"]],
  ["a request that is newer than the task", { request: at("r1", "paused", 2), task: at("t1", "paused", 1) }, ["session", "continue", "r1"]],
  ["a task that is newer than the request", { request: at("r1", "paused", 1), task: at("t1", "paused", 2) }, RESUME],
  [
    "a newer task that is the request's own",
    { request: at("r1", "paused", 1), task: at("t1", "paused", 2, "req_1") },
    ["session", "continue", "r1"],
  ],
  ["a newer task that has ended", { request: at("r1", "paused", 1), task: at("t1", "complete", 2) }, ["session", "continue", "r1"]],
  ["a newer task that was given up", { request: at("r1", "paused", 1), task: at("t1", "cancelled", 2) }, ["session", "continue", "r1"]],
  ...["done", "answered", "not_shown", "rejected", "cancelled", "failed", "undone"].map((status): [string, There, string[]] => [
    `a request that is over: ${status}`,
    { request: at("r1", status, 2), task: at("t1", "paused", 1) },
    RESUME,
  ]),
])("/resume: %s", async (_what, there, words) => {
  expect(await wordsMeant(cliWith(there), RESUME)).toEqual(words);
});

test("an id tells whose words they are; other words stay as they are", async () => {
  const cli = cliWith({ request: at("req_aa11", "building", 1), task: at("task_bb22", "paused", 1) });
  const meant = (...words: string[]): Promise<string[]> => wordsMeant(cli, words);
  expect(await meant("task", "resume", "aa11")).toEqual(["session", "resume", "aa11"]);
  expect(await meant("task", "undo", "aa11", "--force")).toEqual(["session", "undo", "aa11", "--force"]);
  expect(await meant("task", "resume", "bb22")).toEqual(["task", "resume", "bb22"]);
  expect(await meant("task", "undo", "cc33")).toEqual(["task", "undo", "cc33"]);
  expect(await meant("task", "undo", "last")).toEqual(["task", "undo", "last"]);
  expect(await meant("task", "resume", "last", "--answer", "so")).toEqual(["task", "resume", "last", "--answer", "so"]);
  expect(await meant("task", "diff", "aa11")).toEqual(["task", "diff", "aa11"]);
});
