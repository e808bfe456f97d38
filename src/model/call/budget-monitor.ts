/**
 * Watches a running answer against what was promised to it (LLM-051). Past the promise it asks for
 * more; when there is no more it stops the call. A call promised its whole output limit needs no watch.
 */
import type { SylkError } from "../../kernel/index.ts";
import type { Reservation } from "../budget/budgets.ts";
import type { ModelInfo } from "../catalogue/catalogue.ts";
import type { Accumulator } from "../stream/accumulator.ts";

const CHARS_PER_TOKEN = 3.5;
const SMALLEST_STEP_TOKENS = 64;

export class BudgetStop extends Error {
  readonly refusal: SylkError;

  constructor(refusal: SylkError) {
    super(refusal.message);
    this.name = "AbortError";
    this.refusal = refusal;
  }
}

export class BudgetMonitor {
  readonly #reservation: Reservation;
  readonly #info: ModelInfo;
  readonly #maxOutput: number;
  readonly #stop: AbortController;
  #promisedOutput: number;
  readonly #step: number;

  constructor(options: { reservation: Reservation; info: ModelInfo; promisedOutput: number; maxOutput: number; stop: AbortController }) {
    this.#reservation = options.reservation;
    this.#info = options.info;
    this.#maxOutput = options.maxOutput;
    this.#promisedOutput = options.promisedOutput;
    this.#stop = options.stop;
    this.#step = Math.max(SMALLEST_STEP_TOKENS, Math.ceil(options.maxOutput / 8));
  }

  /** A promise when more had to be asked for: reading waits for the answer. */
  check(accumulator: Accumulator): Promise<void> | undefined {
    if (this.#promisedOutput >= this.#maxOutput || accumulator.outputChars / CHARS_PER_TOKEN <= this.#promisedOutput) return undefined;
    return this.#more();
  }

  /** Large steps while there is plenty, small ones at the end. */
  async #more(): Promise<void> {
    let refusal: SylkError | undefined;
    for (const step of [this.#step, SMALLEST_STEP_TOKENS]) {
      const tokens = Math.min(step, this.#maxOutput - this.#promisedOutput);
      refusal = await this.#reservation.extend({ tokens, usd: (tokens * this.#info.outputPrice) / 1_000_000 });
      if (refusal !== undefined) continue;
      this.#promisedOutput += tokens;
      return;
    }
    if (refusal !== undefined) this.#stop.abort(new BudgetStop(refusal));
  }
}
