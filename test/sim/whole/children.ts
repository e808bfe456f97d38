/**
 * Processes that lives start. Git and the searcher are the real ones, each run whole within one step; there is no sandbox. Commands and
 * checks of tasks are `echo <words> >> <file>` and `grep -q <word> <file>`, done here as a shell would, with the
 * record that the real wrapper keeps; they go on when whoever started them is gone, as real ones do.
 */
import type { ChildProcess, SpawnOptions } from "node:child_process";
import { EventEmitter } from "node:events";
import path from "node:path";
import { PassThrough, Writable } from "node:stream";
import type { Life } from "../timeline.ts";
import { FIRST_PID, living, real } from "./system-fate.ts";
import type { ToolResult, ToolRun, ToolRunner } from "./tool-runner.ts";

export interface ChildFate {
  /** A moment of the timeline at which a life, or a process of its own, goes on; never for the dead. */
  moment(life: Life, what: string, afterMs: number): Promise<void>;
  /** Whether a life may do it now; it may die instead. */
  mayRun(life: Life): boolean;
  ran(life: Life, command: Command): void;
  /** Checks say that all is well without a look. */
  isLying(): boolean;
  wrote(file: string): void;
  random(): number;
}

export interface Command {
  cwd: string;
  line: string;
  kind: "check" | "command" | "tool";
  exitCode: number;
}

const NO_SANDBOX = { status: 1, stdout: Buffer.alloc(0), stderr: Buffer.alloc(0) };
const COMMAND_MS = 2_000;
const BOOT = real.existsSync("/proc/sys/kernel/random/boot_id") ? real.readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim() : "";

interface Running {
  readonly life: Life;
  readonly by: Life;
  readonly argv: readonly string[];
  readonly environ: string;
  /** Word to begin, for a command that records itself. */
  word: "none" | "waits" | "given";
  signal: NodeJS.Signals | undefined;
}

class Child extends EventEmitter {
  readonly stdin = new PassThrough();
  readonly stdout = new PassThrough();
  readonly stderr = new PassThrough();
  readonly pid: number | undefined;
  readonly stdio: (Writable | null)[];
  readonly kill: (signal?: NodeJS.Signals) => boolean;

  constructor(pid: number | undefined, word: Writable | null, kill: (signal?: NodeJS.Signals) => boolean) {
    super();
    this.pid = pid;
    this.stdio = [this.stdin, this.stdout, this.stderr, word];
    this.kill = kill;
  }

  unref(): void {
    // Nobody waits for it anyway.
  }

  end(code: number | null, signal: NodeJS.Signals | null): void {
    this.stdout.end();
    this.stderr.end();
    this.emit("exit", code, signal);
    this.emit("close", code, signal);
  }
}

export class Children {
  readonly #fate: ChildFate;
  readonly #running = new Map<number, Running>();
  readonly #tools: ToolRunner;
  readonly #known = new Map<string, ToolResult>();
  #pid = FIRST_PID + 100_000;

  constructor(fate: ChildFate, tools: ToolRunner) {
    this.#fate = fate;
    this.#tools = tools;
  }

  pids(): number[] {
    return [...this.#running.keys()];
  }

  /** What /proc would say. */
  proc(pid: number, name: string): string | undefined {
    const running = this.#running.get(pid);
    if (running === undefined) return undefined;
    if (name === "cmdline") return running.argv.join("\0");
    if (name === "environ") return running.environ;
    return name === "stat" ? statLine(pid, "S") : "sim";
  }

  signal(pid: number, signal: NodeJS.Signals | number): boolean {
    const running = this.#running.get(pid);
    if (running === undefined) return false;
    if (signal !== 0) running.signal = signal as NodeJS.Signals;
    return true;
  }

  /** With the power everything ends. */
  powerLost(): void {
    for (const { life } of this.#running.values()) life.alive = false;
    this.#running.clear();
  }

  spawn(by: Life, file: string, args: readonly string[], options: SpawnOptions): ChildProcess {
    const program = path.basename(file);
    // Without the shell that starts short programs each is started by itself, and seen.
    if (file === "/bin/sh" && args[0] === "-s") return new Child(undefined, null, () => true) as unknown as ChildProcess;
    if (program === "find") return this.#nothing(by) as unknown as ChildProcess;
    const child = ["git", "rg", "bwrap"].includes(program) ? this.#tool(by, file, args, options) : this.#command(by, file, args, options);
    return child as unknown as ChildProcess;
  }

  /** Looks for pipes and devices, of which there are none. */
  #nothing(by: Life): Child {
    const child = new Child((this.#pid += 1), null, () => true);
    queueMicrotask(() => living.run(by, () => child.end(0, null)));
    return child;
  }

  #tool(by: Life, file: string, args: readonly string[], options: SpawnOptions): Child {
    const child = new Child((this.#pid += 1), null, () => true);
    const what = `${path.basename(file)} ${args.find((arg) => /^[a-z]/u.test(arg) && !arg.includes("=")) ?? ""}`;
    const input: Buffer[] = [];
    child.stdin.on("data", (chunk: Buffer) => input.push(chunk));
    void this.#fate.moment(by, what, 0).then(() => {
      if (!this.#fate.mayRun(by)) return;
      const { cwd, env = {} } = options;
      const isSandbox = path.basename(file) === "bwrap";
      const run = { file, args, cwd: String(cwd), env, input: Buffer.concat(input) };
      const done = isSandbox ? NO_SANDBOX : living.exit(() => this.#run(run));
      this.#fate.ran(by, { cwd: String(cwd), line: what, kind: "tool", exitCode: done.status });
      if (!this.#fate.mayRun(by)) return;
      living.run(by, () => {
        child.stdout.write(done.stdout);
        child.stderr.write(done.stderr);
        child.end(done.status, null);
      });
    });
    return child;
  }

  /** Nobody changes the configuration of the repository: what it says is asked once. */
  #run(run: ToolRun): ToolResult {
    if (!run.args.includes("config")) return this.#tools.run(run);
    const key = JSON.stringify([run.cwd, run.args]);
    const known = this.#known.get(key) ?? this.#tools.run(run);
    this.#known.set(key, known);
    return known;
  }

  #command(by: Life, file: string, args: readonly string[], options: SpawnOptions): Child {
    const pid = (this.#pid += 1);
    const isRecorded = file === "sh" && args[2] === "sh";
    const record = isRecorded ? (args[3] as string) : undefined;
    const argv = isRecorded ? args.slice(4) : [file, ...args];
    const life: Life = { name: `command${pid - FIRST_PID} (${argv.join(" ")})`, holder: `:${pid}:1`, alive: true, pausedUntil: 0 };
    const environ = Object.entries(options.env ?? {}).map(([name, value]) => `${name}=${value ?? ""}\0`);
    const running: Running = {
      life,
      by,
      argv: [file, ...args],
      environ: environ.join(""),
      word: isRecorded ? "waits" : "given",
      signal: undefined,
    };
    this.#running.set(pid, running);
    const word = new Writable({
      write: (_chunk, _encoding, done) => {
        running.word = "given";
        done();
      },
      destroy: (_error, done) => {
        if (running.word === "waits") running.word = "none";
        done(null);
      },
    });
    const child = new Child(pid, word, () => this.signal(pid, "SIGTERM"));
    void living
      .exit(() => this.#live(running, pid, argv, String(options.cwd), record))
      .then((code) => {
        this.#running.delete(pid);
        if (!by.alive) return;
        const { signal } = running;
        living.run(by, () => child.end(signal === undefined ? code : null, signal ?? null));
      });
    return child;
  }

  async #live(running: Running, pid: number, argv: readonly string[], cwd: string, record: string | undefined): Promise<number> {
    const { life, by } = running;
    const keep = (name: string, text: string): void => {
      if (record === undefined || !real.existsSync(record)) return;
      real.writeFileSync(path.join(record, name), text);
      this.#fate.wrote(path.join(record, name));
    };
    do await this.#fate.moment(life, "waits for its word", 5);
    while (running.word === "waits" && by.alive);
    if (running.word !== "given") {
      keep("never", "");
      return 125;
    }
    keep("started", `${pid} ${BOOT} ${statLine(pid, "S")}\n`);
    await this.#fate.moment(life, "runs", this.#fate.random() * COMMAND_MS);
    if (running.signal !== undefined) return 130;
    const line = argv[0] === "sh" ? (argv[2] as string) : argv.join(" ");
    const kind = line.startsWith("grep") ? "check" : "command";
    if (kind === "check" && this.#fate.isLying()) return 0;
    const done = perform(line, cwd);
    this.#fate.ran(by, { cwd, line, kind, exitCode: done });
    keep("stdout", "");
    keep("stderr", "");
    await this.#fate.moment(life, "ends", this.#fate.random() * COMMAND_MS);
    if (running.signal !== undefined) return 130;
    keep("exit", `${done}\n`);
    return done;
  }
}

/** One line as a shell would do it. */
function perform(line: string, cwd: string): number {
  const echo = /^echo (?<words>[\w -]+) >> (?<file>[\w.-]+)$/u.exec(line)?.groups;
  if (echo !== undefined) {
    real.appendFileSync(path.join(cwd, echo["file"] as string), `${echo["words"] as string}\n`);
    return 0;
  }
  const grep = /^grep -q (?<word>[\w-]+) (?<file>[\w.-]+)$/u.exec(line)?.groups;
  if (grep === undefined) return 127;
  const file = path.join(cwd, grep["file"] as string);
  if (!real.existsSync(file)) return 2;
  return real.readFileSync(file, "utf8").includes(grep["word"] as string) ? 0 : 1;
}

/** State letter and start time stand where the system puts them. */
export function statLine(pid: number, letter: string): string {
  const after = Array.from({ length: 30 }, () => "0");
  after[0] = letter;
  after[1] = "1";
  after[2] = String(pid);
  after[3] = String(pid);
  after[19] = "1";
  return `${pid} (sim) ${after.join(" ")}`;
}
