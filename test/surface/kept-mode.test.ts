/** A task goes on in the permission mode it was begun in, and a no to what it asked stands. */
import { expect, test } from "vitest";
import { FILES, sylkIn, added, resting, openOf } from "./kept-mode.ts";

test(
  "a task begun with ask-edits goes on with it: unanswered it asks the same again, and shows it until then",
  { timeout: 120_000 },
  async () => {
    const { project, id } = await resting();
    const sylk = sylkIn(project);
    expect((await sylk("task", "resume")).code).toBe(4);
    expect(added(project)).toBe(FILES["add.mjs"]);
    expect((await openOf(project)).map((one) => one.id)).toEqual([id]);
    for (const words of [
      ["task", "list"],
      ["task", "show"],
    ])
      expect((await sylk(...words)).out).toContain("modify add.mjs");
    expect((await sylk("answer", id, "once")).code).toBe(0);
    expect((await sylk("task", "resume")).code).toBe(0);
    expect(added(project)).toContain("a + b");
    expect(await openOf(project)).toEqual([]);
  },
);

test(
  "a mode named when it goes on counts, and is the one it then goes on in; what was asked before is over",
  { timeout: 120_000 },
  async () => {
    const { project, id } = await resting();
    const sylk = sylkIn(project);
    expect((await sylk("--permission-mode", "default", "task", "resume")).code).toBe(0);
    expect(added(project)).toContain("a + b");
    expect(await openOf(project)).toEqual([]);
    expect(await sylk("answer", id, "deny")).toMatchObject({
      code: 1,
      err: expect.stringContaining("takes no answer any more: it was withdrawn") as string,
    });
  },
);
