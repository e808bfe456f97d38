/**
 * A request while it runs, in a few lines that stand below what is said: how it stands and what it cost, its pieces as
 * a tree with what each does now, and what waits for the user with the word that answers it. Nothing is drawn while
 * nothing happens.
 */
import { repeatEvery, systemClock } from "../../kernel/index.ts";
import type { LivePart, Result } from "../../protocol/api/index.ts";
import { isAskedHere } from "./asked-here.ts";
import type { CliContext } from "./command.ts";
import { liveLines, type Doing, type Standing } from "./render-live-request.ts";

type Detail = Result<"request.show">;

const SECOND = 1_000;
/** What comes within this time is drawn at once. */
const FRAME_MS = 16;
/** The journal is looked at again after this long at the earliest, and never most of the time. */
const LOOK_MS = 100;
const IDLE_SHARE = 5;
function doingOf(part: LivePart, now: number): Doing | undefined {
  switch (part.type) {
    case "asking":
      return { what: "thinks", at: now };
    case "text": {
      const last = part.text.trimEnd().split("\n").at(-1) ?? "";
      return last.trim() === "" ? undefined : { what: last.trim(), at: undefined };
    }
    case "retry":
      return { what: part.tier === "external_rate_limit" ? `${part.provider} asks to wait` : part.reason, at: now };
    case "waiting":
      return { what: `waiting for ${part.provider}`, at: now - part.waited_ms };
    case "command":
      return part.state === "ended" ? undefined : { what: `$ ${part.command}`, at: now };
    default:
      return undefined;
  }
}

class LiveRequest implements Disposable {
  readonly #cli: CliContext;
  readonly #id: string;
  readonly #over = new AbortController();
  readonly #doing = new Map<string, Doing>();
  readonly #ticking: Disposable;
  #detail: Detail | undefined;
  #isStale = false;
  #isLooking = false;
  #isDrawing = false;

  constructor(cli: CliContext, id: string) {
    this.#cli = cli;
    this.#id = id;
    this.#ticking = repeatEvery(SECOND, () => this.#tick());
  }

  get signal(): AbortSignal {
    return this.#over.signal;
  }

  /** Something was written down. */
  changed(): void {
    this.#isStale = true;
    if (!this.#isLooking) void this.#look();
  }

  show(part: LivePart): void {
    if (!("task" in part)) return;
    // Looked at in the moment before it went on.
    if (this.#detail?.status === "interrupted") this.changed();
    const known = doingOf(part, systemClock.now());
    if (known !== undefined) this.#doing.set(part.task, known);
    else if (part.type === "cost" || part.type === "command") this.#doing.delete(part.task);
    else return;
    void this.#draw();
  }

  [Symbol.dispose](): void {
    this.#over.abort();
    this.#ticking[Symbol.dispose]();
    this.#cli.out.region(undefined);
  }

  /** Seconds are counted only while somebody works, or a command runs. */
  #tick(): void {
    const { doing, work = [], running = false, questions = [] } = this.#detail ?? {};
    const isAtWork = doing !== undefined || work.some(({ since }) => since !== undefined) || this.#doing.size > 0;
    if (isAtWork || (running && questions.length === 0)) void this.#draw();
  }

  async #look(): Promise<void> {
    this.#isLooking = true;
    try {
      while (this.#isStale) {
        this.#isStale = false;
        const began = systemClock.monotonic();
        this.#detail = await this.#cli.query({ type: "request.show", id: this.#id });
        void this.#draw();
        const took = systemClock.monotonic() - began;
        await systemClock.sleep(Math.max(LOOK_MS, took * IDLE_SHARE), this.signal);
      }
    } catch {
      // Whoever runs it tells what went wrong; looking on stops nobody.
    } finally {
      this.#isLooking = false;
    }
  }

  async #draw(): Promise<void> {
    if (this.#isDrawing) return;
    this.#isDrawing = true;
    await systemClock.sleep(FRAME_MS);
    this.#isDrawing = false;
    const detail = this.#detail;
    if (detail === undefined || this.signal.aborted) return;
    const { out, sign } = this.#cli;
    const standing = (): Standing => ({
      detail: { ...detail, questions: detail.questions.filter(({ id }) => !isAskedHere(id)) },
      doing: this.#doing,
      sign,
      now: systemClock.now(),
    });
    out.region((room) => liveLines(standing(), room, out));
  }
}

/** Does the work; where a user is watching, how it stands is shown meanwhile. */
export async function withLiveRequest<T>(cli: CliContext, id: string, work: () => Promise<T>): Promise<T> {
  if (cli.out.json || !cli.out.interactive) return work();
  const api = await cli.api();
  const { position } = await cli.query({ type: "journal.head" });
  using view = new LiveRequest(cli, id);
  const stop = AbortSignal.any([cli.signal, view.signal]);
  const events = async (): Promise<void> => {
    view.changed();
    for await (const _event of api.events({ without_audit: true }, position, stop)) view.changed();
  };
  const parts = async (): Promise<void> => {
    for await (const part of api.live({}, stop)) view.show(part);
  };
  // That something live is lost stops nobody.
  events().catch(() => undefined);
  parts().catch(() => undefined);
  return await work();
}
