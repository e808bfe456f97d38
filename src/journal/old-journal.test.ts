import { existsSync, mkdirSync, readdirSync, renameSync, symlinkSync, writeFileSync } from "node:fs";
import path from "node:path";
import { DatabaseSync } from "node:sqlite";
import { expect, test } from "vitest";
import { ManualClock } from "../../test/support/manual-clock.ts";
import { tempDir } from "../../test/support/temp.ts";
import { noted } from "../../test/contract/noted-event.ts";
import { sqliteDriver } from "./sqlite-driver.ts";
import { openProject, systemPaths } from "../kernel/index.ts";
import { adoptOldJournal, takeOverOldJournal, type OldJournalParts } from "./old-journal.ts";

interface Place extends OldJournalParts {
  /** The journal in the project's folder. */
  file: string;
  /** Writes events to it, signed with this installation's key, another one's or not at all. */
  write(count: number, signed: "own" | "other" | "none"): Promise<void>;
}

function place(): Place {
  const base = tempDir();
  mkdirSync(path.join(base, "a/.sylk"), { recursive: true });
  const dirs = systemPaths.dirs({ env: { SYLK_HOME: path.join(base, "home") }, platform: process.platform });
  mkdirSync(dirs.config, { recursive: true });
  const file = path.join(base, "a/.sylk/sylk.db");
  const clock = new ManualClock();
  const keys = { own: path.join(dirs.config, "journal-signing-key.pem"), other: path.join(base, "other.pem") };
  return {
    dirs,
    project: openProject(path.join(base, "a"), dirs),
    clock,
    driver: sqliteDriver,
    file,
    async write(count, signed) {
      const signing = signed === "none" ? undefined : { keyFile: keys[signed], anchorFile: path.join(base, "anchor.json"), interval: 5 };
      await using store = await sqliteDriver.open({ path: file, clock, durability: "process", signing });
      for (let i = 0; i < count; i += 1)
        await store.journal.append("s", "any", [noted.create({ text: `${signed} ${i}` }, { actor: { kind: "system", part: "engine" } })]);
    },
  };
}

test("H1: a journal that this installation signed to its end is moved over", async () => {
  const at = place();
  await at.write(8, "own");
  expect(await takeOverOldJournal(at)).toEqual([expect.stringContaining("8 events verified")]);
  expect(existsSync(at.project.database)).toBe(true);
  expect(existsSync(at.file)).toBe(false);
});

test.each<[string, (at: Place) => Promise<void>]>([
  ["another installation signed", (at) => at.write(8, "other")],
  ["nobody signed", (at) => at.write(8, "none")],
  [
    "this installation signed, and to which somebody added events afterwards",
    async (at) => {
      await at.write(8, "own");
      await at.write(1, "none");
    },
  ],
  [
    "this installation signed, and in which somebody changed an event",
    async (at) => {
      await at.write(8, "own");
      change(at.file);
    },
  ],
])("H1: a journal that %s is left where it is", async (_what, make) => {
  const at = place();
  await make(at);
  expect(await takeOverOldJournal(at)).toEqual([expect.stringContaining("sylk journal adopt")]);
  expect(existsSync(at.project.database)).toBe(false);
  expect(existsSync(at.file)).toBe(true);
  // Nothing of the look at it is left behind.
  expect(readdirSync(at.project.private).filter((name) => name.startsWith("incoming"))).toEqual([]);
});

test("H1: a journal that does not verify is not adopted, whatever the person says", async () => {
  const at = place();
  await at.write(8, "other");
  expect(await adoptOldJournal(at, { confirmed: false })).toMatchObject({ own: false, problems: [], adopted: false });
  change(at.file);
  const report = await adoptOldJournal(at, { confirmed: true });
  expect(report).toMatchObject({ own: false, adopted: false });
  expect(report.problems.length).toBeGreaterThan(0);
  expect(existsSync(at.project.database)).toBe(false);
});

test("H5: a journal that is a link is none, and of memories links stay behind", async () => {
  const at = place();
  await at.write(8, "own");
  const elsewhere = path.join(at.project.project, "elsewhere.db");
  renameSync(at.file, elsewhere);
  symlinkSync(elsewhere, at.file);
  expect(await takeOverOldJournal(at)).toEqual([]);
  await expect(adoptOldJournal(at, { confirmed: true })).rejects.toMatchObject({ code: "JOURNAL_NOTHING_TO_ADOPT" });

  renameSync(elsewhere, at.file);
  const memory = path.join(at.project.root, "memory");
  mkdirSync(memory);
  writeFileSync(path.join(memory, "mine.md"), "mine");
  symlinkSync("/etc/passwd", path.join(memory, "theirs.md"));
  await takeOverOldJournal(at);
  expect(existsSync(at.project.database)).toBe(true);
  expect(readdirSync(path.join(at.project.private, "memory"))).toEqual(["mine.md"]);
});

function change(file: string): void {
  const db = new DatabaseSync(file);
  db.prepare("UPDATE events SET actor = 'somebody' WHERE position = 3").run();
  db.close();
}
