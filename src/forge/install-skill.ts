/**
 * Puts a skill into every target's folder or into none (SKF-006), as an effect of the skill's own run: the plan is
 * in the journal, with every file's hash before and after, before the first is written; what a process that died
 * left half done is taken back by whoever comes next.
 */
import path from "node:path";
import { driveDue, driveRun, type Run, type RunGround, type RunHandler } from "../journal/index.ts";
import { messageOf, SylkError } from "../kernel/index.ts";
import type { FileRequest, Workspace } from "../workspace/index.ts";
import { EVENTS, SYSTEM, type Payload } from "../protocol/events/index.ts";
import { forgeError } from "./forge-error.ts";
import type { SkillFiles } from "./read-skill.ts";
import { emptyRecord, skillStream, skillView, type SkillRecord } from "./skill-events.ts";
import { auditSkill, filesChecksum, openSkillRoot, previewOf, requestsFor, takeBack, writeFiles, type SkillHands } from "./skill-files.ts";

export interface Installation {
  run: string;
  name: string;
  description: string;
  origin: string;
  backup: string | null;
  /** The project, or the home folder. */
  root: string;
  /** Whole content by target, SKILL.md included. */
  targets: { target: string; folder: string; files: SkillFiles }[];
}

const KIND = "skill";
const BY = { actor: SYSTEM.forge };
const groundOf = ({ store, clock }: SkillHands): RunGround => ({ journal: store.journal, work: store.work, clock });

type SkillWork = Run<SkillRecord>;

/** What an interrupted installation wrote goes, and what stood there before comes back. */
async function undoOpen(hands: SkillHands, run: SkillWork): Promise<void> {
  const { open } = run.state;
  if (open === undefined) return;
  await run.mustOwn();
  if (open.files.length > 0) {
    await using workspace = openSkillRoot(hands, open.root);
    await takeBack(hands, workspace, open.files, foldersOf(open));
  }
  await run.append(EVENTS.skill.undone.create({ run: open.run, name: skillName(run), reason: "the installation was interrupted" }, BY));
}

/** Undoes what interrupted processes left half installed; returns the names. */
export async function settleInterrupted(hands: SkillHands, signal: AbortSignal): Promise<string[]> {
  const undone: string[] = [];
  const left: RunHandler<SkillRecord> = {
    kind: KIND,
    view: skillView,
    fresh: emptyRecord,
    async advance(run) {
      if (run.state.open !== undefined) undone.push(skillName(run));
      await undoOpen(hands, run);
      return "done";
    },
  };
  await driveDue(groundOf(hands), [left], { signal });
  return undone;
}

/** A piece of work on one skill, while nobody else has it. */
export async function inSkillRun(
  hands: SkillHands,
  name: string,
  signal: AbortSignal,
  work: (run: SkillWork) => Promise<void>,
): Promise<void> {
  const handler: RunHandler<SkillRecord> = {
    kind: KIND,
    view: skillView,
    fresh: emptyRecord,
    async advance(run) {
      await undoOpen(hands, run);
      await work(run);
      return "done";
    },
  };
  await driveRun(groundOf(hands), handler, skillStream(name), { signal, waits: true, kind: KIND });
}

interface Placing {
  target: string;
  folder: string;
  checksum: string;
  requests: FileRequest[];
  files: Payload<"skill.installing">["files"][number][];
}

async function placingsOf(workspace: Workspace, { root, targets }: Installation): Promise<Placing[]> {
  const placings: Placing[] = [];
  for (const { target, folder, files } of targets) {
    try {
      const requests = await requestsFor(workspace, root, folder, files);
      placings.push({ target, folder, checksum: filesChecksum(files), requests, files: await previewOf(workspace, target, requests) });
    } catch (error) {
      throw failedAt(target, error);
    }
  }
  return placings;
}

function failedAt(target: string, error: unknown): Error {
  if (SylkError.is(error) && error.code.startsWith("E-CREATE")) return error;
  return forgeError("E-CREATE-009", `${target}: ${messageOf(error)}; nothing was installed`, { cause: error, details: { target } });
}

export async function installSkill(
  hands: SkillHands,
  work: Installation,
  onPlaced: (target: string) => void,
  signal: AbortSignal,
): Promise<void> {
  await inSkillRun(hands, work.name, signal, async (run) => {
    await using workspace = openSkillRoot(hands, work.root);
    await run.perform<void, Placing[], never>(
      {
        pending: undefined,
        intend: async (placings) => {
          const placements = placings.map(({ target, folder, checksum }) => ({ target, folder, checksum }));
          const files = placings.flatMap((placing) => placing.files);
          const { run: by, name, root } = work;
          await run.append(EVENTS.skill.installing.create({ run: by, name, root, placements, files }, BY));
        },
      },
      {
        plan: async () => ({ plan: await placingsOf(workspace, work) }),
        act: (placings) => place(hands, run, workspace, placings, onPlaced),
        settle: () => Promise.resolve("unknown" as const),
      },
    );
    const { run: by, name, description, origin, backup } = work;
    const folders = run.state.open?.placements ?? [];
    const checksum = filesChecksum(work.targets[0]?.files ?? {});
    await run.append(EVENTS.skill.installed.create({ run: by, name, description, origin, checksum, backup, folders }, BY));
  });
}

async function place(
  hands: SkillHands,
  run: SkillWork,
  workspace: Workspace,
  placings: readonly Placing[],
  onPlaced: (target: string) => void,
): Promise<void> {
  await auditSkill(
    hands,
    "skill_installed",
    placings.map(({ folder }) => folder),
  );
  let at = "";
  try {
    for (const { target, requests } of placings) {
      at = target;
      await run.mustOwn();
      await writeFiles(workspace, target, requests, run.signal);
      onPlaced(target);
    }
  } catch (error) {
    const open = run.state.open;
    if (open !== undefined && !SylkError.is(error, "RUN_LOST")) {
      await takeBack(hands, workspace, open.files, foldersOf(open));
      await run.append(EVENTS.skill.undone.create({ run: open.run, name: skillName(run), reason: `${at}: ${messageOf(error)}` }, BY));
    }
    throw failedAt(at, error);
  }
}

/** Below the root. */
const foldersOf = ({ root, placements }: NonNullable<SkillRecord["open"]>): string[] =>
  placements.map(({ folder }) => path.relative(root, folder));

const skillName = (run: SkillWork): string => run.id.slice(skillStream("").length);
