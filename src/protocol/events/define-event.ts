/**
 * What an event type is: its name, its version, its schema, and how a payload of the version before becomes
 * one of this. The version stands in the payload as `v`, from 2 on; so the first versions look as they always did.
 * A payload is checked when it is written and decoded when it is read; of unknown types nothing is asked.
 */
import type { ZodType } from "zod";
import type { Json, newId } from "../../kernel/index.ts";
import type { Actor } from "./actor.ts";

type EventId = ReturnType<typeof newId<"event">>;

/** One fact that happened, as it is read: its payload in the newest version, its actor in the one spelling. */
export interface JournalEvent<Payload = Json, Type extends string = string> {
  /** Place in the whole journal, from 1, without gaps. */
  readonly position: number;
  readonly stream: string;
  /** Place in its stream, from 1, without gaps. */
  readonly seq: number;
  readonly id: EventId;
  readonly type: Type;
  /** Milliseconds since the epoch, by the store's clock. */
  readonly at: number;
  /** `user`, `agent/<role>`, `system/<part>`. */
  readonly actor: string;
  readonly causationId: string | null;
  readonly correlationId: string | null;
  readonly payload: Payload;
  readonly prevHash: string;
  /** Covers the canonical JSON of every other field as it is stored. */
  readonly hash: string;
  /** Why a payload of a known type cannot be understood; it is then as it was stored. */
  readonly fault?: string | undefined;
}

/** What a caller hands in; the store adds place, time and hashes. */
export interface NewEvent<Payload = unknown> {
  type: string;
  payload: Payload;
  actor: Actor;
  /** Given to make a retry after a lost reply harmless: an event already stored under this id is returned, not repeated. */
  id?: EventId | undefined;
  causationId?: string | undefined;
  correlationId?: string | undefined;
}

export interface EventType<Type extends string, Payload> {
  readonly type: Type;
  /** Builds an event for `append`; the payload is validated when it is written. */
  create(payload: Payload, meta: Omit<NewEvent, "type" | "payload">): NewEvent<Payload>;
  /** Narrows an event that was read. One that cannot be understood is none. */
  is(event: JournalEvent<unknown>): event is JournalEvent<Payload, Type>;
}

type Fields = Record<string, Json>;

interface Definition<Type extends string = string, Payload = unknown> {
  type: Type;
  version: number;
  schema: ZodType<Payload>;
  /** Makes a payload of version `from` one of the next. */
  upcast?: (old: Fields, from: number) => Fields;
}

const definitions = new Map<string, Definition>();

/** Declares an event type once, at module load. */
export function defineEvent<Type extends string, Payload>(definition: Definition<Type, Payload>): EventType<Type, Payload> {
  const { type } = definition;
  definitions.set(type, definition);
  return {
    type,
    create: (payload, meta) => ({ type, payload, ...meta }),
    is: (event): event is JournalEvent<Payload, Type> => event.type === type && event.fault === undefined,
  };
}

export type Checked = { kind: "known"; value: unknown; version: number } | { kind: "unknown" } | { kind: "malformed"; problem: string };

function problemOf(issues: readonly { path: PropertyKey[]; message: string }[]): string {
  return issues.map((issue) => `${issue.path.join(".") || "payload"}: ${issue.message}`).join("; ");
}

/** A payload about to be written, in the newest version. */
function check(type: string, payload: unknown): Checked {
  const definition = definitions.get(type);
  if (definition === undefined) return { kind: "unknown" };
  const parsed = definition.schema.safeParse(payload);
  return parsed.success
    ? { kind: "known", value: parsed.data, version: definition.version }
    : { kind: "malformed", problem: problemOf(parsed.error.issues) };
}

/** What is stored: the version goes with it when it is not the first. */
function withVersion(value: unknown, version: number): unknown {
  return version === 1 ? value : { ...(value as Fields), v: version };
}

/** A stored payload, whatever its version, as the newest one. */
function decodeStored(type: string, stored: Json): Checked {
  const definition = definitions.get(type);
  if (definition === undefined) return { kind: "unknown" };
  try {
    return check(type, newest(definition, stored));
  } catch (error) {
    return { kind: "malformed", problem: error instanceof Error ? error.message : String(error) };
  }
}

function newest({ version, upcast }: Definition, stored: Json): Json {
  if (typeof stored !== "object" || stored === null || Array.isArray(stored)) return stored;
  if (version === 1 && stored["v"] === undefined) return stored;
  const { v = 1, ...fields } = stored;
  if (typeof v !== "number" || !Number.isInteger(v) || v < 1) throw new Error("v: is no version");
  if (v > version) throw new Error(`it was written by a newer Sylk (version ${v}, this one knows ${version})`);
  let payload: Fields = fields;
  for (let from = v; from < version; from += 1) payload = upcast?.(payload, from) ?? payload;
  return payload;
}

/** Payloads on their way into the journal and out of it. */
export const payloads = { check, withVersion, decode: decodeStored } as const;

type Kinds = Readonly<Record<string, EventType<string, unknown>>>;
type Of<Kind> = Kind extends EventType<infer Type, infer Payload> ? JournalEvent<Payload, Type> : never;
/** Every event of a stream kind: a `switch` over `type` that forgets one does not compile. */
export type EventOf<Record extends Kinds> = Of<Record[keyof Record]>;
export type PayloadOf<Kind> = Kind extends EventType<string, infer Payload> ? Payload : never;

export function typesOf(kinds: Kinds): string[] {
  return Object.values(kinds).map((kind) => kind.type);
}

const known = new WeakMap<Kinds, ReadonlySet<string>>();

function typeSet(kinds: Kinds): ReadonlySet<string> {
  const found = known.get(kinds) ?? new Set(typesOf(kinds));
  known.set(kinds, found);
  return found;
}

/** Narrows an event to its stream kind; undefined for one of another kind, or one that cannot be understood. */
export function decode<K extends Kinds>(kinds: K, event: JournalEvent<unknown>): EventOf<K> | undefined {
  return typeSet(kinds).has(event.type) && event.fault === undefined ? (event as EventOf<K>) : undefined;
}
