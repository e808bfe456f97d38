import path from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { FLOW_VIEWS } from "../../test/support/flow-hands.ts";
import { tempDir } from "../../test/support/temp.ts";
import { sqliteDriver } from "../journal/sqlite-driver.ts";
import { systemClock } from "../kernel/index.ts";
import { EVENTS, STREAMS, SYSTEM } from "../protocol/events/index.ts";
import { INPUT } from "./brief.ts";
import type { FlowParts } from "./parts.ts";
import { isAsRead, isRead, readBy } from "./what-was-read.ts";

const change = (oldBlob: string, newBlob: string, newMode = "100644") =>
  ({ path: "a.js", status: "modified", oldMode: "100644", newMode, oldBlob, newBlob }) as never;
const step = (was: string | undefined, is: string, path = "a.js") => ({
  path,
  ...(was === undefined ? {} : { was: `100644 ${was}` }),
  is: `100644 ${is}`,
});

test.each<[string, ReturnType<typeof step>[], boolean]>([
  ["nothing was read", [], false],
  ["the very change was", [step("0", "2")], true],
  ["two changes were, one after the other", [step("1", "2"), step("0", "1")], true],
  ["only the later of two changes was", [step("1", "2")], false],
  ["only what stood there before was", [step("0", "1")], false],
  ["all of it was, as it stands", [step(undefined, "2")], true],
  ["all of it was before the last change, and that one", [step(undefined, "1"), step("1", "2")], true],
  ["the same contents were at another place", [step("0", "2", "b.lock")], false],
  ["what was read goes round in a circle", [step("1", "2"), step("2", "1")], false],
])("whether a file counts as read where %s", (_what, read, is) => {
  expect(isRead(change("0", "2"), read)).toBe(is);
});

test("what may be run from now on is not what was read", () => {
  expect(isRead(change("0", "2", "100755"), [step("0", "2")])).toBe(false);
});

test("what was read at its place in another form is not what stands there", () => {
  expect([isAsRead(change("0", "2"), [step("0", "1")]), isAsRead(change("0", "2"), [step("1", "2")])]).toEqual([false, true]);
});

interface Shown {
  text: string;
  action?: string;
  ok?: boolean;
  path?: string;
}

/** A reviewer that was given a change and looked at parts of a file of two lines itself; which files it read. */
async function readWith({ given, input = given, looks = [], status = "modified" }: Reviewer): Promise<string[]> {
  const BY = { actor: SYSTEM.engine };
  const store = await sqliteDriver.open({
    path: path.join(tempDir("read"), "sylk.db"),
    clock: systemClock,
    durability: "process",
    views: FLOW_VIEWS,
  });
  onTestFinished(() => store.close());
  const place = { kind: "project" as const, folder: "." };
  const rest = { criteria: [], constraints: [], checks: [], rules: [], overview: "", max_steps: null, phase: "", place };
  const who = { id: "task_1", session: "", goal: "", type: "review", role: "inspector", model: "none", profile: "default" };
  const events = await Promise.all(
    looks.map(async ({ text, action = "read_file", ok = true, path: at = "a.js" }, index) => {
      const key = `file ${index}`;
      const source = { path: at, from: 1, to: 2, total: 2, hash: "x" };
      const item = { key, kind: "action_result" as const, title: at, content: await store.blobs.put(text), pinned: false, step: 1, source };
      const effects = [{ op: "put" as const, item }];
      return EVENTS.task.acted.create(
        { step: 1, index, action, target: at, ok, outcome: "", summary: "", signature: "", files: [], effects, news: true },
        BY,
      );
    }),
  );
  await store.journal.append(STREAMS.task("task_1"), 0, [
    EVENTS.task.created.create({ ...who, ...rest, inputs: { [INPUT.diff]: input } }, BY),
    ...events,
  ]);
  const one = { ...(change("0", "2") as object), status, text: "", bytes: 9 } as never;
  const other = { ...(change("0", "2") as object), path: "b.js", text: "", bytes: 9 } as never;
  const tree = { content: () => Promise.resolve(Buffer.from("first\nsecond\n")) };
  const read = await readBy({ store } as FlowParts, "task_1", { text: given, whole: [other] }, { changes: [one, other], tree });
  return read.map((file) => [file.path, ...("was" in file ? ["as a change"] : [])].join(" "));
}
interface Reviewer {
  given: string;
  input?: string;
  looks?: Shown[];
  status?: string;
}

test.each<[string, Reviewer, string[]]>([
  ["it was given it whole", { given: "the change" }, ["b.js as a change"]],
  ["it had room for less of it", { given: "the change", input: "the cha" }, []],
  ["it read every line", { given: "x", looks: [{ text: "1│first\n2│second" }] }, ["b.js as a change", "a.js"]],
  ["it read it in parts", { given: "x", looks: [{ text: "2│second" }, { text: "1│first" }] }, ["b.js as a change", "a.js"]],
  ["a line was never read", { given: "x", looks: [{ text: "1│first" }] }, ["b.js as a change"]],
  ["a line was cut", { given: "x", looks: [{ text: "1│first\n2│sec…" }] }, ["b.js as a change"]],
  ["it was not shown", { given: "x", looks: [{ text: "1│first\n2│second", ok: false }] }, ["b.js as a change"]],
  ["it was only found in it", { given: "x", looks: [{ text: "1│first\n2│second", action: "search" }] }, ["b.js as a change"]],
  ["another file was read", { given: "x", looks: [{ text: "1│first\n2│second", path: "c.js" }] }, ["b.js as a change"]],
  ["it is gone", { given: "x", looks: [{ text: "1│first\n2│second" }], status: "deleted" }, ["b.js as a change"]],
])("what a reviewer read where %s", async (_what, reviewer, read) => {
  expect(await readWith(reviewer)).toEqual(read);
});
