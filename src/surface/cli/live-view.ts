/** A task while it happens, for people: what the model says, what commands say, why it waits and for how long, what it costs. */
import { repeatEvery, systemClock, wording } from "../../kernel/index.ts";
import type { Api, LivePart } from "../../protocol/api/index.ts";
import type { Output } from "./output.ts";

const SECOND = 1_000;
/** A command beside its seconds. */
const SHORT = 60;
/** Of what a check says, the end: shown when it fails. */
const HELD_LINES = 100;
/** Of what is being said, as much as could be shown at once. */
const MAX_WORDS = 4_000;

function waitText({ provider, tier, reason, why }: LivePart & { type: "retry" }): string {
  if (tier === "external_rate_limit") return `${provider} asks to wait`;
  return why === "fallback" ? `${reason}; another model is asked` : `${reason}; asked again`;
}

export class LiveView implements Disposable {
  readonly #out: Output;
  readonly #width = Math.max(60, (process.stderr.columns || 120) - 8);
  #text = "";
  /** What is under way, and since when; its seconds are counted on the screen. */
  #running: { what: string; since: number } | undefined;
  /** What the check that runs has said so far. */
  #held: string[] | undefined;
  #dropped = 0;
  readonly #ticking: Disposable;
  #countdown: Disposable | undefined;

  constructor(out: Output) {
    this.#out = out;
    this.#ticking = repeatEvery(SECOND, () => this.#tick());
  }

  /** The step that they belong to shows them. */
  endWords(): void {
    this.#text = "";
  }

  show(part: LivePart): void {
    if (part.type !== "cost") this.#stopCountdown();
    switch (part.type) {
      case "asking":
        this.endWords();
        this.#run(`${part.provider}/${part.model} thinks`);
        return;
      case "waiting":
        this.#waits(part);
        return;
      case "text":
        this.#say(part.text);
        return;
      case "retry":
        this.#text = "";
        this.#running = undefined;
        this.#wait(part);
        return;
      case "cost":
        this.#running = undefined;
        this.endWords();
        if (part.cost_usd > 0)
          this.#out.note(this.#dim(`  $${part.cost_usd.toFixed(4)} so far, ${part.calls} model call${part.calls === 1 ? "" : "s"}`));
        return;
      case "command":
        this.#command(part);
        return;
      case "output":
        this.#output(this.#dim(`  │ ${wording.oneLine(part.text, this.#width)}`));
        return;
      case "missed":
        this.#out.note(this.#dim(`  … ${part.count} not shown: this terminal was too slow`));
        return;
      case "indexed":
      case "progress":
        return;
    }
  }

  [Symbol.dispose](): void {
    this.#ticking[Symbol.dispose]();
    this.#stopCountdown();
    this.endWords();
    this.#out.progress("");
  }

  #dim(text: string): string {
    return this.#out.style("dim", text);
  }

  #run(what: string): void {
    this.#running = { what, since: systemClock.monotonic() };
    this.#out.progress(`  ${what} …`);
  }

  /** Words that are just being said, and a countdown, stand in the same place. */
  #tick(): void {
    if (this.#running === undefined || this.#text !== "" || this.#countdown !== undefined) return;
    const seconds = Math.round((systemClock.monotonic() - this.#running.since) / SECOND);
    this.#out.progress(`  ${this.#running.what} ${seconds} s · Ctrl+C stops`);
  }

  /** What is being said overwrites itself; it stays as part of its step. */
  #say(text: string): void {
    this.#text = (this.#text + text).slice(-MAX_WORDS);
    const last = this.#text.trimEnd().split("\n").at(-1) ?? "";
    if (last !== "") this.#out.progress(`  ${wording.oneLine(last.slice(-this.#width), this.#width)}`);
  }

  /** That of a check lives in one line until it is known whether anybody needs it. */
  #output(line: string): void {
    if (this.#held === undefined) return this.#out.note(line);
    this.#held.push(line);
    if (this.#held.length > HELD_LINES) {
      this.#held.shift();
      this.#dropped += 1;
    }
    this.#out.progress(line);
  }

  #endCheck(passed: boolean): void {
    const lines = this.#held ?? [];
    const above = this.#dropped === 0 ? [] : [this.#dim(`  │ … ${this.#dropped} line${this.#dropped === 1 ? "" : "s"} above`)];
    this.#held = undefined;
    this.#dropped = 0;
    if (!passed) [...above, ...lines].forEach((line) => this.#out.note(line));
  }

  #command({ state, command, is_check: isCheck, exit_code: exit }: LivePart & { type: "command" }): void {
    this.endWords();
    const line = wording.oneLine(command, this.#width);
    if (state === "starting") this.#run(`$ ${wording.oneLine(command, SHORT)} is about to start`);
    else if (state === "running") {
      this.#out.note(this.#dim(`  $ ${line}`));
      this.#run(`$ ${wording.oneLine(command, SHORT)}`);
      if (isCheck === true) this.#held = [];
    } else if (state === "stopping") this.#out.note(this.#dim(`  stopping ${line}`));
    else {
      this.#endCheck(exit === 0);
      // What it gave is looked at, and a copy made for the next check may take its time.
      this.#run("works");
    }
  }

  /** Where a line can live, its seconds count there; elsewhere it is said now and then. */
  #waits({ provider, attempt, attempts, waited_ms: waited, limit_ms: limit }: LivePart & { type: "waiting" }): void {
    const what = `waiting for ${provider}, attempt ${attempt} of ${attempts}, at most ${Math.round(limit / SECOND)} s:`;
    if (this.#out.draws) this.#running = { what, since: systemClock.monotonic() - waited };
    else this.#out.note(this.#dim(`  ${what} ${Math.round(waited / SECOND)} s`));
  }

  #wait(part: LivePart & { type: "retry" }): void {
    const said = waitText(part);
    let left = Math.ceil(part.wait_ms / SECOND);
    if (left === 0) {
      this.#out.note(`  ${said}`);
      return;
    }
    this.#out.note(`  ${said} in ${left} s`);
    this.#countdown = repeatEvery(SECOND, () => {
      left -= 1;
      if (left > 0) this.#out.progress(`  again in ${left} s`);
      else this.#stopCountdown();
    });
  }

  #stopCountdown(): void {
    this.#countdown?.[Symbol.dispose]();
    this.#countdown = undefined;
  }
}

/** Shows what happens to a task until aborted. That something live is lost stops nobody. */
export function followLive(api: Api, task: string, show: (part: LivePart) => void, signal: AbortSignal): Promise<void> {
  const parts = api.live({ task }, signal);
  const follow = async (): Promise<void> => {
    for await (const part of parts) show(part);
  };
  return follow().catch(() => undefined);
}
