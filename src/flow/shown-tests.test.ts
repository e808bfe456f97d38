/** Which failing test counts for which assertion, where the tests do not even build. What the compilers say is as they said it. */
import path from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { tempWorkspace } from "../../test/support/temp-workspace.ts";
import { tempDir } from "../../test/support/temp.ts";
import { sqliteDriver } from "../journal/sqlite-driver.ts";
import { systemClock } from "../kernel/index.ts";
import type { Plan } from "../protocol/plan/index.ts";
import { runChecks, type TaskState } from "../step/index.ts";
import type { TaskType } from "../step/task-type.ts";
import { isReady } from "../step/verdict/readiness.ts";
import { testsFor } from "./shown-tests.ts";

const go = (line: string): string => `# words [words.test]\n${line}\nFAIL\twords [build failed]\nFAIL\n`;

async function checked(said: string): ReturnType<typeof runChecks> {
  const t = tempWorkspace({ "said.txt": said });
  const store = await sqliteDriver.open({
    path: path.join(tempDir("shown"), "sylk.db"),
    clock: systemClock,
    durability: "process",
    views: [],
  });
  onTestFinished(async () => {
    t[Symbol.dispose]();
    await store.close();
  });
  const checks = [{ name: "check", command: "cat said.txt; exit 1" }];
  return runChecks({ workspace: t.workspace, blobs: store.blobs, checks, signal: new AbortController().signal });
}

/** A task that wrote one file of tests, in a project where nothing failed. */
const wrote = (file: string): TaskState =>
  ({ changedFiles: { [file]: {} }, atStart: { problems: [], failing: [] } }) as unknown as TaskState;
const RED = { verify: "failing_tests" } as TaskType;

test.each([
  ["loud_test.go", go("./loud_test.go:6:5: undefined: Loud"), true],
  ["loud_test.go", go('./loud_test.go:3:8: "os" imported and not used'), false],
  ["loud_test.go", go("./loud_test.go:6:5: syntax error: unexpected newline, expected expression"), false],
  ["test/loud.test.ts", "test/loud.test.ts(3,10): error TS2305: Module '\"../src/loud\"' has no exported member 'loud'.\n", true],
  ["test/loud.test.ts", "test/loud.test.ts(9,3): error TS6133: 'a' is declared but its value is never read.\n", false],
])("PIP-008: tests in %s that do not build fail as wanted only when something is missing: %s", async (file, said, isRed) => {
  expect(isReady(RED, await checked(said), wrote(file))).toBe(isRed);
});

test("PIP-008: where a file of tests does not build, each of its tests fails, and each is named for its assertion", async () => {
  const assertions = ["A1", "A2"].map((id): Plan["assertions"][number] => ({ id, text: "it is so", from: "user", shown_by: "test" }));
  const named = ["A1: loud_test.go > TestLoud", "A2: loud_test.go > TestLouder"];
  const shown = testsFor(assertions, named, await checked(go("./loud_test.go:6:5: undefined: Loud")), []);
  expect(shown.map(({ assertion, test: name }) => `${assertion} ${name}`)).toEqual([
    "A1 loud_test.go > TestLoud",
    "A2 loud_test.go > TestLouder",
  ]);
});

test("a file of tests that its runner cannot load shows its tests by the runner's word, not by a linter's", () => {
  const assertions: Plan["assertions"] = [{ id: "A1", text: "it is so", from: "user", shown_by: "test" }];
  const file = "src/loud/__test__/loud.test.js";
  const problem = { severity: "error" as const, path: file, message: "Cannot find module '../loud'" };
  const check = { command: "x", passed: false, exit: 1, summary: "", signature: "" };
  const lint = { ...check, name: "lint", problems: [{ ...problem, rule: "import/no-unresolved" }] };
  const jest = { ...check, name: "test", problems: [{ ...problem, rule: "Test suite failed to run", test: true }] };
  const named = [`A1: ${file} > loud is loud`];
  const by = (...checks: Parameters<typeof testsFor>[2]): string[] => testsFor(assertions, named, checks, []).map((one) => one.check);
  expect([by(lint, jest), by(jest)]).toEqual([["test"], ["test"]]);
});
