/**
 * Folds events into view rows. A view remembers the position up to which it has folded; an append
 * folds its own events in the same transaction when the view is up to date, and whoever finds it
 * behind (a new view, a new version, an append by a process that does not know it) catches it up.
 */
import { SylkError, type Clock, must } from "../../kernel/index.ts";
import type { View, ViewRow } from "../types.ts";
import type { EventLog } from "./event-log.ts";
import { malformedEvent } from "./malformed-event.ts";
import type { Writer } from "./writer.ts";
import type { JournalEvent } from "../../protocol/events/index.ts";
import { rowOf, rowsOf } from "./rows.ts";

type AnyView = View<unknown>;

interface Pending {
  state: unknown;
  seq: number;
  stored: boolean;
}

/** How far a view is folded that was found behind. */
export interface BuildProgress {
  view: string;
  done: number;
  total: number;
}

export interface ViewParts {
  log: EventLog;
  writer: Writer;
  views: readonly AnyView[];
  /** Told of an event that cannot be understood and was left out of a view. */
  onMalformed: (error: SylkError) => void;
  clock: Clock;
  /** Told now and then while catching up takes longer than a second. */
  onBuilding?: ((progress: BuildProgress) => void) | undefined;
}

const TELL_EVERY_MS = 1_000;

/** Small enough that one chunk does not hold the event loop. */
const CATCH_UP_CHUNK = 1_000;

export class ViewEngine {
  private readonly log: EventLog;
  private readonly writer: Writer;
  private readonly views: readonly AnyView[];
  /** Told of an event that cannot be understood and was left out of a view. */
  private readonly onMalformed: (error: SylkError) => void;
  private readonly clock: Clock;
  private readonly onBuilding: ((progress: BuildProgress) => void) | undefined;
  /** Asks for, and moves, those known here that stand at one position; others may know more. */
  private readonly moving: { names: string[]; current: string; move: string };

  constructor(parts: ViewParts) {
    this.log = parts.log;
    this.writer = parts.writer;
    this.views = parts.views;
    this.onMalformed = parts.onMalformed;
    this.clock = parts.clock;
    this.onBuilding = parts.onBuilding;
    const names = parts.views.map((view) => view.name);
    const at = `position = ? AND name IN (${names.map(() => "?").join(", ")})`;
    this.moving = { names, current: `SELECT name FROM views WHERE ${at}`, move: `UPDATE views SET position = ? WHERE ${at}` };
  }

  /** Registers versions, empties what must be rebuilt, and catches up. */
  async open(): Promise<void> {
    const isKnown = (view: AnyView): boolean => this.versionOf(view) === view.version;
    if (!this.views.every(isKnown)) await this.register();
    await this.catchUp();
  }

  private async register(): Promise<void> {
    await this.writer.derive(() => {
      for (const view of this.views) {
        const version = this.versionOf(view);
        if (version !== undefined && version > view.version) {
          throw new SylkError({
            code: "STORE_NEWER",
            tier: "user_fixable",
            message: `view ${view.name} was written by a newer Sylk (version ${version}, this one knows ${view.version})`,
            fix: "update Sylk",
          });
        }
        if (version !== view.version) this.empty(view);
      }
    });
  }

  private versionOf(view: AnyView): number | undefined {
    return rowOf(this.log.sql("SELECT version FROM views WHERE name = ?").get(view.name), { version: "number" })?.version;
  }

  private empty(view: AnyView): void {
    this.log.sql("DELETE FROM view_rows WHERE view = ?").run(view.name);
    this.log.sql("INSERT OR REPLACE INTO views (name, version, position) VALUES (?, ?, 0)").run(view.name, view.version);
  }

  /** Folds everything again from the first event. */
  async rebuild(): Promise<void> {
    await this.writer.derive(() => {
      for (const view of this.views) this.empty(view);
    });
    await this.catchUp();
  }

  private position(view: AnyView): number {
    return rowOf(this.log.sql("SELECT position FROM views WHERE name = ?").get(view.name), { position: "number" })?.position ?? 0;
  }

  async catchUp(views: readonly AnyView[] = this.views): Promise<void> {
    let told = this.clock.monotonic();
    for (const view of views) {
      while (this.position(view) < this.log.headPosition()) {
        if (this.clock.monotonic() - told >= TELL_EVERY_MS) {
          told = this.clock.monotonic();
          this.onBuilding?.({ view: view.name, done: this.position(view), total: this.log.headPosition() });
        }
        await this.writer.derive(() => {
          const from = this.position(view);
          const events = this.log.readAll(from, CATCH_UP_CHUNK, view.types === undefined ? {} : { types: view.types });
          this.fold(view, events);
          const upTo = events.length < CATCH_UP_CHUNK ? this.log.headPosition() : must(events.at(-1)).position;
          this.log.sql("UPDATE views SET position = ? WHERE name = ?").run(upTo, view.name);
        });
      }
    }
  }

  /** Called inside the transaction that appended `events`. */
  afterAppend(events: readonly JournalEvent[]): void {
    const before = must(events[0]).position - 1;
    const upTo = must(events.at(-1)).position;
    const { names, current, move } = this.moving;
    const upToDate = rowsOf(this.log.sql(current).all(before, ...names), { name: "text" }).map((row) => row.name);
    for (const view of this.views) if (upToDate.includes(view.name)) this.fold(view, events);
    this.log.sql(move).run(upTo, before, ...names);
  }

  private fold(view: AnyView, events: readonly JournalEvent[]): void {
    const pending = new Map<string, Pending>();
    const newest = new Map<string, JournalEvent>();
    for (const event of events) {
      if (view.types !== undefined && !view.types.includes(event.type)) continue;
      if (event.fault !== undefined && view.snapshotEvery === undefined) {
        this.onMalformed(malformedEvent(event));
        continue;
      }
      const key = view.key(event);
      if (key === undefined) continue;
      if (view.snapshotEvery !== undefined) {
        newest.set(key, event);
        continue;
      }
      let entry = pending.get(key);
      if (entry === undefined) pending.set(key, (entry = this.load(view, key)));
      entry.state = view.reduce(entry.state, event, key);
      entry.seq = event.position;
    }
    for (const [key, entry] of pending) this.save(view, key, entry);
    for (const [key, event] of newest) this.snapshot(view, key, event);
  }

  private load(view: AnyView, key: string): Pending {
    const row = rowOf(this.log.sql("SELECT seq, state FROM view_rows WHERE view = ? AND key = ?").get(view.name, key), {
      seq: "number",
      state: "text",
    });
    return row === undefined ? { state: undefined, seq: 0, stored: false } : { state: JSON.parse(row.state), seq: row.seq, stored: true };
  }

  private save(view: AnyView, key: string, entry: Pending): void {
    if (entry.state === undefined) {
      if (entry.stored) this.log.sql("DELETE FROM view_rows WHERE view = ? AND key = ?").run(view.name, key);
      return;
    }
    this.log
      .sql("INSERT OR REPLACE INTO view_rows (view, key, seq, state) VALUES (?, ?, ?, ?)")
      .run(view.name, key, entry.seq, JSON.stringify(entry.state));
  }

  /** Snapshot views: `seq` of the row is the stream's sequence up to which the state is folded. */
  private snapshot(view: AnyView, key: string, event: JournalEvent): void {
    if (key !== event.stream) {
      throw new SylkError({
        code: "VIEW_INVALID",
        tier: "permanent",
        message: `view ${view.name} keeps snapshots, so its key must be the stream`,
      });
    }
    const row = rowOf(this.log.sql("SELECT seq FROM view_rows WHERE view = ? AND key = ?").get(view.name, key), { seq: "number" });
    if (row !== undefined && event.seq - row.seq < (view.snapshotEvery as number)) return;
    const found = this.understood(view, key, event.seq);
    if (found !== undefined) this.save(view, key, { state: found.state, seq: event.seq, stored: row !== undefined });
  }

  private folded(view: AnyView, key: string, upTo: number): unknown {
    const entry = this.load(view, key);
    let state = entry.state;
    for (let from = entry.seq + 1; from <= upTo; from += CATCH_UP_CHUNK) {
      const events = this.log.read(key, from, Math.min(CATCH_UP_CHUNK, upTo - from + 1));
      for (const event of events) {
        if (view.types !== undefined && !view.types.includes(event.type)) continue;
        if (event.fault !== undefined) throw malformedEvent(event);
        state = view.reduce(state, event, key);
      }
    }
    return state;
  }

  /** Undefined when an event of the stream cannot be understood: one of many must not stop the others. */
  private understood(view: AnyView, key: string, upTo: number): { state: unknown } | undefined {
    try {
      return { state: this.folded(view, key, upTo) };
    } catch (error) {
      if (!SylkError.is(error, "JOURNAL_MALFORMED_EVENT")) throw error;
      this.onMalformed(error);
      return undefined;
    }
  }

  private async ready(view: AnyView): Promise<void> {
    if (!this.views.includes(view)) {
      throw new SylkError({
        code: "VIEW_UNKNOWN",
        tier: "permanent",
        message: `view ${view.name} was not registered when the store was opened`,
      });
    }
    if (this.position(view) < this.log.headPosition()) await this.catchUp([view]);
  }

  async get<State>(view: View<State>, key: string): Promise<State | undefined> {
    await this.ready(view);
    if (view.snapshotEvery !== undefined) return this.folded(view, key, this.log.head(key).seq) as State | undefined;
    return this.load(view, key).state as State | undefined;
  }

  async list<State>(view: View<State>, options: { prefix?: string; limit?: number; reverse?: boolean } = {}): Promise<ViewRow<State>[]> {
    await this.ready(view);
    const prefix = options.prefix ?? "";
    const order = options.reverse === true ? "DESC" : "ASC";
    const rows = rowsOf(
      this.log
        .sql(`SELECT key, state FROM view_rows WHERE view = ? AND key >= ? AND key < ? ORDER BY key ${order} LIMIT ?`)
        .all(view.name, prefix, `${prefix}\u{10ffff}`, options.limit ?? 1_000_000),
      { key: "text", state: "text" },
    );
    if (view.snapshotEvery !== undefined) {
      return rows.flatMap(({ key }) => {
        const found = this.understood(view, key, this.log.head(key).seq);
        return found === undefined ? [] : [{ key, state: found.state as State }];
      });
    }
    return rows.map(({ key, state }) => ({ key, state: JSON.parse(state) as State }));
  }

  async count<State>(view: View<State>, prefix: string): Promise<number> {
    await this.ready(view);
    const row = must(
      rowOf(
        this.log
          .sql("SELECT count(*) AS n FROM view_rows WHERE view = ? AND key >= ? AND key < ?")
          .get(view.name, prefix, `${prefix}\u{10ffff}`),
        { n: "number" },
      ),
    );
    return row.n;
  }

  async keys<State>(view: View<State>, prefix: string): Promise<string[]> {
    await this.ready(view);
    const rows = this.log
      .sql("SELECT key FROM view_rows WHERE view = ? AND key >= ? AND key < ? ORDER BY key")
      .all(view.name, prefix, `${prefix}\u{10ffff}`);
    return rowsOf(rows, { key: "text" }).map(({ key }) => key);
  }
}
