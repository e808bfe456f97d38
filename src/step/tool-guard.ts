/**
 * A broken tool is a result the model can react to, not the end of the task (TOO-043). What fails for a moment is tried
 * again where trying twice does no harm; a tool that keeps breaking is left alone for a while (ERR-037, ERR-038): one
 * breaker for each, by the rules of the models' breakers. What a command or a check says is no failure of the tool.
 */
import { isAbort, messageOf, SylkError, systemCode, type Clock } from "../kernel/index.ts";
import { breaker } from "../model/index.ts";
import type { Action, ActionResult } from "./actions/action.ts";
import { isWaiting } from "./wait-for-answer.ts";

const RULES = {
  consecutiveFailures: 5,
  failureRateThreshold: 0.5,
  rateWindowSize: 20,
  cooldownMs: 30_000,
  successThreshold: 1,
  probeTimeoutMs: 60_000,
};
/** Waits before the second and the third try. */
const WAITS_MS = [100, 400];
const PASSING = new Set(["EAGAIN", "EBUSY", "EMFILE", "ENFILE", "ETIMEDOUT", "ECONNRESET"]);
const OWNER = "tool";

function isPassing(error: unknown): boolean {
  return SylkError.is(error) ? error.tier === "transient" : PASSING.has(systemCode(error) ?? "");
}

/** What a person can put right says nothing about the tool. */
function isOfTheTool(error: unknown): boolean {
  return !(SylkError.is(error) && error.tier === "user_fixable");
}

export class ToolGuard {
  readonly #clock: Clock;
  readonly #records = new Map<string, typeof breaker.CLOSED>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  async run(action: Action, work: () => Promise<ActionResult>, signal: AbortSignal): Promise<ActionResult> {
    const refused = this.#refusal(action);
    if (refused !== undefined) return refused;
    // A file may have been written, a command may have run: those are never simply done again.
    const waits = action.effect === "files" || action.effect === "process" ? [] : WAITS_MS;
    for (let tries = 0; ; tries += 1) {
      try {
        const result = await work();
        this.#record(action, true);
        return result;
      } catch (error) {
        if (isAbort(error) || signal.aborted || isWaiting(error)) throw error;
        const wait = isPassing(error) ? waits[tries] : undefined;
        if (wait === undefined) {
          if (isOfTheTool(error)) this.#record(action, false);
          const often = tries === 0 ? "" : ` (${tries + 1} times)`;
          return { ok: false, outcome: "error", summary: `${action.name} broke${often}: ${messageOf(error)}` };
        }
        await this.#clock.sleep(wait, signal);
      }
    }
  }

  #refusal({ name }: Action): ActionResult | undefined {
    const record = this.#records.get(name);
    if (record === undefined) return undefined;
    const now = this.#clock.monotonic();
    const admitted = breaker.admission(record, RULES, now);
    if (admitted.kind === "probe") this.#records.set(name, breaker.claimProbe(record, RULES, OWNER, now));
    if (admitted.kind !== "deny") return undefined;
    const seconds = Math.ceil((admitted.untilMs - now) / 1000);
    return {
      ok: false,
      outcome: "broken",
      summary: `${name} broke several times in a row and is left alone for ${seconds} s; do it another way`,
    };
  }

  #record({ name }: Action, ok: boolean): void {
    const before = this.#records.get(name);
    if (before === undefined && ok) return;
    const now = this.#clock.monotonic();
    this.#records.set(name, breaker.recordResult(before ?? breaker.CLOSED, RULES, { ok, successesBefore: 0, owner: OWNER, now }));
  }
}
