/** What the phases of one run share: its parts, its request and its typed checkpoints. */
import { existsSync } from "node:fs";
import path from "node:path";
import { must, type Clock, type Json } from "../kernel/index.ts";
import type { Redactor } from "../guard/index.ts";
import type { Questions, Store } from "../journal/index.ts";
import type { DurableRing } from "../memory/index.ts";
import { findUnsafe } from "./check-skill.ts";
import type { SkillWriter } from "./skill-writer.ts";
import {
  approvalWindow,
  inputWindow,
  MAX_REQUEST_CHARS,
  PHASES,
  preparedWindow,
  processingWindow,
  type ApprovalWindow,
  type InputWindow,
  type PhaseName,
  type PreparedWindow,
  type ProcessingWindow,
} from "./windows.ts";

/** What was decided before the run, and who is told how far it is. */
export interface SkillConduct {
  /** Approved without being asked. */
  approve?: boolean | undefined;
  /** When it exists already; asked when absent. */
  onCollision?: "overwrite" | "rename" | "cancel" | undefined;
  onPhase?: ((phase: PhaseName) => void) | undefined;
  onPlaced?: ((target: string) => void) | undefined;
}

export interface SkillRun {
  ring: DurableRing;
  store: Store;
  clock: Clock;
  redactor: Redactor;
  project: string;
  trusts: (file: string, text: string) => boolean;
  /** The project's private folder. */
  dataDir: string;
  writer: SkillWriter;
  questions: Questions;
  conduct: SkillConduct;
  signal: AbortSignal;
  /** Shown, not written. */
  dryRun: boolean;
  /** It began earlier: looking at it must not end it. */
  resumed: boolean;
}

export interface RunRequest {
  wish: string | undefined;
  template: string;
  source: InputWindow["source"];
}

/** Checkpoint of a phase, typed; what was stored is checked again. */
export const prepared = (ring: DurableRing): PreparedWindow => preparedWindow.parse(ring.get(0));
export const input = (ring: DurableRing): InputWindow => inputWindow.parse(ring.get(1));
export const processing = (ring: DurableRing): ProcessingWindow => processingWindow.parse(ring.get(ring.has(3) ? 3 : 2));
export const approval = (ring: DurableRing): ApprovalWindow => approvalWindow.parse(ring.get(4));

export async function keep(run: SkillRun, phase: number, data: Json): Promise<void> {
  await run.ring.push(phase, data);
  run.conduct.onPhase?.(must(PHASES[phase]));
}

/** Places in the request that must not be shared. */
export const unsafeParts = ({ wish, source }: RunRequest, redactor: Redactor): string[] =>
  [wish ?? "", source?.text ?? "", ...Object.values(source?.files ?? {})].flatMap((text) => findUnsafe(text, redactor));

/** What holds a secret, or is too long to be meant, never reaches the journal. */
function mayBeKept(request: RunRequest, redactor: Redactor): boolean {
  return (request.wish ?? "").length <= MAX_REQUEST_CHARS && unsafeParts(request, redactor).length === 0;
}

/** What checkpoint 0 remembers of the request, so that a killed run can go on. */
export function keptRequest(request: RunRequest, redactor: Redactor): PreparedWindow["request"] {
  return mayBeKept(request, redactor) ? { ...request, wish: request.wish ?? null } : null;
}

/** Folders of the targets that hold a skill of this name already. */
export const collisionsOf = (place: PreparedWindow, name: string): string[] =>
  place.targets.map(({ folder }) => path.join(folder, name)).filter((folder) => existsSync(folder));

/** `<root>/.claude/skills/<name>` → `<root>` */
export const baseOf = (folder: string): string => path.resolve(folder, "../../..");
