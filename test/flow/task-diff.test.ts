/** `task diff` is what the task changed, as the journal tells, whatever happened to the file since. */
import { appendFileSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { script, scriptedProject } from "../support/scripted-project.ts";

const signal = new AbortController().signal;

const WANTED = `--- a/a.txt
+++ b/a.txt
@@ -1,2 +1,2 @@
-one
+ONE
 two`;

test.each([false, true])(
  "D10: a diff is the task's own, also after the file was changed, set back or removed (own tree: %s)",
  async (worktree) => {
    const project = scriptedProject(
      { "a.txt": "one\ntwo\n" },
      script([
        { name: "edit_file", input: { path: "a.txt", find: "one", replace: "once" } },
        { name: "edit_file", input: { path: "a.txt", find: "once", replace: "ONE" } },
        { name: "complete", input: { summary: "louder" } },
      ]),
    );
    const app = await project.open();
    onTestFinished(() => app.close());
    const words = { goal: "louder", type: "implement_feature", role: "engineer", criteria: [], constraints: [], checks: ["true"] };
    const id = await app.tasks.start({ ...words, model: project.rules, profile: "minimal", maxSteps: undefined, worktree });
    expect((await app.tasks.run(id, () => undefined, signal)).status).toBe("complete");
    if (worktree) await app.trees.merge(id, undefined, signal);
    const file = path.join(project.dir, "a.txt");
    for (const change of [() => appendFileSync(file, "mine\n"), () => writeFileSync(file, "one\ntwo\n"), () => rmSync(file)]) {
      change();
      expect(await app.changes.diff(id, signal)).toEqual({ text: WANTED, truncated: false });
    }
  },
);
