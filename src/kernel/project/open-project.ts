/**
 * Which project a folder is, and where its files stand. What people share stands in `<folder>/.sylk`;
 * what is private stands in the user's space, under an id that no repository can foresee or bring along.
 * Looking writes nothing into the folder; `claim` does what the first private file needs.
 */
import { existsSync, mkdirSync, realpathSync } from "node:fs";
import path from "node:path";
import { writeError, writeFileAtomic } from "../atomic-file.ts";
import { SylkError } from "../errors.ts";
import { sha256 } from "../hash.ts";
import type { Dirs } from "../system-paths.ts";
import { shareSettings, type SharedFiles } from "./share-settings.ts";
import { bareAround, isOwn, lookAt, ownGitFolder, smallText } from "./git-folder.ts";
import { prepareDirs } from "../prepare-dirs.ts";
import { projectKey, type ProjectKey } from "./project-key.ts";
import { assertUsableFolder } from "./usable-folder.ts";
import { allRecords, findRecord, inodeOf, isSameFolder, writeRecord } from "./project-record.ts";

export interface ProjectDirs {
  readonly id: string;
  /** The project's own folder, by its real path. */
  readonly project: string;
  /** `<project>/.sylk`: what people share. A place where nothing is when the one there must not be followed. */
  readonly root: string;
  /** Shared settings. */
  readonly config: string;
  /** `<data>/projects/<id>`: what is this user's alone. */
  readonly private: string;
  readonly personalConfig: string;
  readonly permissions: string;
  readonly database: string;
  readonly tasks: string;
  readonly backups: string;
  /** What a user should know about how the project was found. */
  readonly notices: readonly string[];
  /** Before the first private file is written. Doing it again costs next to nothing. */
  claim(): void;
  /** Gives it settings that are committed with it; what is there stays. */
  share(schema: Record<string, unknown>): SharedFiles;
}

/** Earlier versions had one mark for all; it still counts for whoever signed it. */
const SHARED_MARK = "sylk-project";
const MAX_GENERATIONS = 1_000;

interface Found {
  id: string;
  notices: string[];
}

/** Where projects are kept, and the key to them: the first that is written of Sylk's own. */
function registryIn(dirs: Dirs): { projects: string; key: ProjectKey } {
  prepareDirs([dirs.data, dirs.state, dirs.config, dirs.cache]);
  const projects = path.join(dirs.data, "projects");
  return { projects, key: projectKey(projects) };
}

export function openProject(folder: string, dirs: Dirs): ProjectDirs {
  const project = realpathSync(folder);
  const { projects, key } = registryIn(dirs);
  const { id, notices } = find(project, projects, key);
  const own = path.join(projects, id);
  const trouble = sharedTrouble(path.join(project, ".sylk"));
  const root = trouble === undefined ? path.join(project, ".sylk") : path.join(own, "nothing-shared");
  let claimed = false;
  const config = path.join(root, "config.yaml");
  const told = trouble === undefined ? notices : [...notices, trouble];
  return {
    id,
    project,
    root,
    config,
    private: own,
    personalConfig: path.join(own, "config.yaml"),
    permissions: path.join(own, "permissions.yaml"),
    database: path.join(own, "sylk.db"),
    tasks: path.join(own, "tasks"),
    backups: path.join(dirs.data, "backups", "projects", id),
    notices: told,
    claim() {
      if (!claimed) mustBeCheckout(project);
      if (!claimed) claim({ project, projects, key, id });
      claimed = true;
    },
    share: (schema) => shareSettings({ project, root, config, notices: told }, schema),
  };
}

/** Whoever works in a folder may write all of it. */
function mustBeCheckout(project: string): void {
  const bare = bareAround(project);
  if (bare === undefined) return;
  throw new SylkError({
    code: "WORKSPACE_GIT_FOLDER",
    tier: "user_fixable",
    message: `${bare} is a git folder: its files decide which programs git runs, and nobody works in them`,
    fix: "start in a checkout: `git clone` or `git worktree add` makes one",
  });
}

function find(project: string, projects: string, key: ProjectKey): Found {
  const git = ownGitFolder(project);
  // Looked at after the record: whoever claims the folder at this moment writes the mark first.
  const mark = (): string | undefined => (git === undefined ? undefined : markIn(git, key));
  let id = key.idOf(project, 0);
  let before: string | undefined;
  for (let generation = 0; generation < MAX_GENERATIONS; generation += 1) {
    id = key.idOf(project, generation);
    const known = findRecord(projects, id);
    if (known === undefined) {
      if (!existsSync(path.join(projects, id, "project.json"))) break;
      // Only this folder can have got this id.
      if (git === undefined || mark() === id)
        return { id, notices: [`${path.join(projects, id, "project.json")} is unreadable; it is written anew`] };
      continue;
    }
    if (known.record.path !== project) continue;
    // Another clone in the same place is another project; where no mark can tell, the folder itself must be the same.
    if (((git === undefined || !known.record.marked) && isSameFolder(known.record, project)) || mark() === known.id)
      return { id: known.id, notices: [] };
    before = path.join(projects, known.id);
  }
  const marked = mark();
  // Its own mark outlives a lost entry of the registry.
  if (marked !== undefined && findRecord(projects, marked)?.record.path === project) return { id: marked, notices: [] };
  const moved = findMoved(project, projects, key, marked, git !== undefined);
  if (moved !== undefined) {
    const from = moved.record.path;
    return { id: moved.id, notices: [`this project was at ${from} before; its history came along`] };
  }
  const legacy = legacyFolder(project, projects);
  if (legacy !== undefined && before === undefined) return { id: legacy, notices: [] };
  return { id, notices: before === undefined ? [] : [`another project stood in this folder before; its history stays in ${before}`] };
}

/** A project whose folder is no longer where it was, and which this folder is known to be. */
function findMoved(
  project: string,
  projects: string,
  key: ProjectKey,
  marked: string | undefined,
  hasGit: boolean,
): ReturnType<typeof findRecord> {
  if (marked !== undefined) {
    const known = findRecord(projects, marked);
    if (known === undefined) return undefined;
    const there = ownGitFolder(known.record.path);
    // Where the old place still bears the mark, this one is a copy.
    return there !== undefined && markIn(there, key) === marked ? undefined : known;
  }
  if (hasGit) return undefined;
  const inode = inodeOf(project);
  return allRecords(projects).find(({ record }) => !record.marked && record.inode === inode && !existsSync(record.path));
}

/** Versions that kept the journal in the project had a folder of this name for the rest. */
function legacyFolder(project: string, projects: string): string | undefined {
  const name = sha256(project).slice(0, 16);
  const stats = lookAt(path.join(projects, name));
  return stats?.isDirectory() === true && !existsSync(path.join(projects, name, "project.json")) ? name : undefined;
}

/** Each user and home has a mark of its own, so that nobody writes over another's. */
const ownMark = (key: ProjectKey): string => `sylk-project-${key.name}`;

function markIn(git: string, key: ProjectKey): string | undefined {
  const read = (name: string): string | undefined => key.readMark(smallText(path.join(git, name), 200) ?? "");
  return read(ownMark(key)) ?? read(SHARED_MARK);
}

interface ClaimOf {
  project: string;
  projects: string;
  key: ProjectKey;
  id: string;
}

function claim({ project, projects, key, id }: ClaimOf): void {
  ownFolder(path.join(projects, id));
  const marked = mark(project, key, id);
  const known = findRecord(projects, id)?.record;
  if (known?.path === project && known.marked === marked && known.inode === inodeOf(project)) return;
  writeRecord(projects, id, { version: 1, path: project, marked, inode: inodeOf(project) });
  // Begun elsewhere, or before ids were derived: the folder's own id leads there.
  for (let generation = 0; generation < MAX_GENERATIONS; generation += 1) {
    const here = key.idOf(project, generation);
    if (findRecord(projects, here)?.id === id) return;
    if (existsSync(path.join(projects, here, "project.json"))) continue;
    ownFolder(path.join(projects, here));
    writeRecord(projects, here, { version: 1, same_as: id });
    return;
  }
}

function ownFolder(folder: string): void {
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
  } catch (error) {
    throw writeError(folder, error);
  }
  const stats = lookAt(folder);
  if (stats !== undefined && stats.isDirectory() && isOwn(stats)) return;
  throw new SylkError({
    code: "PROJECT_FOLDER_FOREIGN",
    tier: "user_fixable",
    message: `${folder} is a link or belongs to somebody else, so nothing private is kept there`,
    fix: "remove it, or choose another place with SYLK_HOME",
  });
}

/** True when the git folder bears the project's mark now. A git folder that may only be read has none. */
function mark(project: string, key: ProjectKey, id: string): boolean {
  const git = ownGitFolder(project);
  if (git === undefined) return false;
  const file = path.join(git, ownMark(key));
  if (key.readMark(smallText(file, 200) ?? "") === id) return true;
  try {
    writeFileAtomic(file, key.markOf(id), { mode: 0o600 });
    return true;
  } catch {
    return false;
  }
}

/** Why a shared folder is not followed. */
function sharedTrouble(root: string): string | undefined {
  const stats = lookAt(root);
  if (stats === undefined) return undefined;
  if (stats.isSymbolicLink()) return `${root} is a link and is not followed`;
  if (!stats.isDirectory()) return `${root} is not a folder and is not read`;
  return isOwn(stats) ? undefined : `${root} belongs to somebody else and is not read`;
}

/** The nearest folder at or above `from` that shares a `.sylk`, is a known project or has `.git`; else `from`. */
export function findProject(from: string, dirs: Dirs, home: string): string {
  assertUsableFolder(from);
  const start = realpathSync(from);
  const { projects, key } = registryIn(dirs);
  for (let dir = start; ; dir = path.dirname(dir)) {
    // `~/.sylk` is the user's own space, and a home folder under git holds many projects.
    if ((dir === start || dir !== home) && isProject(dir, projects, key, { isStart: dir === start })) return dir;
    if (dir === path.dirname(dir)) return start;
  }
}

/** Whatever somebody else put into a folder above does not count. */
function isProject(dir: string, projects: string, key: ProjectKey, { isStart }: { isStart: boolean }): boolean {
  const shared = lookAt(path.join(dir, ".sylk"));
  if (shared?.isDirectory() === true && isOwn(shared)) return true;
  const git = lookAt(path.join(dir, ".git"));
  if (git !== undefined && (isStart || isOwn(git))) return true;
  return findRecord(projects, key.idOf(dir, 0))?.record.path === dir;
}
