/**
 * A session: what is typed becomes a request, a task or a word of the command line, one after the other. What is typed
 * meanwhile is told to the task that runs, answered beside it where it only looks, or waits for its turn. Everything goes through the same commands as from a shell, so both do the same.
 */
import { randomUUID } from "node:crypto";
import { flushCompileCache } from "node:module";
import { isAbort, SylkError, systemClock, wording } from "../../../kernel/index.ts";
import type { Result } from "../../../protocol/api/index.ts";
import type { CliContext } from "../command.ts";
import { Conversation } from "../conversation.ts";
import { createOutput, type Output, type OutputDoor } from "../output.ts";
import type { Prompts } from "../prompts.ts";
import { followLive } from "../live-view.ts";
import { saidAs } from "../goal-words.ts";
import { chooseStep } from "../rewind-task.ts";
import { interruptedBefore } from "../interrupted-before.ts";
import { stoppedBy } from "../stopped-on-purpose.ts";
import { wordsMeant } from "../words-to-go-on.ts";
import { cursorOf } from "../typed-choice.ts";
import { visibleLine } from "../visible-text.ts";
import { processTerminal, Screen, type ScreenKind, type Terminal } from "./screen.ts";
import { markdownLines } from "./markdown.ts";
import { saidBefore } from "./said-before.ts";
import { helpText } from "./session-help.ts";
import { knownModel } from "./session-model.ts";
import { StatusLine } from "./status-line.ts";
import { ALL_WORDS, isAtOnce, isSaid, readWords, slashOf } from "./session-words.ts";

/** Pressed twice within this time, Ctrl+C leaves. */
const TWICE_MS = 2_000;
const SHOWN_GOAL = 200;
/** What Shift+Tab goes round; the one that asks nothing at all is never come upon by a key. */
const MODES = ["default", "ask-edits", "accept-edits", "plan", "auto"];

export interface SessionParts {
  cli: CliContext;
  version: string;
  color: boolean;
  /** Carries out words of the command line. */
  carryOut(cli: CliContext, args: readonly string[]): Promise<void>;
  /** Words of the command line that come first; none: the user speaks first. */
  first: readonly string[];
  /** What a newcomer is asked before the first prompt. */
  firstRun?: (cli: CliContext) => Promise<void>;
  /** The process's own unless a test has another. */
  terminal?: Terminal;
}

interface Turn {
  text: string;
  /** What it stands for, where that is known already. */
  args?: readonly string[];
  stop: AbortController;
}

const stopped = (): Error => stoppedBy("the user");

function doorOf(screen: () => Screen, titled: (text: string | undefined) => void, color: boolean): OutputDoor {
  return {
    interactive: true,
    draws: true,
    get columns() {
      return screen().columns;
    },
    result: (text) => screen().print(text),
    note: (text) => screen().print(text),
    progress: (text) => screen().live(text),
    region: (draw) => screen().region(draw),
    ring: () => screen().ring(),
    notify: (text) => screen().notify(text),
    title(text) {
      screen().title(text ?? "sylk");
      titled(text);
    },
    paged: () => false,
    markdown: (text, columns) => markdownLines(text, columns, painted(color)),
  };
}

const painted =
  (color: boolean) =>
  (on: number, off: number) =>
  (text: string): string =>
    color ? `\u001b[${on}m${text}\u001b[${off}m` : text;

function promptsOf(screen: () => Screen): Prompts {
  const read = async (question: Parameters<Prompts["text"]>[0], shows?: (typed: string) => boolean): Promise<string | undefined> => {
    const { signal, placeholder, initialValue, validate } = question;
    let message = visibleLine(question.message);
    for (;;) {
      const value = await screen().read(message, { shows, placeholder, initial: initialValue }, signal);
      const wrong = value === undefined ? undefined : validate?.(value);
      if (wrong === undefined) return value;
      message = `${visibleLine(question.message)} (${wrong})`;
    }
  };
  const choice: Prompts["choice"] = async ({ message, options, signal, ...stands }) => {
    const shown = options.map((option) => ({
      ...option,
      label: visibleLine(option.label),
      hint: option.hint === undefined ? undefined : visibleLine(option.hint),
    }));
    const picked = await screen().choose(visibleLine(message), shown, cursorOf(options, stands), signal);
    return options.flatMap(({ value, tab }) => (tab === undefined ? [value] : [value, tab])).find((value) => value === picked);
  };
  return {
    leavesTrace: false,
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
    text: (question) => read(question),
    hidden: (question) => read(question, question.shows ?? (() => false)),
  };
}

export class Session {
  readonly #parts: SessionParts;
  readonly #terminal: Terminal;
  #screen: Screen;
  readonly #out: Output;
  readonly #conversation = new Conversation();
  readonly #waiting: string[] = [];
  readonly #left = Promise.withResolvers<void>();
  #turn: Turn | undefined;
  /** What is carried out beside the turn. */
  readonly #asides = new Set<AbortController>();
  /** The words that go on with what runs now. */
  #works: readonly string[] = [];
  #pressedAt = Number.NEGATIVE_INFINITY;
  #escapedAt = Number.NEGATIVE_INFINITY;
  /** Chosen while something runs; counts from the next turn on. */
  #wantedMode: string | undefined;
  /** The one a turn begins with, until it counts. */
  #comingMode: string | undefined;
  /** Chosen here; undefined: as the settings say. */
  #model: string | undefined;
  #leaving = false;
  /** How far what runs has come, as the window's title tells. */
  #step: string | undefined;
  readonly #status: StatusLine;
  #asked = 0;
  /** What a second press would do is shown until this ends. */
  #offered = new AbortController();
  /** Words people wrote down themselves. */
  #own: Result<"request.commands"> = [];
  /** Who can be asked by name. */
  #roles: readonly string[] = [];

  constructor(parts: SessionParts) {
    this.#parts = parts;
    this.#status = new StatusLine(parts.cli, parts.version, () => void this.#showStatus());
    this.#terminal = parts.terminal ?? processTerminal();
    this.#screen = this.#screenOf("main");
    this.#out = createOutput(
      { json: false, quiet: false, color: parts.color, word: slashOf },
      doorOf(
        () => this.#screen,
        (text) => this.#stepped(text),
        parts.color,
      ),
    );
  }

  #screenOf(kind: ScreenKind): Screen {
    const code = painted(this.#parts.color);
    return new Screen(
      this.#terminal,
      kind,
      { dim: code(2, 22), strong: code(1, 22), accent: code(36, 39) },
      {
        submit: (text) => this.#submit(text),
        escape: (hasWords) => this.#escape(hasWords),
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

  #ownWords(): { name: string; description: string }[] {
    return this.#own
      .filter(({ name, idle }) => idle === undefined && !ALL_WORDS.some((one) => one.name === name))
      .map(({ name, description, hint }) => ({ name, description: [hint, description].filter(Boolean).join(" · ") }));
  }

  #completeWords(): void {
    const roles = this.#roles.map((name) => ({ name, description: `ask the ${name}, who looks and changes nothing` }));
    this.#screen.complete([...ALL_WORDS, ...this.#ownWords()], roles, this.#parts.cli.cwd);
  }

  async #readOwnWords(): Promise<void> {
    this.#own = await this.#parts.cli.query({ type: "request.commands" });
    this.#roles = (await this.#parts.cli.query({ type: "agent.list" })).agents.map(({ role }) => role);
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
    // The screen is this session's: what connecting has to ask is asked on it.
    cli.speakThrough({ out: this.#out, ask: promptsOf(() => this.#screen) });
    const over = (): void => this.#leave();
    cli.signal.addEventListener("abort", over, { once: true });
    try {
      await this.#chooseScreen().catch((error: unknown) => this.#out.error(error));
      const words = this.#readOwnWords().catch((error: unknown) => this.#out.error(error));
      const said = saidBefore(cli).then(
        (texts) => this.#screen.remember(texts),
        (error: unknown) => this.#out.error(error),
      );
      await Promise.all([this.#showStatus(), words, said]);
      // Now, not when it ends: the next one is sooner there although this one is still open, or is killed.
      flushCompileCache();
      const { first } = this.#parts;
      if (first.length === 0) await this.#tellInterrupted();
      if (first.length === 0) await this.#welcome();
      if (first.length > 0 && this.#turn === undefined) void this.#begin(saidAs(first), first);
      await this.#left.promise;
    } finally {
      cli.signal.removeEventListener("abort", over);
      this.#offered.abort();
      this.#screen.stop();
    }
  }

  async #tellInterrupted(): Promise<void> {
    const text = await interruptedBefore({ ...this.#parts.cli, out: this.#out }).catch((error: unknown) => this.#out.error(error));
    if (typeof text === "string") this.#out.note(this.#out.style("yellow", visibleLine(text)));
  }

  /** What is typed meanwhile waits, as behind any turn. */
  async #welcome(): Promise<void> {
    const { firstRun } = this.#parts;
    if (firstRun === undefined || this.#turn !== undefined) return;
    const turn: Turn = { text: "", stop: new AbortController() };
    this.#turn = turn;
    await firstRun(this.#within(turn.stop)).catch((error: unknown) => (isAbort(error) ? undefined : this.#out.error(error)));
    this.#screen.live("");
    this.#turn = undefined;
    const next = this.#waiting.shift();
    if (this.#leaving) this.#leave();
    else if (next === undefined) await this.#showStatus();
    else void this.#begin(next);
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
    const task = this.#runningTask();
    if (task !== undefined && isSaid(text, this.#roles)) void this.#tell(task, text);
    else this.#wait(text);
  }

  #wait(text: string): void {
    this.#waiting.push(text);
    const joins = this.#works[0] === "session" && isSaid(text, this.#roles) ? " (/add makes it part of what runs)" : "";
    this.#out.note(this.#out.style("dim", `  waits for its turn: ${wording.oneLine(text, SHOWN_GOAL)}${joins}`));
    void this.#showStatus();
  }

  #runningTask(): string | undefined {
    const [word, , id] = this.#works;
    return word === "task" && this.#turn?.stop.signal.aborted === false ? id : undefined;
  }

  /** Words for the task that runs: it sees them in its next step. One that ended meanwhile hears nothing. */
  async #tell(id: string, text: string): Promise<void> {
    try {
      await this.#parts.cli.send({ type: "task.answer", id, text: text.trim() });
      this.#out.note(this.#out.style("dim", `  told the task: ${wording.oneLine(text, SHOWN_GOAL)}`));
    } catch (error) {
      if (!SylkError.is(error, "TASK_WRONG_STATUS")) this.#out.error(error);
      else if (this.#turn === undefined) void this.#begin(text);
      else this.#wait(text);
    }
  }

  /** Nothing of a turn escapes: what goes wrong is told, and the next one begins. */
  async #begin(text: string, args?: readonly string[]): Promise<void> {
    const turn: Turn = { text, stop: new AbortController(), ...(args === undefined ? {} : { args }) };
    this.#turn = turn;
    this.#out.line(`\n${this.#out.style("cyan", "›")} ${this.#out.style("bold", wording.oneLine(text, SHOWN_GOAL))}`);
    this.#comingMode = this.#wantedMode;
    this.#wantedMode = undefined;
    await this.#showStatus();
    try {
      if (this.#comingMode !== undefined) await this.#parts.cli.permissionMode.set(this.#comingMode);
      this.#comingMode = undefined;
      await this.#carryOut(turn);
    } catch (error) {
      if (!isAbort(error) && !turn.stop.signal.aborted) this.#out.error(error);
    }
    this.#comingMode = undefined;
    this.#screen.live("");
    this.#turn = undefined;
    const next = this.#waiting.shift();
    if (this.#leaving) this.#leave();
    else if (next === undefined) await this.#showStatus();
    else void this.#begin(next);
  }

  /** Beside what runs: it is about that. */
  async #aside(text: string): Promise<void> {
    this.#out.line(`${this.#out.style("cyan", "›")} ${this.#out.style("bold", wording.oneLine(text, SHOWN_GOAL))}`);
    const stop = new AbortController();
    this.#asides.add(stop);
    await this.#carryOut({ text, stop }).catch((error: unknown) =>
      isAbort(error) || stop.signal.aborted ? undefined : this.#out.error(error),
    );
    this.#asides.delete(stop);
    if (this.#leaving && this.#isIdle()) this.#left.resolve();
    else await this.#showStatus();
  }

  #isIdle(): boolean {
    return this.#turn === undefined && this.#asides.size === 0;
  }

  async #carryOut({ text, stop, args }: Turn): Promise<void> {
    if (args !== undefined) return this.#parts.carryOut(this.#within(stop), args);
    const said = readWords(
      text,
      this.#own.map(({ name }) => name),
      this.#roles,
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
      const cli = this.#within(stop);
      await this.#parts.carryOut(cli, await wordsMeant(cli, said.args));
      return;
    }
    switch (said.name) {
      case "exit":
      case "quit":
        this.#leave();
        return;
      case "clear":
        this.#screen.clear();
        return;
      case "rewind":
        return this.#rewind(stop, said.rest);
      case "compact":
        this.#out.line("there is nothing to compact: every step begins anew from the journal, and none grows");
        return;
      case "help":
        await this.#readOwnWords();
        this.#out.line(helpText(this.#ownWords(), (text) => this.#out.style("bold", text)));
        return;
      case "login":
        return this.#login(stop, said.rest);
      case "model":
        return this.#chooseModel(stop, said.rest);
    }
  }

  /** Without a name it asks as the first minute does. What is chosen there counts. */
  async #login(stop: AbortController, named: string): Promise<void> {
    const cli = this.#within(stop);
    if (named !== "") return this.#parts.carryOut(cli, ["auth", "login", named]);
    const { askForModel } = await import("../first-run.ts");
    await askForModel(cli);
    this.#model = undefined;
  }

  async #chooseModel(stop: AbortController, named: string): Promise<void> {
    const cli = this.#within(stop);
    if (named === "") return this.#parts.carryOut(cli, ["models", "list"]);
    this.#model = await knownModel(cli, named);
    this.#out.line(`using ${this.#model} for what you say next; \`/config set llm.default_model ${this.#model}\` does so for good`);
  }

  /** The command line's own context, with this screen, and stopped with the turn. */
  #within(stop: AbortController): CliContext {
    const { cli } = this.#parts;
    const { signal } = stop;
    return {
      ...cli,
      out: this.#out,
      ask: promptsOf(() => this.#screen),
      signal,
      attended: true,
      sign: "/",
      conversation: this.#conversation,
      model: this.#model,
      interrupt: () => {
        const reason = stopped();
        stop.abort(reason);
        return reason;
      },
      send: async (command) => (await cli.api()).send(command, signal),
      query: async (query) => (await cli.api()).query(query, signal),
      setExit: () => undefined,
      permissionMode: {
        get: () => cli.permissionMode.get(),
        set: async (mode) => {
          await cli.permissionMode.set(mode);
          await this.#showStatus();
        },
      },
      runs: (words, running) => {
        const open = cli.runs(words, running);
        this.#works = words;
        return {
          [Symbol.dispose]: () => {
            if (this.#works === words) this.#works = [];
            open[Symbol.dispose]();
          },
        };
      },
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

  /** What counts for whatever runs. */
  #mode(): string {
    return this.#comingMode ?? this.#parts.cli.permissionMode.get();
  }

  #cycleMode(): void {
    const now = this.#wantedMode ?? this.#mode();
    this.#wantedMode = MODES[(MODES.indexOf(now) + 1) % MODES.length];
    void this.#showStatus();
  }

  /** Stops what runs; twice, where nothing runs and nothing was typed, goes back. */
  #escape(hasWords: boolean): boolean {
    if (hasWords && this.#isIdle()) return false;
    const now = systemClock.monotonic();
    const twice = now - this.#escapedAt < TWICE_MS;
    this.#escapedAt = twice ? Number.NEGATIVE_INFINITY : now;
    if (!this.#isIdle()) this.#stopAll();
    else if (twice) this.#submit("/rewind");
    else this.#offer("Escape again goes back to a step of the last task");
    return true;
  }

  async #rewind(stop: AbortController, to: string): Promise<void> {
    const cli = this.#within(stop);
    const args = await chooseStep(cli, to);
    if (args === undefined) return;
    await this.#parts.carryOut(cli, args);
    this.#out.note(this.#out.style("dim", '  go on from there: /resume; to say what should be other: /resume last --answer "…"'));
  }

  /** What runs, and what was begun beside it. */
  #stopAll(): void {
    const running = [...this.#asides, ...(this.#turn === undefined ? [] : [this.#turn.stop])].filter(({ signal }) => !signal.aborted);
    if (running.length === 0) return;
    this.#out.note(this.#out.style("dim", "  stopping …"));
    // Words that waited were meant for what is stopped now: they are the user's to send again.
    const waited = this.#waiting.splice(0);
    if (waited.length > 0) this.#screen.type([...waited, this.#screen.typed()].filter((text) => text !== "").join("\n"));
    for (const stop of running) stop.abort(stopped());
  }

  #interrupt(): void {
    const now = systemClock.monotonic();
    const twice = now - this.#pressedAt < TWICE_MS;
    this.#pressedAt = now;
    if (twice) return this.#leave();
    if (this.#isIdle()) this.#offer("Ctrl+C again leaves");
    else this.#stopAll();
  }

  /** Shown as long as it holds. */
  #offer(text: string): void {
    this.#offered.abort();
    this.#offered = new AbortController();
    this.#screen.status(text);
    void systemClock.sleep(TWICE_MS, this.#offered.signal).then(
      () => this.#showStatus(),
      () => undefined,
    );
  }

  /** What runs is stopped first, and can be gone on with. */
  #leave(): void {
    this.#leaving = true;
    this.#waiting.length = 0;
    if (this.#isIdle()) this.#left.resolve();
    // A terminal that was closed is no word of the user's.
    const { aborted, reason } = this.#parts.cli.signal;
    for (const stop of [...this.#asides, ...(this.#turn === undefined ? [] : [this.#turn.stop])]) stop.abort(aborted ? reason : stopped());
  }

  async #showStatus(): Promise<void> {
    const isRunning = this.#turn !== undefined;
    const mode = isRunning ? this.#mode() : (this.#wantedMode ?? this.#mode());
    const next = this.#wantedMode ?? mode;
    const doing = this.#isIdle() ? "ready" : this.#step === undefined ? "working" : `working, ${this.#step}`;
    this.#asked += 1;
    const asked = this.#asked;
    const line = await this.#status
      .text({ model: this.#model, mode, next, doing, waiting: this.#waiting.length, running: isRunning, columns: this.#screen.columns })
      .catch(() => doing);
    // Somebody asked later, and knows better.
    if (asked === this.#asked) this.#screen.status(line);
  }
}
