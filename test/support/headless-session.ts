/** A session on a terminal that nobody sees: what it shows is read back as a user would read it. */
import xterm from "@xterm/headless";
import { openApp, PERMISSION_MODES, type PermissionPolicy } from "../../src/app/index.ts";
import { systemClock } from "../../src/kernel/index.ts";
import { carryOut } from "../../src/surface/cli/carry-out.ts";
import type { CliContext } from "../../src/surface/cli/command.ts";
import { createOutput } from "../../src/surface/cli/output.ts";
import { firstRun } from "../../src/surface/cli/first-run.ts";
import { linePrompts } from "../../src/surface/cli/prompts.ts";
import type { Terminal } from "../../src/surface/cli/terminal/screen.ts";
import { Session } from "../../src/surface/cli/terminal/session.ts";

export const KEYS = {
  enter: "\r",
  escape: "\u001b",
  interrupt: "\u0003",
  up: "\u001b[A",
  down: "\u001b[B",
  left: "\u001b[D",
  cycle: "\u001b[Z",
  pageUp: "\u001b[5~",
};

const PATIENCE_MS = Number(process.env["TEST_PATIENCE_MS"] ?? 240_000);

/** Answers what a program of the toolkit asks of a terminal, over an emulator. */
class HeadlessTerminal implements Terminal {
  readonly emulator: InstanceType<typeof xterm.Terminal>;
  readonly kittyProtocolActive = false;
  /** Every sign that was sent to it. */
  said = "";
  type: (data: string) => void = () => undefined;
  #resized: () => void = () => undefined;

  constructor(columns: number, rows: number) {
    this.emulator = new xterm.Terminal({ cols: columns, rows, scrollback: 10_000, allowProposedApi: true });
  }

  get columns(): number {
    return this.emulator.cols;
  }

  get rows(): number {
    return this.emulator.rows;
  }

  start(onInput: (data: string) => void, onResize: () => void): void {
    this.type = onInput;
    this.#resized = onResize;
  }

  resize(columns: number, rows: number): void {
    this.emulator.resize(columns, rows);
    this.#resized();
  }

  write(data: string): void {
    this.said += data;
    this.emulator.write(data);
  }

  /** What was written is on the screen. */
  drawn(): Promise<void> {
    return new Promise((resolve) => this.emulator.write("", resolve));
  }

  stop(): void {
    this.type = () => undefined;
  }

  drainInput(): Promise<void> {
    return Promise.resolve();
  }

  moveBy(lines: number): void {
    if (lines !== 0) this.write(`\u001b[${Math.abs(lines)}${lines > 0 ? "B" : "A"}`);
  }

  hideCursor(): void {
    this.write("\u001b[?25l");
  }

  showCursor(): void {
    this.write("\u001b[?25h");
  }

  clearLine(): void {
    this.write("\u001b[K");
  }

  clearFromCursor(): void {
    this.write("\u001b[J");
  }

  clearScreen(): void {
    this.write("\u001b[2J\u001b[H");
  }

  setTitle(title: string): void {
    this.write(`\u001b]0;${title}\u0007`);
  }

  setProgress(): void {
    // Nobody sees it.
  }
}

/** Everything that was ever on the screen and was not drawn over, without empty lines at the end. */
function shownOn({ emulator }: HeadlessTerminal): string {
  const { active } = emulator.buffer;
  const lines = Array.from({ length: active.length }, (_v, row) => active.getLine(row)?.translateToString(true) ?? "");
  return lines.join("\n").trimEnd();
}

export interface HeadlessSession extends AsyncDisposable {
  readonly terminal: HeadlessTerminal;
  readonly ended: Promise<void>;
  type(text: string): void;
  say(text: string): void;
  shown(): string;
  /** Waits until the screen shows it. */
  sees(text: string | RegExp): Promise<string>;
}

export interface HeadlessOptions {
  columns?: number;
  rows?: number;
  /** Words of the command line that come first. */
  first?: readonly string[];
  color?: boolean;
  /** Whoever has no model is asked for one first, as `sylk` does. */
  asksForModel?: boolean;
}

export async function openHeadlessSession(
  { dir, env }: { dir: string; env: Record<string, string> },
  { columns = 100, rows = 30, first = [], color = false, asksForModel = false }: HeadlessOptions = {},
): Promise<HeadlessSession> {
  let mode = "default";
  const open = (permissions?: PermissionPolicy) => openApp({ cwd: dir, env, clock: systemClock, permissions });
  let app = await open();
  const reopen = async (): Promise<void> => {
    await app.close();
    app = await open({ mode: PERMISSION_MODES.find((one) => one === mode) });
  };
  const stop = new AbortController();
  const cli: CliContext = {
    out: createOutput({ json: false, quiet: true, color: false }),
    ask: linePrompts,
    cwd: dir,
    env,
    commands: [],
    signal: stop.signal,
    attended: true,
    sign: "sylk ",
    interrupt: () => new Error("stopped"),
    app: () => Promise.resolve(app),
    api: () => Promise.resolve(app.api),
    send: (command) => app.api.send(command, stop.signal),
    query: (query) => app.api.query(query, stop.signal),
    policy: () => ({}),
    speakThrough: () => undefined,
    reopen,
    permissionMode: {
      get: () => mode,
      async set(next) {
        mode = next ?? "default";
        await reopen();
      },
    },
    runs: () => ({ [Symbol.dispose]: () => undefined }),
    setExit: () => undefined,
  };
  const terminal = new HeadlessTerminal(columns, rows);
  const ended = new Session({ cli, version: "0.0.0", color, carryOut, first, terminal, ...(asksForModel ? { firstRun } : {}) })
    .run()
    .then(() => terminal.drawn());
  const shown = (): string => shownOn(terminal);
  const type = (text: string): void => terminal.type(text);
  return {
    terminal,
    ended,
    type,
    say(text) {
      for (const letter of text) type(letter);
      type(KEYS.enter);
    },
    shown,
    async sees(text) {
      const began = performance.now();
      for (;;) {
        const now = shown();
        if (typeof text === "string" ? now.includes(text) : text.test(now)) return now;
        if (stop.signal.aborted) throw new Error(`the session ended without it:\n${now}`);
        // What never comes must end as a failure that shows the screen.
        if (performance.now() - began > PATIENCE_MS) throw new Error(`it is not shown:\n${now}`);
        await new Promise((resolve) => setTimeout(resolve, 20));
      }
    },
    async [Symbol.asyncDispose]() {
      stop.abort();
      await ended;
      terminal.emulator.dispose();
      await app.close();
    },
  };
}
