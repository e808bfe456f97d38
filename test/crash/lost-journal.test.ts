/** The journal's file is removed or replaced while a process has it open: it is noticed before anything else is done. */
import { copyFileSync, existsSync, renameSync, rmSync } from "node:fs";
import path from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { openApp } from "../support/lab.ts";
import { sqliteDriver } from "../../src/journal/index.ts";
import { systemClock, SylkError } from "../../src/kernel/index.ts";
import { agentActor } from "../../src/protocol/events/index.ts";
import { noted } from "../contract/store-contract.ts";
import { privateOf, script, scriptedProject } from "../support/scripted-project.ts";
import { tempDir } from "../support/temp.ts";

const note = (text: string) => noted.create({ text }, { actor: agentActor("tester") });

function replaced(file: string): void {
  copyFileSync(file, `${file}.copy`);
  renameSync(`${file}.copy`, file);
}

const LOSSES: Record<string, (file: string) => void> = {
  "its folder is removed": (file) => rmSync(path.dirname(file), { recursive: true }),
  "another file is put in its place": replaced,
  "its write-ahead log is removed": (file) => rmSync(`${file}-wal`),
};

async function failure(work: Promise<unknown>): Promise<unknown> {
  return work.then(
    () => undefined,
    (error: unknown) => error,
  );
}

function savedIn(error: unknown): string {
  return SylkError.is(error, "JOURNAL_FILE_GONE") ? String(error.details["saved"]) : `not saved: ${String(error)}`;
}

test.each(Object.keys(LOSSES))("V5: %s: what is open is saved, nothing is written and nobody owns anything", async (how) => {
  const file = path.join(tempDir(), "data", "sylk.db");
  const store = await sqliteDriver.open({ path: file, clock: systemClock });
  onTestFinished(() => store.close());
  await store.journal.append("notes/a", "any", [note("one"), note("two")]);
  const claim = await store.work.claim("notes/a", "me", 60_000);
  expect(claim).toBeDefined();
  LOSSES[how]?.(file);
  const error = await failure(store.work.holder("notes/a"));
  expect(error).toMatchObject({ code: "JOURNAL_FILE_GONE", fix: expect.stringContaining(file) as string });
  expect(await failure(store.journal.append("notes/a", "any", [note("three")]))).toBe(error);
  await using saved = await sqliteDriver.open({ path: savedIn(error), clock: systemClock });
  expect((await saved.journal.read("notes/a")).map((event) => event.payload)).toEqual([{ text: "one" }, { text: "two" }]);
  expect((await saved.admin.verify()).valid).toBe(true);
});

test("V5: a task whose journal is removed after an intent does nothing more", async () => {
  const project = scriptedProject(
    { "a.txt": "one\n" },
    script([
      { name: "write_file", input: { path: "made.txt", content: "made\n" } },
      { name: "complete", input: { summary: "done" } },
    ]),
  );
  const app = await openApp({
    cwd: project.dir,
    env: project.env,
    clock: systemClock,
    driver: {
      ...sqliteDriver,
      open: async (options) => {
        const store = await sqliteDriver.open(options);
        const append: typeof store.journal.append = async (stream, seq, events, fence) => {
          const written = await store.journal.append(stream, seq, events, fence);
          if (events.some(({ type }) => type === "task.intended")) rmSync(privateOf(project), { recursive: true });
          return written;
        };
        return { ...store, journal: { ...store.journal, append } };
      },
    },
  });
  onTestFinished(() => app.close());
  const words = { goal: "make a file", type: "implement_feature", role: "engineer", criteria: [], constraints: [], checks: [] };
  const id = await app.tasks.start({ ...words, discoverChecks: false, model: project.rules, profile: "minimal", maxSteps: undefined });
  const error = await failure(app.tasks.run(id, () => undefined, new AbortController().signal));
  expect(error).toMatchObject({ code: "JOURNAL_FILE_GONE" });
  expect(existsSync(path.join(project.dir, "made.txt"))).toBe(false);
  await using saved = await sqliteDriver.open({ path: savedIn(error), clock: systemClock });
  expect((await saved.journal.read(`task/${id}`)).at(-1)?.type).toBe("task.intended");
});

test("V11: what was written since the last signature and is gone is noticed, and nothing is written on top of it", async () => {
  const [dir, later] = [tempDir(), tempDir()];
  const signing = (at: string) => ({ keyFile: path.join(dir, "key.pem"), anchorFile: path.join(at, "anchor.json"), interval: 1_000 });
  const store = await sqliteDriver.open({ path: path.join(dir, "sylk.db"), clock: systemClock, signing: signing(dir) });
  onTestFinished(() => store.close());
  await store.journal.append("notes/a", "any", [note("one")]);
  // The write-ahead log as it stood then is all that is left of it.
  for (const name of ["sylk.db", "sylk.db-wal"]) copyFileSync(path.join(dir, name), path.join(later, name));
  await store.journal.append("notes/a", "any", [note("two"), note("three")]);
  for (const name of ["anchor.json", "head.json"]) copyFileSync(path.join(dir, name), path.join(later, name));
  await using cut = await sqliteDriver.open({ path: path.join(later, "sylk.db"), clock: systemClock, signing: signing(later) });
  expect(cut.refusal).toMatchObject({
    code: "JOURNAL_ANCHOR_LOST",
    message: expect.stringContaining("position 3, it ends at 1") as string,
  });
  expect(await failure(cut.journal.append("notes/a", "any", [note("other")]))).toBe(cut.refusal);
  expect((await cut.admin.verify()).problems.map(({ kind }) => kind)).toEqual(["truncated"]);
  await cut.admin.accept({ reason: "the disk lost it", actor: agentActor("tester") });
  await cut.journal.append("notes/a", "any", [note("other")]);
  expect((await cut.admin.verify()).valid).toBe(true);
});

test("V11: events that were put in the place of those written since the last signature are noticed", async () => {
  const [dir, later] = [tempDir(), tempDir()];
  const signing = (at: string) => ({ keyFile: path.join(dir, "key.pem"), anchorFile: path.join(at, "anchor.json"), interval: 1_000 });
  const store = await sqliteDriver.open({ path: path.join(dir, "sylk.db"), clock: systemClock, signing: signing(dir) });
  onTestFinished(() => store.close());
  await store.journal.append("notes/a", "any", [note("one")]);
  for (const name of ["sylk.db", "sylk.db-wal"]) copyFileSync(path.join(dir, name), path.join(later, name));
  await store.journal.append("notes/a", "any", [note("two")]);
  for (const name of ["anchor.json", "head.json"]) copyFileSync(path.join(dir, name), path.join(later, name));
  // By somebody who has no key, and whose journal is as long afterwards.
  const forger = await sqliteDriver.open({ path: path.join(later, "sylk.db"), clock: systemClock });
  await forger.journal.append("notes/a", "any", [note("another two")]);
  await forger.close();
  await using found = await sqliteDriver.open({ path: path.join(later, "sylk.db"), clock: systemClock, signing: signing(later) });
  expect(found.refusal).toMatchObject({
    code: "JOURNAL_ANCHOR_LOST",
    message: expect.stringContaining("the event at position 2 is not the one that was written there") as string,
  });
  expect(await failure(found.journal.append("notes/a", "any", [note("three")]))).toBe(found.refusal);
});
