/**
 * The one error class that crosses floors. Its tier alone selects retry, notification and
 * recovery (ERR-001); `fix` is present whenever a user can act on it.
 */
import type { ErrorCode } from "./error-codes.ts";

export type ErrorTier = "transient" | "permanent" | "user_fixable" | "external_rate_limit" | "external_degrading";

export interface SylkErrorInit {
  /** Stable machine name, one of the registry. */
  code: ErrorCode;
  tier: ErrorTier;
  /** One line: what happened. */
  message: string;
  /** One line: what a user can do about it. */
  fix?: string | undefined;
  cause?: unknown;
  /** Plain JSON for machines; never secrets. */
  details?: Record<string, unknown> | undefined;
}

export class SylkError extends Error {
  readonly code: ErrorCode;
  readonly tier: ErrorTier;
  readonly fix: string | undefined;
  readonly details: Record<string, unknown>;

  constructor(init: SylkErrorInit) {
    super(init.message, init.cause === undefined ? undefined : { cause: init.cause });
    this.name = "SylkError";
    this.code = init.code;
    this.tier = init.tier;
    this.fix = init.fix;
    this.details = init.details ?? {};
  }

  /** Whether it is one, with that code when one is named. */
  static is(error: unknown, code?: ErrorCode): error is SylkError {
    return error instanceof SylkError && (code === undefined || error.code === code);
  }

  /** One that another process or thread told of; it may be newer and know further codes. */
  static revive(said: Omit<SylkErrorInit, "code"> & { code: string }): SylkError {
    return new SylkError({ ...said, code: said.code as ErrorCode });
  }

  toJSON(): Record<string, unknown> {
    return {
      code: this.code,
      tier: this.tier,
      message: this.message,
      ...(this.fix === undefined ? {} : { fix: this.fix }),
      ...(Object.keys(this.details).length === 0 ? {} : { details: this.details }),
    };
  }
}

/** Cancelling is not an error (ERR-009): abort reasons must not be classified or retried. */
export function isAbort(error: unknown): boolean {
  return error instanceof Error && (error.name === "AbortError" || (error as { code?: string }).code === "ABORT_ERR");
}

/** Where the compiler knows that nothing is left. */
export function unreachable(value: never): never {
  throw new Error(`not expected: ${JSON.stringify(value)}`);
}

/** What the code around it guarantees to be there: `list[i]` within its bounds, a group of a pattern that matched. */
export function must<T>(value: T | undefined): T {
  if (value === undefined) throw new Error("a value that is always there is missing");
  return value;
}

/** The text of anything thrown. */
export function messageOf(error: unknown): string {
  if (error instanceof Error) return error.message;
  try {
    return String(error);
  } catch {
    // An object that refuses to be a string is still thrown by somebody.
    return Object.prototype.toString.call(error);
  }
}

/** The `code` of a Node system error (`ENOENT`, …), looking through causes. */
export function systemCode(error: unknown): string | undefined {
  for (let e: unknown = error, depth = 0; e instanceof Error && depth < 8; e = e.cause, depth += 1) {
    const code = (e as NodeJS.ErrnoException).code;
    if (typeof code === "string" && /^(?!ERR_)E[A-Z0-9_]+$/.test(code)) return code;
  }
  return undefined;
}
