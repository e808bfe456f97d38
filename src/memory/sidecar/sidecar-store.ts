/**
 * The files of each agent's memory. Only the owner writes (SID-006); a write takes the sidecar's lock,
 * reads what is there now and replaces the file whole, so several processes lose nothing (SID-005).
 * Bytes that are not understood are kept as they are.
 */
import { existsSync, mkdirSync, readdirSync } from "node:fs";
import path from "node:path";
import { sha256, SylkError, type Clock, shortIds, projectFile } from "../../kernel/index.ts";
import { owning, type BlobRef, type Owned, type Store } from "../../journal/index.ts";
import { SIDECAR_FILES, type SidecarFile } from "./memory-config.ts";
import { EVENTS, STREAMS, USER, type JournalEvent, type Actor, actorText } from "../../protocol/events/index.ts";

export type SaveReason = "saved" | "refreshed" | "archived" | "restored" | "cleaned";

export interface FileWrite {
  file: SidecarFile | "ground-truth-archive.md" | `archive/${string}`;
  /** From the bytes that are there now; undefined leaves the file alone. */
  next: (now: Buffer) => Buffer | string | undefined;
  entries: number;
}

export interface SidecarParts {
  memoryDir: string;
  store: Store;
  clock: Clock;
  /** Told before anything is written into the memory's folder, so that our own needs nobody's trust. */
  beforeWrite?: (folder: string) => void;
}

const NAME = /^[a-z][a-z0-9_-]{0,63}$/;

function mustBeAgent(agent: string): string {
  if (NAME.test(agent)) return agent;
  throw new SylkError({
    code: "MEMORY_UNKNOWN_AGENT",
    tier: "user_fixable",
    message: `${JSON.stringify(agent)} cannot be an agent's name`,
    fix: "lower-case letters, digits, hyphens and underscores",
  });
}

const EMPTY = Buffer.alloc(0);
const MAX_SIDECAR_BYTES = 64 * 1024 * 1024;

/** Beside the code it is `.sylk/memory`: a repository may have put links there, so the way in is gone through too. */
function placeOf(memoryDir: string): { root: string; folder: string } {
  const root = path.dirname(path.dirname(memoryDir));
  return { root, folder: path.relative(root, memoryDir) };
}

/** The file as it is; undefined when there is none. */
export function readSidecar(memoryDir: string, agent: string, file: string): Buffer | undefined {
  const { root, folder } = placeOf(memoryDir);
  const name = path.join(mustBeAgent(agent), file);
  const found = projectFile.read(root, path.join(folder, name), { maxBytes: MAX_SIDECAR_BYTES });
  if (found.kind === "none") return undefined;
  if (found.kind === "read" && !found.cut) return found.bytes;
  throw new SylkError({
    code: "MEMORY_UNREADABLE",
    tier: "user_fixable",
    message: `${path.join(memoryDir, name)} ${found.kind === "refused" ? found.reason : "is too large"}`,
    fix: "put a regular file in its place, or remove it",
  });
}

/** Text of a file that may hold anything; garbage is told apart from text. */
export function asText(bytes: Buffer): { text: string; readable: boolean } {
  const text = bytes.toString("utf8");
  return { text, readable: !text.includes("\0") && !text.includes("\uFFFD") };
}

export function agentsWithMemory(memoryDir: string): string[] {
  if (!existsSync(memoryDir)) return [];
  return readdirSync(memoryDir, { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && NAME.test(entry.name))
    .filter((entry) => SIDECAR_FILES.some((file) => existsSync(path.join(memoryDir, entry.name, file))))
    .map((entry) => entry.name)
    .toSorted();
}

async function locked<T>(
  { store, clock }: SidecarParts,
  agent: string,
  signal: AbortSignal,
  work: (owned: Owned) => Promise<T>,
): Promise<T> {
  return owning({ work: store.work, clock }, `memory/${agent}`, { signal, waits: true }, work);
}

/** The last state the journal knows of a file. */
async function lastKnown({ store }: SidecarParts, agent: string, file: string): Promise<string | undefined> {
  const head = await store.journal.head(STREAMS.memory(agent));
  for (let to = head; to > 0; to -= 50) {
    const from = Math.max(1, to - 49);
    const events = await store.journal.read(STREAMS.memory(agent), { from, limit: to - from + 1 });
    const found = events.findLast((event) => EVENTS.memory.saved.is(event) && event.payload.file === file);
    if (found !== undefined && EVENTS.memory.saved.is(found)) return found.payload.after;
  }
  return undefined;
}

/** Writes as `actor` into `agent`'s sidecar: all files or, when one cannot be worked out, none. */
export async function writeSidecar(
  parts: SidecarParts,
  who: { actor: Actor; agent: string; reason: SaveReason; note: string },
  writes: readonly FileWrite[],
  signal: AbortSignal,
): Promise<JournalEvent[]> {
  const { actor, agent } = who;
  mustBeAgent(agent);
  if (actor.kind !== "user" && !(actor.kind === "agent" && actor.role === agent))
    throw new SylkError({
      code: "MEMORY_NOT_OWNER",
      tier: "permanent",
      message: `${actorText.spell(actor)} may not write to the memory of ${agent}`,
      fix: "an agent writes its own memory only; others refer to it",
    });
  return locked(parts, agent, signal, async (owned) => {
    const { blobs, journal } = parts.store;
    const planned = writes.flatMap((write) => {
      const now = readSidecar(parts.memoryDir, agent, write.file);
      const next = write.next(now ?? EMPTY);
      return next === undefined ? [] : [{ ...write, now, bytes: Buffer.from(next) }];
    });
    const written: JournalEvent[] = [];
    for (const { file, now, bytes, entries } of planned) {
      const before = now === undefined ? null : sha256(now);
      // What a user changed since becomes part of the history before it is built upon.
      if (now !== undefined && before !== null && (await lastKnown(parts, agent, file)) !== before)
        await journal.append(
          STREAMS.memory(agent),
          "any",
          [
            EVENTS.memory.saved.create(
              {
                agent,
                file,
                before: null,
                after: before,
                content: await blobs.put(now),
                reason: "edited_by_hand",
                entries: 0,
                note: "found on saving",
              },
              { actor: USER },
            ),
          ],
          owned.fence,
        );
      const content = await blobs.put(bytes);
      await owned.mustOwn();
      parts.beforeWrite?.(parts.memoryDir);
      const { root, folder } = placeOf(parts.memoryDir);
      const where = path.join(folder, agent, file);
      const ignore = path.join(path.dirname(where), ".gitignore");
      mkdirSync(root, { recursive: true });
      if (file.startsWith("archive/") && !existsSync(path.join(root, ignore))) projectFile.write(root, ignore, "*\n", { sync: false });
      projectFile.write(root, where, bytes);
      written.push(
        ...(await journal.append(
          STREAMS.memory(agent),
          "any",
          [
            EVENTS.memory.saved.create(
              { agent, file, before, after: sha256(bytes), content, reason: who.reason, entries, note: who.note },
              { actor },
            ),
          ],
          owned.fence,
        )),
      );
    }
    return written;
  });
}

/** Text at the end of whatever is there, one empty line between. */
export function appended(now: Buffer, header: string, text: string): Buffer {
  const tail = now.subarray(-2).toString("latin1");
  const gap = now.length === 0 ? header : tail === "\n\n" ? "" : tail.endsWith("\n") ? "\n" : "\n\n";
  return Buffer.concat([now, Buffer.from(gap + text)]);
}

export interface MemoryChange {
  event: string;
  position: number;
  at: number;
  actor: string;
  file: string;
  reason: string;
  entries: number;
  before: string | null;
  after: string;
  note: string;
}

export async function memoryHistory(store: Store, agent: string): Promise<MemoryChange[]> {
  const events = await store.journal.read(STREAMS.memory(mustBeAgent(agent)));
  return events.flatMap((event) => {
    if (!EVENTS.memory.saved.is(event)) return [];
    const { file, reason, entries, before, after, note } = event.payload;
    return [{ event: event.id, position: event.position, at: event.at, actor: event.actor, file, reason, entries, before, after, note }];
  });
}

/** A change by its position, its event's id, or a part of that. */
export async function findChange(store: Store, agent: string, which: string): Promise<MemoryChange> {
  const changes = await memoryHistory(store, agent);
  const byPart = shortIds.match(
    which,
    changes.map((one) => one.event),
  );
  const change =
    changes.find((one) => String(one.position) === which) ?? changes.find((one) => byPart.kind === "one" && one.event === byPart.id);
  if (change !== undefined) return change;
  throw new SylkError({
    code: "MEMORY_NO_SUCH_EVENT",
    tier: "user_fixable",
    message: byPart.kind === "several" ? `${which} could be ${byPart.ids.length} changes of ${agent}` : `${agent} has no change ${which}`,
    fix: `\`sylk memory log ${agent}\` shows them`,
  });
}

/** Brings back the file as it was after an event. */
export async function restoreSidecar(parts: SidecarParts, agent: string, which: string, signal: AbortSignal): Promise<MemoryChange> {
  const change = await findChange(parts.store, agent, which);
  const event = await parts.store.journal.find(change.event as JournalEvent["id"]);
  if (event === undefined || !EVENTS.memory.saved.is(event))
    throw new Error(`the change ${change.event} is in the history and not in the journal`);
  const bytes = Buffer.from(await parts.store.blobs.get(event.payload.content as BlobRef));
  const write: FileWrite = { file: event.payload.file as FileWrite["file"], next: () => bytes, entries: 0 };
  await writeSidecar(parts, { actor: USER, agent, reason: "restored", note: `as of ${event.id}` }, [write], signal);
  return change;
}
