/**
 * A person decides before anything is written (SKF-005, SKF-016). No answer within the limit is a
 * rejection that can be taken up again; nobody there is never an approval.
 */
import { SylkError, type Clock } from "../kernel/index.ts";
import type { SkillReport } from "./check-skill.ts";
import { forgeError } from "./forge-error.ts";
import type { SkillFiles } from "./read-skill.ts";
import type { PhaseName } from "./windows.ts";

const GATE_TIMEOUT_MS = 120_000;

export interface GateView {
  name: string;
  description: string;
  text: string;
  files: SkillFiles;
  report: SkillReport;
  targets: { target: string; folder: string }[];
  corrections: string[];
  /** True when an installed skill is changed. */
  updates: boolean;
  /** What is there already, against what would be, as a unified diff; empty when nothing is. */
  diff: string;
}

export type Edit = { kind: "text"; text: string } | { kind: "words"; words: string };
export type GateAnswer = { kind: "approve" } | { kind: "reject" } | { kind: "edit"; instruction: Edit };
export type CollisionAnswer = { kind: "overwrite" } | { kind: "rename"; name: string } | { kind: "cancel" };

/** How a surface talks with the person; every part may be missing. */
export interface ForgeTalk {
  askDescription?: (() => Promise<string | undefined>) | undefined;
  /** Another description after one that did not work; undefined ends the run. */
  retry?: ((error: SylkError) => Promise<string | undefined>) | undefined;
  gate?: ((view: GateView, signal: AbortSignal) => Promise<GateAnswer>) | undefined;
  collision?: ((name: string, folders: string[], signal: AbortSignal) => Promise<CollisionAnswer>) | undefined;
  onPhase?: ((phase: PhaseName) => void) | undefined;
  onPlaced?: ((target: string) => void) | undefined;
}

async function withinLimit<T>(ask: (signal: AbortSignal) => Promise<T>, clock: Clock, signal: AbortSignal): Promise<T> {
  const stop = new AbortController();
  const whole = AbortSignal.any([signal, stop.signal]);
  const late = clock.sleep(GATE_TIMEOUT_MS, whole).then(
    () => "late" as const,
    () => "stopped" as const,
  );
  const asked = ask(whole).then((answer) => ({ answer }));
  try {
    const first = await Promise.race([asked, late]);
    signal.throwIfAborted();
    if (typeof first === "object") return first.answer;
    throw forgeError("E-CREATE-010", `nobody answered within ${GATE_TIMEOUT_MS / 1000} s; nothing was written`);
  } finally {
    stop.abort();
    asked.catch(() => undefined);
  }
}

export async function askGate(talk: ForgeTalk, view: GateView, clock: Clock, signal: AbortSignal): Promise<GateAnswer> {
  const { gate } = talk;
  if (gate === undefined)
    throw new SylkError({
      code: "SKILL_NEEDS_APPROVAL",
      tier: "user_fixable",
      message: `the skill ${view.name} is ready, and nobody is here to approve it`,
      fix: "look at it with --dry-run and pass --yes, or run `sylk skill resume` at a terminal",
    });
  return withinLimit((whole) => gate(view, whole), clock, signal);
}

export async function askCollision(
  talk: ForgeTalk,
  name: string,
  folders: string[],
  clock: Clock,
  signal: AbortSignal,
): Promise<CollisionAnswer> {
  const { collision } = talk;
  if (collision === undefined) throw forgeError("E-CREATE-008", `${name} exists already: ${folders.join(", ")}`);
  return withinLimit((whole) => collision(name, folders, whole), clock, signal);
}
