/**
 * A session: what is typed becomes a request, a task or a word of the command line, one after the other; what is typed
 * meanwhile waits for its turn. Everything goes through the same commands as from a shell, so both do the same.
 */
import { randomUUID } from "node:crypto";
import { isAbort, SylkError, systemClock, wording } from "../../../kernel/index.ts";
import type { Result } from "../../../protocol/api/index.ts";
import type { CliContext } from "../command.ts";
import { createOutput, type Output, type OutputDoor } from "../output.ts";
import type { Prompts } from "../prompts.ts";
import { followLive } from "../live-view.ts";
import { chooseStep } from "../rewind-task.ts";
import { visibleLine } from "../visible-text.ts";
import { processTerminal, Screen, type ScreenKind, type Terminal } from "./screen.ts";
import { StatusLine } from "./status-line.ts";
import { ALL_WORDS, isAtOnce, readWords } from "./session-words.ts";

/** Pressed twice within this time, Ctrl+C leaves. */
const TWICE_MS = 2_000;
const SHOWN_GOAL = 200;
/** What Shift+Tab goes round; the one that asks nothing at all is never come upon by a key. */
const MODES = ["default", "accept-edits", "plan", "auto"];

export interface SessionParts {
  cli: CliContext;
  version: string;
  color: boolean;
  /** Carries out words of the command line. */
  carryOut(cli: CliContext, args: readonly string[]): Promise<void>;
  /** Words of the command line that come first; none: the user speaks first. */
  first: readonly string[];
  /** The process's own unless a test has another. */
  terminal?: Terminal;
}

interface Turn {
  text: string;
  /** What it stands for, where that is known already. */
  args?: readonly string[];
  stop: AbortController;
}

function stopped(): Error {
  const reason = new Error("stopped by the user");
  reason.name = "AbortError";
  return reason;
}

function doorOf(screen: () => Screen, titled: (text: string | undefined) => void): OutputDoor {
  return {
    interactive: true,
    get columns() {
      return screen().columns;
    },
    result: (text) => screen().print(text),
    note: (text) => screen().print(text),
    progress: (text) => screen().live(text),
    ring: () => screen().ring(),
    title(text) {
      screen().title(text ?? "sylk");
      titled(text);
    },
    paged: () => false,
  };
}

function promptsOf(screen: Screen): Prompts {
  const read = async (question: Parameters<Prompts["text"]>[0], hidden: boolean): Promise<string | undefined> => {
    const { signal, placeholder, initialValue, validate } = question;
    let message = visibleLine(question.message);
    for (;;) {
      const value = await screen.read(message, { hidden, placeholder, initial: initialValue }, signal);
      const wrong = value === undefined ? undefined : validate?.(value);
      if (wrong === undefined) return value;
      message = `${visibleLine(question.message)} (${wrong})`;
    }
  };
  const choice: Prompts["choice"] = async ({ message, options, initial, signal }) => {
    const at = Math.max(
      0,
      options.findIndex(({ value }) => value === initial),
    );
    const shown = options.map((option) => ({
      ...option,
      label: visibleLine(option.label),
      hint: option.hint === undefined ? undefined : visibleLine(option.hint),
    }));
    const picked = await screen.choose(visibleLine(message), shown, at, signal);
    return options.find(({ value }) => value === picked)?.value;
  };
  return {
    choice,
    yesNo: async ({ message, signal }) => {
      const answer = await choice({
        message,
        signal,
        options: [
          { value: "no", label: "no" },
          { value: "yes", label: "yes" },
        ],
      });
      return answer === undefined ? undefined : answer === "yes";
    },
    text: (question) => read(question, false),
    hidden: (question) => read(question, true),
  };
}

export class Session {
  readonly #parts: SessionParts;
  readonly #terminal: Terminal;
  #screen: Screen;
  readonly #out: Output;
  readonly #waiting: string[] = [];
  readonly #left = Promise.withResolvers<void>();
  #turn: Turn | undefined;
  #pressedAt = Number.NEGATIVE_INFINITY;
  #escapedAt = Number.NEGATIVE_INFINITY;
  /** Chosen while something runs; counts from the next turn on. */
  #wantedMode: string | undefined;
  #leaving = false;
  /** How far what runs has come, as the window's title tells. */
  #step: string | undefined;
  readonly #status: StatusLine;
  #asked = 0;
  /** Words people wrote down themselves. */
  #own: Result<"request.commands"> = [];

  constructor(parts: SessionParts) {
    this.#parts = parts;
    this.#status = new StatusLine(parts.cli);
    this.#terminal = parts.terminal ?? processTerminal();
    this.#screen = this.#screenOf("main");
    this.#out = createOutput(
      { json: false, quiet: false, color: parts.color },
      doorOf(
        () => this.#screen,
        (text) => this.#stepped(text),
      ),
    );
  }

  #screenOf(kind: ScreenKind): Screen {
    const code = (on: number, off: number) => (text: string) => (this.#parts.color ? `\u001b[${on}m${text}\u001b[${off}m` : text);
    return new Screen(
      this.#terminal,
      kind,
      { dim: code(2, 22), strong: code(1, 22), accent: code(36, 39) },
      {
        submit: (text) => this.#submit(text),
        escape: () => this.#escape(),
        interrupt: () => this.#interrupt(),
        cycle: () => this.#cycleMode(),
      },
    );
  }

  #startScreen(): void {
    const { version } = this.#parts;
    this.#completeWords();
    this.#out.line(`${this.#out.style("bold", `Sylk ${version}`)}  a team of software agents that cannot forget`);
    this.#out.line(this.#out.style("dim", "say what you want · /help lists words · Esc stops · Ctrl+C twice leaves"));
    this.#screen.start();
  }

  #words(): { name: string; description: string }[] {
    const own = this.#own.filter(({ idle }) => idle === undefined);
    const more = own.map(({ name, description, hint }) => ({ name, description: [hint, description].filter(Boolean).join(" · ") }));
    return [...ALL_WORDS, ...more.filter(({ name }) => !ALL_WORDS.some((one) => one.name === name))];
  }

  #completeWords(): void {
    this.#screen.complete(this.#words(), this.#parts.cli.cwd);
  }

  async #readOwnWords(): Promise<void> {
    this.#own = await this.#parts.cli.query({ type: "request.commands" });
    this.#completeWords();
  }

  /** The first frame waits for no setting: whoever wants a screen of its own sees it a moment later. */
  async #chooseScreen(): Promise<void> {
    const { value } = await this.#parts.cli.query({ type: "setting.get", key: "terminal.screen" });
    if (value !== "full" || this.#turn !== undefined || this.#leaving) return;
    const typed = this.#screen.typed();
    this.#screen.stop();
    this.#screen = this.#screenOf("full");
    this.#startScreen();
    this.#screen.type(typed);
  }

  /** Until the user leaves. */
  async run(): Promise<void> {
    const { cli } = this.#parts;
    this.#startScreen();
    const over = (): void => this.#leave();
    cli.signal.addEventListener("abort", over, { once: true });
    try {
      await this.#chooseScreen().catch((error: unknown) => this.#out.error(error));
      await this.#readOwnWords().catch((error: unknown) => this.#out.error(error));
      await this.#showStatus();
      const { first } = this.#parts;
      if (first.length > 0 && this.#turn === undefined) void this.#begin(`sylk ${first.join(" ")}`, first);
      await this.#left.promise;
    } finally {
      cli.signal.removeEventListener("abort", over);
      this.#screen.stop();
    }
  }

  #submit(text: string): void {
    if (this.#leaving) return;
    if (this.#turn === undefined) {
      void this.#begin(text);
      return;
    }
    if (isAtOnce(text)) {
      void this.#aside(text);
      return;
    }
    this.#waiting.push(text);
    this.#out.note(this.#out.style("dim", `  waits for its turn: ${wording.oneLine(text, SHOWN_GOAL)}`));
  }

  /** Nothing of a turn escapes: what goes wrong is told, and the next one begins. */
  async #begin(text: string, args?: readonly string[]): Promise<void> {
    const turn: Turn = { text, stop: new AbortController(), ...(args === undefined ? {} : { args }) };
    this.#turn = turn;
    this.#out.line(`\n${this.#out.style("cyan", "›")} ${this.#out.style("bold", wording.oneLine(text, SHOWN_GOAL))}`);
    await this.#showStatus();
    try {
      if (this.#wantedMode !== undefined) await this.#parts.cli.permissionMode.set(this.#wantedMode);
      this.#wantedMode = undefined;
      await this.#carryOut(turn);
    } catch (error) {
      if (!isAbort(error) && !turn.stop.signal.aborted) this.#out.error(error);
    }
    this.#screen.live("");
    this.#turn = undefined;
    const next = this.#waiting.shift();
    if (this.#leaving) this.#left.resolve();
    else if (next === undefined) await this.#showStatus();
    else void this.#begin(next);
  }

  /** Beside what runs: it is about that. */
  async #aside(text: string): Promise<void> {
    this.#out.line(`${this.#out.style("cyan", "›")} ${this.#out.style("bold", wording.oneLine(text, SHOWN_GOAL))}`);
    await this.#carryOut({ text, stop: new AbortController() }).catch((error: unknown) => this.#out.error(error));
  }

  async #carryOut({ text, stop, args }: Turn): Promise<void> {
    if (args !== undefined) return this.#parts.carryOut(this.#within(stop), args);
    const said = readWords(
      text,
      this.#own.map(({ name }) => name),
    );
    if (said.kind === "shell") return this.#shell(said.line, stop.signal);
    if (said.kind === "wrong")
      throw new SylkError({ code: "USAGE_NO_COMMAND", tier: "user_fixable", message: said.message, fix: said.fix });
    if (said.kind === "prompt") {
      const { kind: _kind, ...wanted } = said;
      const words = await (await this.#parts.cli.api()).query({ type: "mcp.prompt", ...wanted }, stop.signal);
      // Whose words they are stands before them, so that nothing in them is taken for a command of the session.
      await this.#parts.carryOut(this.#within(stop), ["run", "--", `As the MCP server ${said.server} puts it:\n${words.text}`]);
      return;
    }
    if (said.kind === "command") {
      await this.#parts.carryOut(this.#within(stop), said.args);
      return;
    }
    switch (said.name) {
      case "quit":
        this.#leave();
        return;
      case "clear":
        this.#screen.clear();
        return;
      case "rewind":
        return this.#rewind(stop);
      case "compact":
        this.#out.line("there is nothing to compact: every step begins anew from the journal, and none grows");
        return;
      case "help":
        await this.#readOwnWords();
        this.#out.line(
          this.#words()
            .map(({ name, description }) => `  /${name.padEnd(12)} ${visibleLine(description)}`)
            .join("\n"),
        );
        return;
    }
  }

  /** The command line's own context, with this screen, and stopped with the turn. */
  #within(stop: AbortController): CliContext {
    const { cli } = this.#parts;
    const { signal } = stop;
    return {
      ...cli,
      out: this.#out,
      ask: promptsOf(this.#screen),
      signal,
      attended: true,
      interrupt: () => {
        const reason = stopped();
        stop.abort(reason);
        return reason;
      },
      send: async (command) => (await cli.api()).send(command, signal),
      query: async (query) => (await cli.api()).query(query, signal),
      setExit: () => undefined,
    };
  }

  /** A line of the user's own, as in their shell; what it says is shown as it comes. */
  async #shell(line: string, signal: AbortSignal): Promise<void> {
    const api = await this.#parts.cli.api();
    const id = `shell_${randomUUID()}`;
    const over = new AbortController();
    const shown = followLive(api, id, (part) => (part.type === "output" ? this.#out.line(part.text) : undefined), over.signal);
    const end = await api.send({ type: "project.shell", id, command: line }, signal).finally(() => over.abort());
    await shown;
    if (end.kind === "not_started") this.#out.note(this.#out.style("red", `not started: ${end.why}`));
    else if (end.exit_code !== 0) this.#out.note(this.#out.style("dim", `ended with ${end.exit_code ?? end.signal ?? "nothing"}`));
  }

  #stepped(title: string | undefined): void {
    this.#step = title?.replace(/^sylk: /u, "");
    void this.#showStatus();
  }

  #cycleMode(): void {
    const now = this.#wantedMode ?? this.#parts.cli.permissionMode.get();
    this.#wantedMode = MODES[(MODES.indexOf(now) + 1) % MODES.length];
    void this.#showStatus();
  }

  /** Stops what runs; twice, where nothing runs, goes back. */
  #escape(): void {
    const now = systemClock.monotonic();
    const twice = now - this.#escapedAt < TWICE_MS;
    this.#escapedAt = twice ? Number.NEGATIVE_INFINITY : now;
    if (this.#turn !== undefined) this.#stopTurn();
    else if (twice) this.#submit("/rewind");
    else this.#screen.status("Escape again goes back to a step of the last task");
  }

  async #rewind(stop: AbortController): Promise<void> {
    const cli = this.#within(stop);
    const args = await chooseStep(cli);
    if (args === undefined) return;
    await this.#parts.carryOut(cli, args);
    this.#out.note(this.#out.style("dim", "  go on from there: /resume; to say what should be other: sylk task answer last …"));
  }

  #stopTurn(): void {
    const turn = this.#turn;
    if (turn === undefined || turn.stop.signal.aborted) return;
    this.#out.note(this.#out.style("dim", "  stopping …"));
    // A line for the shell that waits was typed before this was stopped: it is not run unseen.
    const lines = this.#waiting.filter((text) => readWords(text, []).kind === "shell");
    this.#waiting.splice(0, this.#waiting.length, ...this.#waiting.filter((text) => !lines.includes(text)));
    for (const text of lines) this.#out.note(this.#out.style("dim", `  not run: ${wording.oneLine(text, SHOWN_GOAL)}`));
    turn.stop.abort(stopped());
  }

  #interrupt(): void {
    const now = systemClock.monotonic();
    const twice = now - this.#pressedAt < TWICE_MS;
    this.#pressedAt = now;
    if (twice) return this.#leave();
    if (this.#turn === undefined) this.#screen.status("Ctrl+C again leaves");
    else this.#stopTurn();
  }

  /** What runs is stopped first, and can be gone on with. */
  #leave(): void {
    this.#leaving = true;
    this.#waiting.length = 0;
    if (this.#turn === undefined) this.#left.resolve();
    else this.#turn.stop.abort(stopped());
  }

  async #showStatus(): Promise<void> {
    const mode = this.#wantedMode ?? this.#parts.cli.permissionMode.get();
    const doing = this.#turn === undefined ? "ready" : this.#step === undefined ? "working" : `working, ${this.#step}`;
    this.#asked += 1;
    const asked = this.#asked;
    const line = await this.#status.text({ mode, doing, waiting: this.#waiting.length }).catch(() => doing);
    // Somebody asked later, and knows better.
    if (asked === this.#asked) this.#screen.status(line);
  }
}
