/**
 * Journals that stand in the project's folder, as earlier versions kept them. One that this installation made
 * is moved to the user's space once, verified, and the old files are kept aside. Any other is somebody's text:
 * it is not opened unless a user adopts it, and then as history only.
 */
import { cpSync, existsSync, lstatSync, mkdirSync, readFileSync, renameSync, rmdirSync, rmSync } from "node:fs";
import path from "node:path";
import { messageOf, newId, SylkError, type Clock, type Dirs, type ProjectDirs } from "../kernel/index.ts";
import type { Examination } from "./internal/examine.ts";
import type { StoreDriver } from "./store.ts";

export interface OldJournalParts {
  dirs: Dirs;
  project: ProjectDirs;
  clock: Clock;
  driver: StoreDriver;
}

const FILES = ["sylk.db", "sylk.db-wal"];
/** Derived or private, and written by Sylk alone. */
const LEFT_BEHIND = [
  ...FILES,
  "sylk.db-shm",
  "sylk.db.open",
  "knowledge.db",
  "knowledge.db-wal",
  "knowledge.db-shm",
  "tasks",
  "plans",
  "backups",
  "MEMORY.md",
];
const IGNORED_BY_US = /^# Written by Sylk\./u;

const isPlainFile = (file: string): boolean => lstatSync(file, { throwIfNoEntry: false })?.isFile() === true;

/** The old file, when there is one and the project has no journal of its own yet. */
function oldFile({ project }: OldJournalParts): string | undefined {
  const file = path.join(project.root, "sylk.db");
  return !existsSync(project.database) && isPlainFile(file) ? file : undefined;
}

/** Copied, so that whatever is in it acts on nothing but the copy. */
async function examineCopy(parts: OldJournalParts): Promise<{ copy: string; found: Examination }> {
  const { project, clock, dirs, driver } = parts;
  project.claim();
  const copy = path.join(project.private, newId("incoming", clock.now()));
  mkdirSync(copy, { mode: 0o700 });
  try {
    for (const name of FILES) if (isPlainFile(path.join(project.root, name))) cpSync(path.join(project.root, name), path.join(copy, name));
    const keyFile = path.join(dirs.config, "journal-signing-key.pem");
    return { copy, found: await driver.examine({ path: path.join(copy, "sylk.db"), clock, keyFile }) };
  } catch (error) {
    rmSync(copy, { recursive: true, force: true });
    throw error;
  }
}

function install(parts: OldJournalParts, copy: string): string {
  const { project, clock } = parts;
  const aside = path.join(project.backups, newId("project-folder", clock.now()));
  mkdirSync(aside, { recursive: true, mode: 0o700 });
  renameSync(path.join(copy, "sylk.db"), project.database);
  rmSync(copy, { recursive: true, force: true });
  const memory = path.join(project.root, "memory");
  if (existsSync(memory) && !existsSync(path.join(project.private, "memory")))
    cpSync(memory, path.join(project.private, "memory"), {
      recursive: true,
      verbatimSymlinks: true,
      filter: (file) => !lstatSync(file).isSymbolicLink(),
    });
  for (const name of LEFT_BEHIND) moveAside(path.join(project.root, name), path.join(aside, name));
  const ignore = path.join(project.root, ".gitignore");
  if (isPlainFile(ignore) && IGNORED_BY_US.test(readFileSync(ignore, "utf8"))) rmSync(ignore);
  try {
    rmdirSync(project.root);
  } catch {
    // Something shared is in it.
  }
  return aside;
}

function moveAside(from: string, to: string): void {
  if (!existsSync(from) || lstatSync(from).isSymbolicLink()) return;
  cpSync(from, to, { recursive: true, verbatimSymlinks: true });
  rmSync(from, { recursive: true, force: true });
}

/** What a user is told, if anything. Called when the project is opened. */
export async function takeOverOldJournal(parts: OldJournalParts): Promise<string[]> {
  const { project } = parts;
  const notices = existsSync(path.join(project.root, "local"))
    ? [`${path.join(project.root, "local")} is not read any more; what is yours in it belongs into ${project.private}`]
    : [];
  const file = oldFile(parts);
  if (file === undefined) return notices;
  const foreign = `${file} was not made by this installation and is not opened; \`sylk journal adopt\` tells what it holds and takes it over as history`;
  try {
    const { copy, found } = await examineCopy(parts);
    if (!found.own) {
      rmSync(copy, { recursive: true, force: true });
      return [...notices, foreign];
    }
    const aside = install(parts, copy);
    return [
      ...notices,
      `the journal moved to ${project.database} (${found.report.events} events verified); the old files are kept in ${aside}`,
    ];
  } catch (error) {
    return [...notices, `${file} was left as it is: ${messageOf(error)}`];
  }
}

export type AdoptReport = {
  file: string;
  events: number;
  streams: number;
  own: boolean;
  /** What does not verify; a journal with any is not adopted. */
  problems: string[];
  adopted: boolean;
};

/** Looks, and on a user's word takes it over. The caller ends every task in it, so that nothing of it runs. */
export async function adoptOldJournal(parts: OldJournalParts, { confirmed }: { confirmed: boolean }): Promise<AdoptReport> {
  const file = oldFile(parts);
  if (file === undefined)
    throw new SylkError({
      code: "JOURNAL_NOTHING_TO_ADOPT",
      tier: "user_fixable",
      message: existsSync(parts.project.database)
        ? `this project has a journal of its own at ${parts.project.database}`
        : `there is no ${path.join(parts.project.root, "sylk.db")}`,
      fix: "nothing needs to be done",
    });
  const { copy, found } = await examineCopy(parts);
  const { report, own } = found;
  // Another key is expected of somebody else's journal; a broken chain is not.
  const problems = report.problems.filter(({ foreignKey }) => foreignKey !== true).map(({ message }) => message);
  const adopted = confirmed && problems.length === 0;
  if (adopted) install(parts, copy);
  else rmSync(copy, { recursive: true, force: true });
  return { file, events: report.events, streams: report.streams, own, problems, adopted };
}
