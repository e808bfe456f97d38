import { expect, test } from "vitest";
import { isRead } from "./what-was-read.ts";

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
