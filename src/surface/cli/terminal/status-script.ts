/**
 * The user's own line below the input: their program is given what there is to tell and its first line is shown. It
 * runs at most so often, only when something changed, one at a time; one that hangs, fails or says nothing changes
 * nothing else.
 */
import type { Clock } from "../../../kernel/index.ts";
import type { Input } from "../../../protocol/api/index.ts";
import type { CliContext } from "../command.ts";
import { visibleLine } from "../visible-text.ts";

type Facts = Input<"project.status_line">["facts"];

const EVERY_MS = 300;
const MOST_CHARS = 400;

export class StatusScript {
  readonly #cli: Pick<CliContext, "send" | "signal">;
  readonly #changed: () => void;
  readonly #clock: Clock;
  #ranAt = Number.NEGATIVE_INFINITY;
  #line = "";
  #told = "";
  #wanted: Facts | undefined;
  #isRunning = false;

  constructor(cli: Pick<CliContext, "send" | "signal">, changed: () => void, clock: Clock) {
    this.#cli = cli;
    this.#changed = changed;
    this.#clock = clock;
  }

  /** What it said last. */
  get line(): string {
    return this.#line;
  }

  tell(facts: Facts): void {
    this.#wanted = facts;
    if (!this.#isRunning) void this.#run();
  }

  async #run(): Promise<void> {
    this.#isRunning = true;
    try {
      for (let facts = this.#wanted; facts !== undefined; facts = this.#wanted) {
        const told = JSON.stringify(facts);
        const waitMs = this.#ranAt + EVERY_MS - this.#clock.monotonic();
        if (told !== this.#told && waitMs > 0) {
          // Whatever is told meanwhile is newer.
          await this.#clock.sleep(waitMs, this.#cli.signal);
          continue;
        }
        this.#wanted = undefined;
        if (told === this.#told) continue;
        this.#told = told;
        this.#ranAt = this.#clock.monotonic();
        const { text } = await this.#cli.send({ type: "project.status_line", facts });
        const line = text === null ? "" : visibleLine(text.split("\n", 1)[0] ?? "").slice(0, MOST_CHARS);
        const isNew = line !== this.#line;
        this.#line = line;
        if (isNew) this.#changed();
      }
    } catch {
      this.#line = "";
    } finally {
      this.#isRunning = false;
    }
  }
}
