/** What an agent writes takes the project's form as part of the change: intended, recorded and taken back as it stands on the disk. */
import { readFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { sqliteDriver } from "../../src/journal/index.ts";
import { sha256, systemClock } from "../../src/kernel/index.ts";
import { NO_SANDBOX } from "../support/sandboxed.ts";
import { privateOf, script, scriptedProject } from "../support/scripted-project.ts";

const never = new AbortController().signal;

test.skipIf(NO_SANDBOX !== undefined)(
  "~FMT-026: the intent, the record and the disk agree on the formatted text, and undo takes all of it back",
  async () => {
    const files = { ".oxfmtrc.json": "{}", "a.js": "export const a = 1;\n", "old.js": "export const old=1\nexport const b=2\n" };
    const project = scriptedProject(
      files,
      script([
        { name: "edit_file", input: { path: "a.js", find: "a = 1;", replace: "a   =   {b:1}" } },
        { name: "edit_file", input: { path: "old.js", find: "old=1", replace: "old=3" } },
        { name: "ask_user", input: { question: "enough?" } },
      ]),
    );
    const app = await project.open();
    const common = {
      goal: "work",
      criteria: [],
      constraints: [],
      checks: [],
      model: project.rules,
      profile: "minimal",
      maxSteps: undefined,
    };
    const id = await app.tasks.start({ ...common, type: "implement_feature", role: "engineer", discoverChecks: false });
    const end = await app.tasks.run(id, () => undefined, never);
    const text = (file: string): string => readFileSync(path.join(project.dir, file), "utf8");
    expect(text("a.js")).toBe("export const a = { b: 1 };\n");
    expect(end.steps[0]?.actions.join()).toContain("formatted by oxfmt");
    expect((await app.tasks.context(id, 2)).user).toContain("export const a = { b: 1 };");
    expect(text("old.js")).toBe("export const old=3\nexport const b=2\n");
    await app.changes.undo(id, { dryRun: false, force: false, signal: never });
    expect(text("a.js")).toBe(files["a.js"]);
    await app.close();
    await using store = await sqliteDriver.open({ path: path.join(privateOf(project), "sylk.db"), clock: systemClock });
    const events = await store.journal.read(`task/${id}`);
    const after = (type: string): unknown[] =>
      events
        .filter((event) => event.type === type)
        .flatMap((event) => (event.payload as { files: { after: string }[] }).files.map((file) => file.after));
    const wanted = ["export const a = { b: 1 };\n", "export const old=3\nexport const b=2\n"].map((one) => sha256(one));
    expect(after("task.intended")).toEqual(wanted);
    expect(after("task.acted")).toEqual(wanted);
  },
);
