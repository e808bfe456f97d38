/** Errors on their way over the wire, and back into the one class that everybody knows. */
import { z } from "zod";
import { messageOf, SylkError } from "../../kernel/index.ts";

export const wireError = z.object({
  code: z.string(),
  tier: z.enum(["transient", "permanent", "user_fixable", "external_rate_limit", "external_degrading"]),
  message: z.string(),
  fix: z.string().optional(),
  details: z.record(z.string(), z.unknown()).optional(),
});

export function errorToWire(error: unknown): Record<string, unknown> {
  return SylkError.is(error) ? error.toJSON() : { code: "UNEXPECTED", tier: "permanent", message: messageOf(error) };
}

export function errorFromWire(said: z.infer<typeof wireError>): Error {
  // What nobody foresaw is told as it is in process, by its message alone.
  return said.code === "UNEXPECTED" ? new Error(said.message) : SylkError.revive(said);
}

const STATUS: Readonly<Record<z.infer<typeof wireError>["tier"], number>> = {
  user_fixable: 422,
  permanent: 500,
  transient: 503,
  external_rate_limit: 429,
  external_degrading: 502,
};

const OWN: Readonly<Record<string, number>> = { API_UNKNOWN_TYPE: 404, API_BAD_INPUT: 400, API_TOO_LARGE: 413 };

export function statusOf(error: unknown): number {
  return SylkError.is(error) ? (OWN[error.code] ?? STATUS[error.tier]) : 500;
}
