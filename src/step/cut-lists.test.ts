/** Compilers that stop after so many errors: what comes to light later is not called new, and what is out of sight not gone. */
import path from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { leftOut, notInstalled } from "../../test/support/installed.ts";
import { tempDir } from "../../test/support/temp.ts";
import { tempWorkspace } from "../../test/support/temp-workspace.ts";
import { sqliteDriver } from "../journal/index.ts";
import { systemClock } from "../kernel/index.ts";
import { targetState } from "./problems.ts";
import { runChecks } from "./run-checks.ts";
import { startOf } from "./start-of-task.ts";
import type { CheckResult } from "./task-facts.ts";
import { standingOf } from "./verdict/standing.ts";

const never = new AbortController().signal;
const source = (from: number): string =>
  `package x\n${Array.from({ length: 14 }, (_, i) => `func F${i}() int { return ${i < from ? i : `missing_${"abcdefghijklmn"[i] ?? ""}`} }\n`).join("")}`;
const FILES = { "go.mod": "module x\n\ngo 1.19\n", "a_test.go": 'package x\nimport "testing"\nfunc TestA(t *testing.T) {}\n' };

/** What a command says of the project with so many of its errors mended. */
async function checked(command: string, mended: number): Promise<CheckResult[]> {
  const t = tempWorkspace({ ...FILES, "a.go": source(mended) });
  const store = await sqliteDriver.open({ path: path.join(tempDir(), "sylk.db"), clock: systemClock, durability: "process", views: [] });
  onTestFinished(async () => {
    t[Symbol.dispose]();
    await store.close();
  });
  return runChecks({ workspace: t.workspace, blobs: store.blobs, checks: [{ name: "go", command }], signal: never });
}

const NOBODY = { created: {} };
const noGo = notInstalled(["go"]);

test.skipIf(noGo !== "")(
  `Go's compiler is asked for all errors of a check: of fourteen, twelve stay the same and none is new when two are mended${leftOut(noGo)}`,
  async () => {
    const [before, after] = [await checked("go test ./...", 0), await checked("go test ./...", 2)];
    expect([before, after].map(([check]) => check?.problems?.filter(({ test }) => test !== true).length)).toEqual([14, 12]);
    const { old, fresh } = standingOf(after, { atStart: startOf(undefined, before), ...NOBODY });
    expect([old.filter(({ test }) => test !== true).length, fresh]).toEqual([12, []]);
  },
);

test.skipIf(noGo !== "")(`a list that its tool cuts, as go vet does, makes nothing new and nothing gone${leftOut(noGo)}`, async () => {
  const [before, after, more] = [
    await checked("go vet ./...", 0),
    await checked("go vet ./...", 1),
    await checked("cat a_test.go; exit 1", 0),
  ];
  expect([before[0]?.cut, after[0]?.cut, more[0]?.cut]).toEqual([true, true, undefined]);
  const start = startOf(undefined, before);
  expect(standingOf(after, { atStart: start, ...NOBODY }).fresh).toEqual([]);
  expect(targetState("a.go", start, after).kind).toBe("there");
});
