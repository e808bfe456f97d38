/** `kept-mode.test.ts` goes on here with what takes longer. */
import { expect, test } from "vitest";
import { FILES, sylkIn, added, resting, openOf } from "./kept-mode.ts";

test(
  "a no stands when the task goes on, in whatever mode: not done, not asked again, the words are told",
  { timeout: 240_000 },
  async () => {
    for (const mode of [[], ["--permission-mode", "default"], ["--permission-mode", "auto"], ["--permission-mode", "bypass"]]) {
      const { project, id } = await resting();
      const sylk = sylkIn(project);
      expect((await sylk("answer", id, "deny", "not so")).code).toBe(0);
      expect((await sylk(...mode, "task", "resume")).code).not.toBe(0);
      expect(added(project)).toBe(FILES["add.mjs"]);
      expect((await openOf(project)).filter(({ ask }) => ask.kind === "permission")).toEqual([]);
      // The second time is the same act: refused as well, with the same words.
      for (const step of ["3", "4"]) expect((await sylk("task", "context", "last", "--step", step)).out).toContain("saying: not so");
    }
  },
);
