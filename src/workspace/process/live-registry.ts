/**
 * Remembers on disk which processes are alive, so that those of a Sylk that was killed are ended by
 * the next one (TOO-013). A process is named by pid and start time: a reused pid is left alone.
 */
import { mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { z } from "zod";
import { markedProcesses, signalTree, startTicks } from "./process-tree.ts";

const recordSchema = z.object({
  mark: z.string().min(1),
  pid: z.number().int().positive(),
  startTicks: z.string().optional(),
  owner: z.number().int().positive(),
  ownerTicks: z.string().optional(),
});

export interface LiveRegistry {
  /** Ends, once, what owners that no longer live left behind; the number of invocations ended. */
  reap(): Promise<number>;
  /** Call the result when the process has ended. */
  add(pid: number, mark: string): () => void;
}

function alive(pid: number, ticks: string | undefined): boolean {
  const now = startTicks(pid);
  return now !== undefined && (ticks === undefined || now === ticks);
}

async function reapOne(file: string): Promise<boolean> {
  let text: string;
  try {
    text = readFileSync(file, "utf8");
  } catch {
    return false; // Another process reaped it first.
  }
  const record = recordSchema.safeParse(JSON.parse(text === "" ? "null" : text));
  if (record.success && alive(record.data.owner, record.data.ownerTicks)) return false;
  rmSync(file, { force: true });
  if (!record.success) return false;
  const { pid, mark } = record.data;
  const left = alive(pid, record.data.startTicks) || (await markedProcesses(mark)).length > 0;
  return left && (await signalTree(alive(pid, record.data.startTicks) ? pid : -1, mark, "SIGKILL"));
}

export function createLiveRegistry(folder: string): LiveRegistry {
  let reaping: Promise<number> | undefined;
  return {
    reap() {
      reaping ??= (async () => {
        let names: string[] = [];
        try {
          names = readdirSync(folder);
        } catch {
          return 0; // Nothing was ever started.
        }
        let ended = 0;
        for (const name of names) if (await reapOne(path.join(folder, name))) ended += 1;
        return ended;
      })();
      return reaping;
    },
    add(pid, mark) {
      const file = path.join(folder, `${mark}.json`);
      mkdirSync(folder, { recursive: true, mode: 0o700 });
      const record: z.input<typeof recordSchema> = {
        mark,
        pid,
        startTicks: startTicks(pid),
        owner: process.pid,
        ownerTicks: startTicks(process.pid),
      };
      writeFileSync(file, JSON.stringify(record), { mode: 0o600 });
      return () => rmSync(file, { force: true });
    },
  };
}
