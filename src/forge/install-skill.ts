/**
 * Puts a skill into every target's folder or into none (SKF-006). Everything is prepared beside its
 * place and forced to disk; the plan is in the journal before the first folder moves; what an
 * interrupted run left is undone before anything else happens.
 */
import { closeSync, existsSync, fsyncSync, mkdirSync, openSync, renameSync, rmSync, rmdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { filesBelow, isSylkError, messageOf, processHolder, projectText, sha256, type Clock } from "../kernel/index.ts";
import type { Claim, Store } from "../journal/index.ts";
import { forgeError } from "./forge-error.ts";
import type { SkillFiles } from "./read-skill.ts";
import { skillStream, skillView } from "./skill-events.ts";
import { skillEvents, type Placement, type Actor } from "../protocol/events/index.ts";

export interface Installation {
  run: string;
  name: string;
  description: string;
  origin: string;
  backup: string | null;
  /** Whole content by target, SKILL.md included. */
  targets: { target: string; folder: string; files: SkillFiles }[];
}

function filesChecksum(files: SkillFiles): string {
  return sha256(
    Object.keys(files)
      .toSorted()
      .map((name) => `${name}\0${sha256(files[name] as string)}\n`)
      .join(""),
  );
}

const MAX_CHECKED_FILES = 1_000;

/** Undefined when the folder is not there, or cannot be read whole. */
export function folderChecksum(folder: string): string | undefined {
  if (!existsSync(folder)) return undefined;
  const files: SkillFiles = {};
  const below = filesBelow(folder, MAX_CHECKED_FILES);
  if (!below.whole) return undefined;
  for (const name of below.files) {
    const text = projectText(folder, name);
    if (text === undefined) return undefined;
    files[name] = text;
  }
  return filesChecksum(files);
}

function syncFolder(folder: string): void {
  const fd = openSync(folder, "r");
  try {
    fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
}

function stage(folder: string, files: SkillFiles): void {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  for (const [name, text] of Object.entries(files)) {
    const file = path.join(folder, name);
    mkdirSync(path.dirname(file), { recursive: true });
    writeFileSync(file, text);
    const fd = openSync(file, "r");
    try {
      fsyncSync(fd);
    } finally {
      closeSync(fd);
    }
  }
  syncFolder(folder);
}

/** Brings every folder back to what it was. Can be repeated; works from any half-way point. */
function undoPlacements(placements: readonly Placement[], createdParents: readonly string[] = []): void {
  for (const { folder, staged, aside } of placements.toReversed()) {
    // The staged folder is gone once it was moved into place: then what stands there is ours.
    if (!existsSync(staged) && (existsSync(aside) || isOurs(placements, folder))) rmSync(folder, { recursive: true, force: true });
    rmSync(staged, { recursive: true, force: true });
    if (existsSync(aside)) renameSync(aside, folder);
  }
  for (const parent of createdParents) {
    try {
      rmdirSync(parent);
    } catch {
      // Someone else uses it by now, or it never came to be.
    }
  }
}

function isOurs(placements: readonly Placement[], folder: string): boolean {
  return placements.some((one) => one.folder === folder && folderChecksum(folder) === one.checksum);
}

/** Missing folders on the way to `parent`, deepest first. */
function missingParents(parent: string): string[] {
  const missing: string[] = [];
  for (let dir = parent; !existsSync(dir); dir = path.dirname(dir)) missing.push(dir);
  return missing;
}

const LEASE_MS = 60_000;
const LOCK = "forge/install";

export interface InstallPlace {
  store: Store;
  clock: Clock;
  actor: Actor;
}

async function claimInstall({ store, clock }: InstallPlace, signal: AbortSignal): Promise<Claim> {
  for (;;) {
    const claim = await store.work.claim(LOCK, processHolder(), LEASE_MS);
    if (claim !== undefined) return claim;
    await clock.sleep(50, signal);
  }
}

async function settleOpen(place: InstallPlace): Promise<string[]> {
  const rows = await place.store.journal.list(skillView, { prefix: "skill/" });
  const undone: string[] = [];
  for (const { key, state } of rows) {
    if (state.open === undefined) continue;
    const name = key.slice("skill/".length);
    undoPlacements(state.open.placements);
    await place.store.journal.append(key, "any", [
      skillEvents.undone.create({ run: state.open.run, name, reason: "the installation was interrupted" }, { actor: place.actor }),
    ]);
    undone.push(name);
  }
  return undone;
}

/** Undoes what an interrupted process left half installed; returns the names. */
export async function settleInterrupted(place: InstallPlace, signal: AbortSignal): Promise<string[]> {
  const rows = await place.store.journal.list(skillView, { prefix: "skill/" });
  if (rows.every((row) => row.state.open === undefined)) return [];
  const claim = await claimInstall(place, signal);
  try {
    return await settleOpen(place);
  } finally {
    await place.store.work.settle(claim);
  }
}

export async function installSkill(
  place: InstallPlace,
  work: Installation,
  onPlaced: (target: string) => void,
  signal: AbortSignal,
): Promise<void> {
  const { journal } = place.store;
  const claim = await claimInstall(place, signal);
  try {
    await settleOpen(place);
    const stream = skillStream(work.name);
    const placements: Placement[] = work.targets.map(({ target, folder, files }) => {
      const beside = path.join(path.dirname(folder), `.${work.name}.${work.run}`);
      return { target, folder, staged: `${beside}.new`, aside: `${beside}.old`, checksum: filesChecksum(files) };
    });
    const parents: string[] = [];
    let at = work.targets[0]?.target ?? "";
    await journal.append(stream, "any", [
      skillEvents.installing.create({ run: work.run, name: work.name, placements }, { actor: place.actor }),
    ]);
    try {
      for (const [i, placed] of placements.entries()) {
        at = placed.target;
        parents.push(...missingParents(path.dirname(placed.folder)));
        stage(placed.staged, work.targets[i]?.files ?? {});
      }
      signal.throwIfAborted();
      for (const placed of placements) {
        at = placed.target;
        if (existsSync(placed.folder)) renameSync(placed.folder, placed.aside);
        renameSync(placed.staged, placed.folder);
        syncFolder(path.dirname(placed.folder));
        onPlaced(placed.target);
      }
      const first = work.targets[0]?.files ?? {};
      await journal.append(stream, "any", [
        skillEvents.installed.create(
          {
            run: work.run,
            name: work.name,
            description: work.description,
            origin: work.origin,
            checksum: filesChecksum(first),
            backup: work.backup,
            folders: placements.map(({ target, folder, checksum }) => ({ target, folder, checksum })),
          },
          { actor: place.actor },
        ),
      ]);
    } catch (error) {
      undoPlacements(placements, parents);
      await journal.append(stream, "any", [
        skillEvents.undone.create({ run: work.run, name: work.name, reason: `${at}: ${messageOf(error)}` }, { actor: place.actor }),
      ]);
      if (isSylkError(error)) throw error;
      throw forgeError("E-CREATE-009", `${at}: ${messageOf(error)}; nothing was installed`, { cause: error, details: { target: at } });
    }
    for (const placed of placements) rmSync(placed.aside, { recursive: true, force: true });
  } finally {
    await place.store.work.settle(claim);
  }
}
