import path from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { ManualClock } from "../../../test/support/manual-clock.ts";
import { tempDir } from "../../../test/support/temp.ts";
import { type Journal, sqliteDriver } from "../../journal/index.ts";
import { checkMistakes, listMistakes, mistakeView, reportMistake, retireMistake } from "./mistakes.ts";
import { learn, type Implicit } from "./learn-preference.ts";
import { preferenceStream, preferenceView, readPreferences, resolvePreference } from "./preferences.ts";
import { EVENTS, USER, agentActor } from "../../protocol/events/index.ts";

async function journal(): Promise<Journal> {
  const store = await sqliteDriver.open({
    path: path.join(tempDir(), "sylk.db"),
    clock: new ManualClock(),
    durability: "process",
    views: [mistakeView, preferenceView],
  });
  onTestFinished(() => store.close());
  return store.journal;
}

test("EFF-061: confidence rises by 0.1 to 1, falls by 0.2, and nothing is left at 0", () => {
  let now: Implicit | undefined;
  const step = (value: string, response: "accepted" | "rejected"): number | undefined =>
    (now = learn(now, value, response, "e", 1))?.confidence;
  expect([step("a", "rejected"), step("a", "accepted"), step("a", "accepted"), step("b", "rejected"), step("a", "rejected")]).toEqual([
    undefined,
    0.6,
    0.7,
    0.7,
    0.5,
  ]);
  expect([1, 2, 3, 4, 5, 6].map(() => step("a", "accepted"))).toEqual([0.6, 0.7, 0.8, 0.9, 1, 1]);
  expect(step("b", "accepted")).toBe(0.8);
  expect(now?.value).toBe("a");
  expect([step("b", "accepted"), step("b", "accepted")]).toEqual([0.6, 0.6]);
  expect(now).toMatchObject({ value: "b", evidence: ["e"] });
  expect([step("b", "rejected"), step("b", "rejected"), step("b", "rejected")]).toEqual([0.4, 0.2, undefined]);
  for (let i = 0; i < 30; i += 1) step("c", "accepted");
  expect(now?.evidence).toHaveLength(20);
});

test("EFF-060 EFF-063: a session's override beats what was said, which beats what was observed; all of it can be forgotten", async () => {
  const log = await journal();
  const add = (event: Parameters<Journal["append"]>[2][number]) => log.append(preferenceStream, "any", [event]);
  const actor = { actor: USER };
  await add(EVENTS.preference.observed.create({ key: "ui.theme", suggestion: "dark", response: "accepted", evidence: "e" }, actor));
  expect(resolvePreference(await readPreferences(log), "ui.theme")).toBe("dark");
  await add(EVENTS.preference.set.create({ key: "ui.theme", value: "light" }, actor));
  const now = await readPreferences(log);
  expect(resolvePreference(now, "ui.theme")).toBe("light");
  expect(resolvePreference(now, "ui.theme", { "ui.theme": "high contrast" })).toBe("high contrast");
  await add(EVENTS.preference.forgotten.create({ key: "ui.theme" }, actor));
  expect(await readPreferences(log)).toEqual({ explicit: {}, implicit: {} });
});

test("~EFF-040 EFF-041 EFF-042 EFF-043: a mistake is recorded at 0.7, counted when seen again up to 0.95, found by approach, and can be retired", async () => {
  const log = await journal();
  const report = {
    pattern: "mocking the database driver in tests",
    error: "tests pass and production breaks",
    fix: "use a real database in a temp folder",
  };
  expect(await checkMistakes(log, "mocking the database")).toEqual({ known_issues: false });
  const { id, merged } = await reportMistake(log, report, { actor: agentActor("tester") }, 1);
  expect(merged).toBe(false);
  expect(await listMistakes(log)).toMatchObject([{ confidence: 0.7, occurrences: 1 }]);
  expect(
    await reportMistake(log, { ...report, pattern: "Mocking the database driver in tests!" }, { actor: agentActor("tester") }, 2),
  ).toEqual({
    recorded: true,
    id,
    merged: true,
  });
  expect(await listMistakes(log)).toMatchObject([{ confidence: 0.75, occurrences: 2 }]);
  for (let i = 0; i < 8; i += 1) await reportMistake(log, report, { actor: agentActor("tester") }, 3);
  expect(await listMistakes(log)).toMatchObject([{ confidence: 0.95, occurrences: 10 }]);
  await reportMistake(
    log,
    { pattern: "retrying without a deadline", error: "hangs", fix: "pass a signal" },
    { actor: agentActor("tester") },
    4,
  );
  const found = await checkMistakes(log, "I will try mocking the database in these tests");
  expect(found).toMatchObject({ known_issues: true, warnings: [{ fix: report.fix, occurrences: 10 }] });
  expect(await retireMistake(log, id, "wrong", USER)).toBe(true);
  expect(await retireMistake(log, id, "wrong", USER)).toBe(false);
  expect(await checkMistakes(log, "mocking the database driver")).toEqual({ known_issues: false });
});
