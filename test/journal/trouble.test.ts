/** Bad conditions: each gives a clear error and loses nothing. */
import { execFileSync, spawnSync } from "node:child_process";
import {
  chmodSync,
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { DatabaseSync } from "node:sqlite";
import { expect, test } from "vitest";
import { agentActor } from "../../src/protocol/events/index.ts";
import { systemClock, type SylkError } from "../../src/kernel/index.ts";
import { sqliteDriver } from "../../src/journal/index.ts";
import { salvageStore } from "../../src/journal/internal/salvage.ts";
import { MIGRATIONS } from "../../src/journal/internal/schema.ts";
import { noted } from "../contract/store-contract.ts";
import { tempDir } from "../support/temp.ts";

const by = { actor: agentActor("tester") };
const note = (text: string) => noted.create({ text }, by);
const failure = async (work: Promise<unknown>): Promise<SylkError> => {
  const error = await work.then(
    () => undefined,
    (caught: unknown) => caught,
  );
  expect(error).toBeInstanceOf(Error);
  return error as SylkError;
};

test("STO-019: a database of a newer Sylk is refused, unchanged", async () => {
  const file = path.join(tempDir(), "sylk.db");
  await (await sqliteDriver.open({ path: file, clock: systemClock })).close();
  const db = new DatabaseSync(file);
  db.exec("PRAGMA user_version = 99");
  db.close();
  const before = readFileSync(file);
  expect(await failure(sqliteDriver.open({ path: file, clock: systemClock }))).toMatchObject({
    code: "STORE_NEWER",
    tier: "user_fixable",
    fix: expect.stringContaining("update") as string,
  });
  expect(readFileSync(file).equals(before)).toBe(true);
});

test("STO-019: pending migrations run once each in order, a destructive one after a backup; a failing one changes nothing", async () => {
  const dir = tempDir();
  const file = path.join(dir, "sylk.db");
  const first = await sqliteDriver.open({ path: file, clock: systemClock });
  await first.journal.append("s", 0, [note("kept")]);
  await first.close();
  const ran: number[] = [];
  const more = (version: number, destructive: boolean, sql: string) => ({
    version,
    description: `to ${version}`,
    destructive,
    up: (db: DatabaseSync) => (ran.push(version), db.exec(sql)),
  });
  const good = [...MIGRATIONS, more(11, false, "CREATE TABLE two (a)"), more(12, true, "DROP TABLE two")];
  const options = { path: file, clock: systemClock, backupDir: path.join(dir, "backups") };
  const second = await sqliteDriver.open({ ...options, migrations: good });
  expect(await second.admin.backups()).toHaveLength(1);
  await second.close();
  await (await sqliteDriver.open({ ...options, migrations: good })).close();
  expect(ran).toEqual([11, 12]);
  const bad = [...good, more(13, false, "CREATE TABLE four (a); SELECT * FROM nowhere")];
  expect(await failure(sqliteDriver.open({ ...options, migrations: bad }))).toMatchObject({
    code: "STORE_MIGRATION_FAILED",
    message: expect.stringContaining("migration 13") as string,
  });
  const db = new DatabaseSync(file, { readOnly: true });
  expect(db.prepare("PRAGMA user_version").get()).toEqual({ user_version: 12 });
  expect(db.prepare("SELECT count(*) AS n FROM sqlite_master WHERE name = 'four'").get()).toEqual({ n: 0 });
  db.close();
});

test("~STO-020: processes that migrate at once all succeed and the schema is made once", async () => {
  const dir = tempDir();
  const file = path.join(dir, "sylk.db");
  const script = path.join(dir, "open.ts");
  const module = path.resolve("src/journal/index.ts");
  const kernel = path.resolve("src/kernel/index.ts");
  writeFileSync(
    script,
    `import { sqliteDriver } from ${JSON.stringify(module)}; import { systemClock } from ${JSON.stringify(kernel)};\nconst s = await sqliteDriver.open({ path: ${JSON.stringify(file)}, clock: systemClock }); await s.close(); console.log("ok");`,
  );
  const { spawn } = await import("node:child_process");
  const codes = await Promise.all(
    Array.from(
      { length: 6 },
      () => new Promise<number | null>((resolve) => spawn(process.execPath, [script], { stdio: "ignore" }).on("exit", resolve)),
    ),
  );
  expect(codes).toEqual([0, 0, 0, 0, 0, 0]);
  await using store = await sqliteDriver.open({ path: file, clock: systemClock });
  await store.journal.append("s", 0, [note("works")]);
  expect(await store.journal.head("s")).toBe(1);
});

test("an unwritable place gives an error with its fix", async () => {
  const dir = tempDir();
  writeFileSync(path.join(dir, "file"), "");
  expect(await failure(sqliteDriver.open({ path: path.join(dir, "file/sub/sylk.db"), clock: systemClock }))).toMatchObject({
    tier: "user_fixable",
    fix: expect.any(String) as string,
  });
});

const isRoot = process.getuid?.() === 0;
/** Root ignores file modes, so there the file system's own mark is needed. */
function protectFile(file: string, on: boolean): boolean {
  if (isRoot) return spawnSync("chattr", [on ? "+i" : "-i", file]).status === 0;
  chmodSync(file, on ? 0o400 : 0o600);
  return true;
}
const probe = path.join(tmpdir(), `sylk-probe-${process.pid}`);
writeFileSync(probe, "");
const canProtect = protectFile(probe, true);
protectFile(probe, false);
rmSync(probe, { force: true });

test.skipIf(!canProtect)(
  "a read-only database refuses writes with its fix and is left as it was (skipped where files cannot be protected)",
  async () => {
    const file = path.join(tempDir(), "sylk.db");
    await (await sqliteDriver.open({ path: file, clock: systemClock })).close();
    const before = readFileSync(file);
    protectFile(file, true);
    try {
      const write = async () => {
        await using store = await sqliteDriver.open({ path: file, clock: systemClock });
        await store.journal.append("s", 0, [note("x")]);
      };
      expect(await failure(write())).toMatchObject({ tier: "user_fixable", fix: expect.any(String) as string });
      expect(readFileSync(file).equals(before)).toBe(true);
    } finally {
      protectFile(file, false);
    }
  },
);

test("~STO-013: a full disk refuses the append, keeps everything acknowledged, and work goes on once there is room", () => {
  const dir = tempDir();
  const file = path.join(dir, "sylk.db");
  const script = path.join(dir, "fill.ts");
  writeFileSync(
    script,
    `import { sqliteDriver } from ${JSON.stringify(path.resolve("src/journal/index.ts"))};
import { systemClock } from ${JSON.stringify(path.resolve("src/kernel/index.ts"))};
import { noted } from ${JSON.stringify(path.resolve("test/contract/noted-event.ts"))};
process.on("SIGXFSZ", () => {});
const store = await sqliteDriver.open({ path: ${JSON.stringify(file)}, clock: systemClock });
let acked = 0;
try { for (;;) { await store.journal.append("s", acked, [noted.create({ text: "x".repeat(4000) }, { actor: { kind: "agent", role: "t" } })]); acked += 1; } }
catch (error) { console.log(JSON.stringify({ acked, code: error.code, tier: error.tier, fix: error.fix })); }
process.exit(0);`,
  );
  const out = execFileSync("bash", ["-c", `ulimit -f 2000; exec "${process.execPath}" "${script}"`], { encoding: "utf8" });
  const seen = JSON.parse(out.trim().split("\n").at(-1) as string) as { acked: number; code: string; tier: string; fix: string };
  expect(seen).toMatchObject({
    code: expect.stringMatching(/STORE_(FULL|IO)/) as string,
    tier: "user_fixable",
    fix: expect.any(String) as string,
  });
  const check = execFileSync(
    process.execPath,
    [
      "-e",
      `import(${JSON.stringify(path.resolve("src/journal/index.ts"))}).then(async ({sqliteDriver}) => { const {systemClock} = await import(${JSON.stringify(path.resolve("src/kernel/index.ts"))}); const {noted} = await import(${JSON.stringify(path.resolve("test/contract/noted-event.ts"))}); const s = await sqliteDriver.open({path: ${JSON.stringify(file)}, clock: systemClock}); const head = await s.journal.head("s"); await s.journal.append("s", head, [noted.create({text: "after"}, {actor: {kind: "agent", role: "t"}})]); console.log(JSON.stringify({ head, valid: (await s.admin.verify()).valid })); await s.close(); })`,
    ],
    { encoding: "utf8" },
  );
  const after = JSON.parse(check) as { head: number; valid: boolean };
  expect(after.valid).toBe(true);
  expect(after.head).toBeGreaterThanOrEqual(seen.acked);
});

async function damaged(backup: boolean) {
  const dir = tempDir();
  const file = path.join(dir, "sylk.db");
  const backupDir = path.join(dir, "backups");
  const store = await sqliteDriver.open({ path: file, clock: systemClock, backupDir });
  for (let i = 0; i < 300; i += 1) await store.journal.append(`s/${i % 3}`, "any", [note(`event ${i} ${"x".repeat(300)}`)]);
  if (backup) await store.admin.backup("periodic");
  await store.journal.append("s/0", "any", [note("after the backup")]);
  await store.close();
  const size = statSync(file).size;
  const fd = openSync(file, "r+");
  // A page in the middle of the events; the first pages hold the schema.
  writeSync(fd, Buffer.alloc(4096, 0xaa), 0, 4096, Math.floor(size / 2 / 4096) * 4096);
  closeSync(fd);
  return { dir, file, backupDir };
}

test("~STO-021: a damaged page is noticed and named", async () => {
  const { file } = await damaged(false);
  const store = await sqliteDriver.open({ path: file, clock: systemClock });
  const report = await store.admin.verify();
  expect((await store.admin.check()) !== undefined || !report.valid).toBe(true);
  expect(report.valid).toBe(false);
  await store.close();
});

test("~STO-022: recovery takes every event from the file and its backup, keeps the damaged file, and verifies", async () => {
  const { file, backupDir } = await damaged(true);
  const report = await salvageStore({ path: file, clock: systemClock, backupDir });
  expect(report).toMatchObject({ kept: 301, setAside: 0, missing: 0 });
  expect(existsSync(report.damagedFile)).toBe(true);
  await using store = await sqliteDriver.open({ path: file, clock: systemClock });
  expect(await store.admin.verify()).toMatchObject({ valid: true, events: 301 });
  expect((await store.journal.read("s/0")).at(-1)?.payload).toEqual({ text: "after the backup" });
});

test("~STO-022: without a backup the longest verified beginning of each stream survives and the rest is set aside, nothing is deleted", async () => {
  const { file } = await damaged(false);
  const report = await salvageStore({ path: file, clock: systemClock });
  expect(report.kept).toBeGreaterThan(0);
  expect(report.kept + report.setAside + report.missing).toBe(301);
  expect(report.missing).toBeGreaterThan(0);
  const aside = report.setAsideFile === undefined ? [] : readFileSync(report.setAsideFile, "utf8").trim().split("\n");
  expect(aside).toHaveLength(report.setAside);
  await using store = await sqliteDriver.open({ path: file, clock: systemClock });
  expect((await store.admin.verify()).valid).toBe(true);
});

test("~STO-022: a file that is no database at all gives an error that names the way out", async () => {
  const file = path.join(tempDir(), "sylk.db");
  writeFileSync(file, "this is not a database, it is a text file of some length ".repeat(100));
  expect(await failure(sqliteDriver.open({ path: file, clock: systemClock }))).toMatchObject({
    code: "STORE_NOT_A_DATABASE",
    fix: expect.stringContaining("journal rebuild") as string,
  });
  const report = await salvageStore({ path: file, clock: systemClock });
  expect(report.kept).toBe(0);
  expect(readFileSync(report.damagedFile, "utf8")).toContain("not a database");
});

test("~STO-023 STO-025 STO-026: backups are whole, usable and pruned per kind", async () => {
  const dir = tempDir();
  const backupDir = path.join(dir, "backups");
  let now = 1_800_000_000_000;
  const clock = { ...systemClock, now: () => (now += 60_000) };
  const store = await sqliteDriver.open({ path: path.join(dir, "sylk.db"), clock, backupDir, keepBackups: 2 });
  await store.journal.append("s", 0, [note("one")]);
  await store.admin.backup("session");
  for (let i = 0; i < 4; i += 1) await store.admin.backup("periodic");
  expect((await store.admin.backups()).map((file) => path.basename(file).replace(/^.*_/, ""))).toEqual([
    "periodic.db",
    "periodic.db",
    "session.db",
  ]);
  await store.close();
  await using copy = await sqliteDriver.open({ path: (await store.admin.backups())[0] as string, clock });
  expect(await copy.admin.verify()).toMatchObject({ valid: true, events: 1 });
});

test("STO-025: a backup that cannot be written leaves no partial file", async () => {
  const dir = tempDir();
  mkdirSync(path.join(dir, "b"));
  writeFileSync(path.join(dir, "b/blocked"), "");
  await using store = await sqliteDriver.open({
    path: path.join(dir, "sylk.db"),
    clock: systemClock,
    backupDir: path.join(dir, "b/blocked/deep"),
  });
  expect(await failure(store.admin.backup("periodic"))).toMatchObject({ code: "BACKUP_FAILED", fix: expect.any(String) as string });
});

test("~CCY-066: a write-ahead log torn at its end loses nothing that was acknowledged", async () => {
  const dir = tempDir();
  const file = path.join(dir, "sylk.db");
  const script = path.join(dir, "write.ts");
  writeFileSync(
    script,
    `import { sqliteDriver } from ${JSON.stringify(path.resolve("src/journal/index.ts"))};
import { systemClock } from ${JSON.stringify(path.resolve("src/kernel/index.ts"))};
import { noted } from ${JSON.stringify(path.resolve("test/contract/noted-event.ts"))};
const store = await sqliteDriver.open({ path: ${JSON.stringify(file)}, clock: systemClock });
for (let i = 0; i < 20; i += 1) await store.journal.append("s", i, [noted.create({ text: "e" + i }, { actor: { kind: "agent", role: "t" } })]);
process.kill(process.pid, "SIGKILL");`,
  );
  spawnSync(process.execPath, [script]);
  truncateSync(`${file}-wal`, statSync(`${file}-wal`).size - 100);
  await using store = await sqliteDriver.open({ path: file, clock: systemClock });
  expect((await store.admin.verify()).valid).toBe(true);
  expect(await store.journal.head("s")).toBeGreaterThanOrEqual(19);
});
