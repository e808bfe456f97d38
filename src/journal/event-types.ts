/**
 * Event types. Each module declares its own with a schema; the journal validates payloads on write
 * and lets unknown types through on read.
 */
import type { ZodType } from "zod";
import type { EventType, JournalEvent } from "./types.ts";

const schemas = new Map<string, ZodType>();

/** Declares an event type once, at module load. */
export function defineEvent<Payload>(type: string, schema: ZodType<Payload>): EventType<Payload> {
  schemas.set(type, schema);
  return {
    type,
    create: (payload, meta) => ({ type, payload, ...meta }),
    is: (event: JournalEvent<unknown>): event is JournalEvent<Payload> => event.type === type,
  };
}

export function schemaOf(type: string): ZodType | undefined {
  return schemas.get(type);
}
