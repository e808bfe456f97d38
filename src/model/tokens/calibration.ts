/**
 * How far the tokenizer is off for models with another vocabulary, learnt from what providers
 * report. Exact for OpenAI's family; others start from a stated guess and settle within a few calls.
 */
import type { Journal } from "../../journal/index.ts";
import { targetId, type Target } from "../catalogue/target.ts";
import { usageView } from "../usage/usage-view.ts";

const FIRST_GUESS: Readonly<Record<string, number>> = { openai: 1, anthropic: 1.15, google: 1.05 };
const OTHER_GUESS = 1.1;
/** How many tokens of evidence the first guess is worth. */
const GUESS_WEIGHT_TOKENS = 2000;

interface Evidence {
  counted: number;
  reported: number;
}

export class Calibration {
  readonly #journal: Journal | undefined;
  readonly #family: (provider: string) => string;
  readonly #evidence = new Map<string, Evidence>();
  #loaded: Promise<void> | undefined;

  constructor(journal: Journal | undefined, family: (provider: string) => string) {
    this.#journal = journal;
    this.#family = family;
  }

  /** Reads what earlier runs have learnt; once. */
  load(): Promise<void> {
    this.#loaded ??= this.#read();
    return this.#loaded;
  }

  async #read(): Promise<void> {
    for (const { state } of (await this.#journal?.list(usageView)) ?? []) this.observe(state, state.countedTokens, state.reportedTokens);
  }

  observe(target: Target, counted: number, reported: number): void {
    if (counted <= 0 || reported <= 0) return;
    const known = this.#evidence.get(targetId(target)) ?? { counted: 0, reported: 0 };
    this.#evidence.set(targetId(target), { counted: known.counted + counted, reported: known.reported + reported });
  }

  /** Multiply a count by this to expect what the provider will report. */
  ratio(target: Target): number {
    const family = this.#family(target.provider);
    if (family === "openai") return 1;
    const guess = FIRST_GUESS[family] ?? OTHER_GUESS;
    const { counted, reported } = this.#evidence.get(targetId(target)) ?? { counted: 0, reported: 0 };
    return (reported + guess * GUESS_WEIGHT_TOKENS) / (counted + GUESS_WEIGHT_TOKENS);
  }
}

/** Cheap and rather too high: for reservations when nobody has counted. */
export function roughTokens(texts: Iterable<string>): number {
  let bytes = 0;
  for (const text of texts) bytes += Buffer.byteLength(text);
  return Math.ceil(bytes / 3);
}
