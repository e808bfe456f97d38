/**
 * What in a work folder no command may read, because `read_file` would refuse it too: `.env` files, keys
 * and credentials that git does not track, and Sylk's own records, copies of files among them. What is
 * tracked is no secret any more, and tests often need it (a certificate of their own). Found anew every few
 * seconds: files come and go. Folders of dependencies and build output are not looked through, nor is what
 * comes after very many entries: a secret that lies there stays readable.
 */
import { readdir, realpath } from "node:fs/promises";
import path from "node:path";
import { fileSensitivity } from "../../guard/index.ts";
import type { Clock } from "../../kernel/index.ts";
import { createGitReader } from "../git/git.ts";

const SKIPPED = new Set([".git", "node_modules", ".venv", "venv", "vendor", "target", "dist", "build", ".cache", "__pycache__"]);
const MAX_ENTRIES = 50_000;
const KEEP_MS = 5_000;
const OWN = /^(?:local|tasks|(?:sylk|knowledge)\.db.*)$/;

const MAX_REPOSITORIES = 200;

interface Places {
  secrets: string[];
  /** `.git` of repositories further down, submodules among them. */
  repositories: string[];
}

export interface SensitivePlaces {
  in(folder: string): Promise<Places>;
}

async function candidates(folder: string): Promise<Places> {
  const found: string[] = [];
  const repositories: string[] = [];
  let seen = 0;
  const open = [folder];
  for (let dir = open.pop(); dir !== undefined && seen < MAX_ENTRIES; dir = open.pop()) {
    const entries = await readdir(dir, { withFileTypes: true }).catch(() => []);
    seen += entries.length;
    const own = path.relative(folder, dir) === ".sylk";
    for (const entry of entries) {
      const place = path.join(dir, entry.name);
      if (entry.name === ".git" && dir !== folder && repositories.length < MAX_REPOSITORIES) repositories.push(place);
      if (own && OWN.test(entry.name)) found.push(place);
      else if (entry.isDirectory() && !SKIPPED.has(entry.name)) open.push(place);
      else if (!entry.isDirectory() && fileSensitivity(place).handling === "skip")
        // A link is hidden where it leads to: the place itself cannot be covered.
        found.push(entry.isSymbolicLink() ? await realpath(place).catch(() => place) : place);
    }
  }
  return { secrets: found, repositories };
}

async function withoutTracked(folder: string, found: readonly string[], clock: Clock): Promise<string[]> {
  const keys = found.filter((place) => !/^\.env(?:\.|$)/i.test(path.basename(place)) && !isOwn(folder, place));
  if (keys.length === 0) return [...found];
  const names = keys.map((place) => path.relative(folder, place));
  const listed = await createGitReader(folder, clock)
    .run(["ls-files", "-z", "--", ...names.map((name) => `:(literal)${name}`)], { accept: [0, 128] })
    .catch(() => undefined);
  const tracked = new Set(listed === undefined || listed.code !== 0 ? [] : listed.stdout.toString("utf8").split("\0"));
  return found.filter((place) => !tracked.has(path.relative(folder, place)));
}

const isOwn = (folder: string, place: string): boolean => path.relative(folder, place).startsWith(`.sylk${path.sep}`);

export function createSensitivePlaces(clock: Clock): SensitivePlaces {
  const known = new Map<string, { at: number; places: Promise<Places> }>();
  return {
    in(folder) {
      const now = clock.monotonic();
      const last = known.get(folder);
      if (last !== undefined && now - last.at < KEEP_MS) return last.places;
      const places = candidates(folder).then(async ({ secrets, repositories }) => ({
        secrets: await withoutTracked(folder, secrets, clock),
        repositories,
      }));
      known.set(folder, { at: now, places });
      return places;
    },
  };
}
