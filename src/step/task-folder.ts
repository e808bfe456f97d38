/**
 * The task as files a user can open (CTX-007), under `tasks/<id>/` of the project's private folder. Views of the journal:
 * written after each step, rebuilt on demand, never read back.
 */
import { existsSync } from "node:fs";
import { appendFile, chmod, mkdir, rename, rm, writeFile } from "node:fs/promises";
import path from "node:path";
import { stringify } from "yaml";
import { isoTime, type Clock } from "../kernel/index.ts";
import type { Blobs } from "../journal/index.ts";
import type { TaskState } from "./task-state.ts";
import { EVENTS, decode, type JournalEvent } from "../protocol/events/index.ts";

export interface TaskFolder {
  dir: string;
  /** Adds what happened and renews the rest, a moment later, in the background and in order. */
  update(events: readonly JournalEvent[], state: TaskState): void;
  /** Writes everything anew. */
  rebuild(events: readonly JournalEvent[], state: TaskState): void;
  /** Resolves when what was asked for so far is written; rejects when it could not be. */
  written(): Promise<void>;
}

function actionLines(happened: JournalEvent): Record<string, unknown> | undefined {
  const event = decode(EVENTS.task, happened);
  switch (event?.type) {
    case "task.acted": {
      const { step, action, target, ok, outcome, summary, files } = event.payload;
      const changed = files.length > 0 ? { files: files.map((file) => `${file.operation} ${file.path}`) } : {};
      return { step, at: isoTime(event.at), action, target, ok, outcome, summary, ...changed };
    }
    case "task.stepped": {
      const { step, invalid } = event.payload;
      return invalid === undefined ? undefined : { step, at: isoTime(event.at), action: "invalid_action", ok: false, summary: invalid };
    }
    case "task.verified":
      return {
        step: event.payload.step,
        at: isoTime(event.at),
        verification: event.payload.checks.map((check) => `${check.name}: ${check.passed ? "passes" : check.summary}`),
        ready: event.payload.ready,
      };
    default:
      return undefined;
  }
}

function stateView(state: TaskState): Record<string, unknown> {
  return {
    status: state.status,
    phase: state.phase,
    step: state.step,
    step_limit: state.limit,
    reason: state.reason,
    ...(state.question === undefined ? {} : { question: state.question }),
    ...(state.report === undefined ? {} : { report: state.report }),
    verification: (state.verification?.checks ?? []).map((check) => ({ name: check.name, passed: check.passed, summary: check.summary })),
    ready: state.verification?.ready ?? false,
    changed_files: Object.keys(state.changedFiles),
    tokens: state.usage,
  };
}

function memoryView(state: TaskState): Record<string, unknown> {
  return {
    items: state.memory.items.map(({ key, kind, title, pinned, step }) => ({ key, kind, title, pinned, step })),
    facts: state.memory.facts,
    notes: state.memory.notes,
  };
}

/** Snapshots are copies of files that may be nobody else's to read. */
const PRIVATE_FOLDER = 0o700;
const PRIVATE_FILE = 0o600;

/** Steps that follow each other faster than anyone reads are written together. */
const RENEW_AFTER_MS = 500;

export function createTaskFolder(tasksDir: string, id: string, blobs: Blobs, clock: Clock): TaskFolder {
  const dir = path.join(tasksDir, id);
  const file = (name: string): string => path.join(dir, name);
  let last: Promise<unknown> = Promise.resolve();
  let events: JournalEvent[] = [];
  let newest: TaskState | undefined;
  let hurry = new AbortController();
  let renewal: Promise<void> | undefined;
  let trouble: Error | undefined;
  const inTurn = (work: () => Promise<void>): void => {
    last = last.then(work).then(
      () => (trouble = undefined),
      // Whoever waits for `written` hears of it; the next renewal tries again.
      (error: unknown) => (trouble = error instanceof Error ? error : new Error(String(error))),
    );
  };
  const renewSoon = (): void => {
    renewal ??= clock
      .sleep(RENEW_AFTER_MS, hurry.signal)
      .catch(() => undefined)
      .then(() => {
        renewal = undefined;
        inTurn(renew);
      });
  };

  /** Whole or not at all, without holding up the event loop. */
  const put = async (name: string, value: unknown): Promise<void> => {
    const target = file(name);
    const temp = `${target}.${process.pid}.tmp`;
    await writeFile(temp, typeof value === "string" || value instanceof Uint8Array ? value : stringify(value), { mode: PRIVATE_FILE });
    await rename(temp, target);
  };

  const start = async (state: TaskState): Promise<void> => {
    await mkdir(tasksDir, { recursive: true });
    await chmod(tasksDir, PRIVATE_FOLDER);
    for (const sub of ["inputs", "outputs", "snapshots"])
      await mkdir(path.join(dir, "artifacts", sub), { recursive: true, mode: PRIVATE_FOLDER });
    const { id: taskId, goal, type, role, criteria, constraints, checks, rules, inputs, model, profile, max_steps, place } = state.created;
    await put("task.yaml", {
      id: taskId,
      goal,
      type,
      role,
      criteria,
      constraints,
      checks,
      rules: rules.map((rule) => rule.path),
      inputs,
      model,
      profile,
      max_steps,
      place,
      created_at: isoTime(state.createdAt),
    });
  };

  const snapshots = async (event: JournalEvent): Promise<void> => {
    if (!EVENTS.task.acted.is(event)) return;
    for (const change of event.payload.files) {
      if (change.snapshot === undefined || change.before === null) continue;
      const target = path.join("artifacts", "snapshots", `${event.payload.step}-${change.path.replaceAll(/[\\/]/g, "__")}`);
      if (!existsSync(file(target))) await put(target, await blobs.get(change.snapshot as Parameters<Blobs["get"]>[0]));
    }
  };

  const renew = async (): Promise<void> => {
    const state = newest;
    const happened = events;
    events = [];
    if (state === undefined) return;
    if (!existsSync(file("task.yaml")) || happened.some((event) => EVENTS.task.created.is(event))) await start(state);
    const lines = happened.flatMap((event) => actionLines(event) ?? []);
    try {
      if (lines.length > 0) await appendFile(file("actions.yaml"), stringify(lines), { mode: PRIVATE_FILE });
    } catch (error) {
      events = [...happened, ...events];
      throw error;
    }
    for (const event of happened) {
      await snapshots(event);
      if (EVENTS.task.decided.is(event) && event.payload.decision === "complete" && event.payload.report !== undefined)
        await put(path.join("artifacts", "outputs", "report.md"), `${event.payload.report}\n`);
    }
    await put("state.yaml", stateView(state));
    await put("working_memory.yaml", memoryView(state));
  };

  return {
    dir,
    update(more, state) {
      newest = state;
      events.push(...more);
      renewSoon();
    },
    rebuild(all, state) {
      newest = state;
      events = [...all];
      inTurn(() => rm(dir, { recursive: true, force: true }));
      renewSoon();
    },
    async written() {
      hurry.abort();
      hurry = new AbortController();
      await renewal;
      await last;
      if (trouble !== undefined) throw trouble;
    },
  };
}
