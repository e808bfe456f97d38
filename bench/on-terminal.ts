/** A program on a terminal of 120 by 40 that nobody sees: what it shows, sends, and costs while it does. */
import { spawn, type ChildProcess } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import xterm from "@xterm/headless";

const COLUMNS = 120;
const ROWS = 40;
/** Clock ticks of `/proc` a second. */
const TICKS = 100;

export class OnTerminal {
  readonly began = performance.now();
  bytes = 0;
  readonly #screen = new xterm.Terminal({ cols: COLUMNS, rows: ROWS, allowProposedApi: true });
  readonly #child: ChildProcess;
  #looked: () => void = () => undefined;

  constructor(command: readonly string[], cwd: string, env: NodeJS.ProcessEnv) {
    const quoted = command.map((word) => `'${word.replaceAll("'", `'\\''`)}'`).join(" ");
    const line = `stty cols ${COLUMNS} rows ${ROWS}; exec ${quoted}`;
    this.#child = spawn("script", ["-qfec", line, "/dev/null"], {
      cwd,
      env: { ...env, TERM: "xterm-256color" },
      stdio: ["pipe", "pipe", "ignore"],
    });
    this.#child.stdout?.on("data", (chunk: Buffer) => {
      this.bytes += chunk.length;
      this.#screen.write(chunk, () => this.#looked());
    });
    // A terminal answers what it is asked: colours, where the cursor is, what it can do.
    this.#screen.onData((data) => this.type(data));
    this.#child.stdin?.on("error", () => undefined);
  }

  type(keys: string): void {
    this.#child.stdin?.write(keys);
  }

  text(): string {
    const { active } = this.#screen.buffer;
    return Array.from({ length: ROWS }, (_v, row) => active.getLine(active.baseY + row)?.translateToString(true) ?? "").join("\n");
  }

  /** Milliseconds from the start until the screen shows it. */
  shows(test: (text: string) => boolean, withinMs = 120_000): Promise<number> {
    return new Promise((resolve, reject) => {
      const late = setTimeout(() => reject(new Error(`it never showed:\n${this.text()}`)), withinMs);
      this.#looked = () => {
        if (!test(this.text())) return;
        clearTimeout(late);
        this.#looked = () => undefined;
        resolve(performance.now() - this.began);
      };
      this.#looked();
    });
  }

  /** The program itself: what `script` started and what took its place. */
  get #pid(): number {
    const parent = this.#child.pid ?? 0;
    for (const name of readdirSync("/proc").filter((one) => /^\d+$/u.test(one))) {
      const stat = statOf(Number(name));
      if (stat?.parent === parent) return Number(name);
    }
    throw new Error("the program has ended");
  }

  /** Seconds of processor time so far. */
  processorSeconds(): number {
    return (statOf(this.#pid)?.ticks ?? 0) / TICKS;
  }

  residentMegabytes(): number {
    return Number(/VmRSS:\s*(\d+)/u.exec(readFileSync(`/proc/${this.#pid}/status`, "utf8"))?.[1] ?? 0) / 1_024;
  }

  close(): Promise<void> {
    return new Promise((resolve) => {
      this.#child.once("exit", () => resolve());
      this.#child.kill("SIGKILL");
      this.#screen.dispose();
    });
  }
}

function statOf(pid: number): { parent: number; ticks: number } | undefined {
  try {
    const fields = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ").at(-1)?.split(" ") ?? [];
    return { parent: Number(fields[1]), ticks: Number(fields[11]) + Number(fields[12]) };
  } catch {
    return undefined;
  }
}
