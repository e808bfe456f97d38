/** The user's MCP servers: what is written down, whether it counts, and what they have to say. */
import { z } from "zod";
import { defineCall, nothing } from "./define-call.ts";

const texts = z.record(z.string(), z.string());
const reach = z.discriminatedUnion("kind", [
  z.strictObject({ kind: z.literal("stdio"), command: z.string().min(1), args: z.array(z.string()), env: texts }),
  z.strictObject({ kind: z.literal("http"), url: z.url(), headers: texts }),
]);

const found = z.discriminatedUnion("ok", [
  z.strictObject({ ok: z.literal(true), server: z.string(), protocol: z.string(), tools: z.int() }),
  z.strictObject({ ok: z.literal(false), why: z.string() }),
]);

const line = z.strictObject({
  name: z.string(),
  from: z.enum(["user", "project"]),
  file: z.string(),
  /** Null: what stands there cannot be read. */
  kind: z.enum(["stdio", "http"]).nullable(),
  /** Its command line, or its address; without the values of its environment and headers. */
  target: z.string(),
  counts: z.boolean(),
  /** Why it does not count. */
  why: z.string().optional(),
  /** How it answered, when it was asked. */
  found: found.optional(),
});

const file = z.strictObject({ file: z.string() });

export const commands = {
  "mcp.add": defineCall(z.strictObject({ name: z.string(), reach, scope: z.enum(["user", "project"]) }), file),
  /** The address where the user agrees; null: there is nothing to agree to. Then they are sent back to `redirect_url`. */
  "mcp.begin_login": defineCall(
    z.strictObject({
      server: z.string(),
      redirect_url: z.url(),
      /** As whom Sylk was registered there by hand. */
      client: z.strictObject({ client_id: z.string().min(1), client_secret: z.string().optional() }).optional(),
    }),
    z.strictObject({ url: z.string().nullable() }),
  ),
  /** With the query they were sent back with. */
  "mcp.end_login": defineCall(z.strictObject({ server: z.string(), query: z.string() }), nothing),
  "mcp.logout": defineCall(z.strictObject({ server: z.string() }), z.strictObject({ was_signed_in: z.boolean() })),
  "mcp.remove": defineCall(z.strictObject({ name: z.string() }), file),
};

export const queries = {
  /** `check` connects to those that count; without it nothing is started. */
  "mcp.list": defineCall(z.strictObject({ check: z.boolean() }), z.array(line)),
  /** A server's prompt with these arguments, `name=value` or in their order. */
  "mcp.prompt": defineCall(
    z.strictObject({ server: z.string(), prompt: z.string(), words: z.array(z.string()) }),
    z.strictObject({ text: z.string() }),
  ),
};
