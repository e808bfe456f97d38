/**
 * Starts short programs of Sylk's own (git, find, ripgrep). Starting one copies the memory map of who starts it and holds
 * up everything else meanwhile, so a small shell that stays does it: one program at a time in each, and as many shells
 * as are needed at once. Only for programs that leave nothing running behind. What a shell cannot start as it is meant
 * (much input, odd names, no shell) is started directly.
 */
import { spawn, type ChildProcess } from "node:child_process";
import { randomBytes } from "node:crypto";
import { Socket } from "node:net";
import path from "node:path";
import { OWN_SHELL } from "./own-shell.ts";

export interface ShortRequest {
  file: string;
  args: readonly string[];
  cwd: string;
  env: Readonly<Record<string, string>>;
  input?: string | Buffer | undefined;
  onStdout: (chunk: Buffer) => void;
  onStderr: (chunk: Buffer) => void;
}

export interface ShortProcess {
  kill(signal: "SIGTERM" | "SIGKILL"): void;
  /** All it said was told; null: it was killed. Rejects as `spawn` fails. */
  ended: Promise<number | null>;
}

const MARK_BYTES = 32;
const KEPT_SHELLS = 4;
const SIGNALLED = 128;
const NAME = /^[A-Za-z_]\w*$/u;
/** Some shells let nobody set these. */
const READ_ONLY = new Set(["UID", "EUID", "PPID", "BASHOPTS", "SHELLOPTS"]);
/** Signals of a terminal reach the whole group: the shell stays, and ends with its input. */
const PRELUDE = "trap '' INT QUIT HUP TERM\n";

/** What takes more room as a line of a shell than it saves. */
const MOST_INPUT_BYTES = 16 * 1024;

const quoted = (text: string): string => `'${text.replaceAll("'", String.raw`'\''`)}'`;

/** As the shell's own `printf` takes it: whatever it or the shell could take for its own, as a number of three digits. */
const printed = (input: string | Buffer): string =>
  Buffer.from(input)
    .toString("latin1")
    .replaceAll(/[^\w\n ./,:=@]/gu, (byte) => `\\${byte.charCodeAt(0).toString(8).padStart(3, "0")}`);

/**
 * The program, then who it is, how it ended, and a mark behind the last of what it said. `go`: from here on a signal is
 * heeded; one before would be lost. Who prints the input ends with the program, whether that has read it or not.
 */
function script({ file, args, cwd, env, input }: ShortRequest, mark: string): string {
  const settings = Object.entries(env).map(([name, value]) => `${name}=${quoted(value)}`);
  const start = [...settings, "exec", quoted(file), ...args.map(quoted)].join(" ");
  const run = `(trap - HUP TERM; echo go >&3; cd -P -- ${quoted(cwd)} 2>/dev/null && [ -x ${quoted(file)} ] || { echo none >&3; exit 1; }; exec 3>&-; unset PWD OLDPWD SHLVL; ${start})`;
  return [
    input === undefined ? `${run} </dev/null &` : `printf '${printed(input)}' 2>/dev/null | ${run} &`,
    `echo "pid $!" >&3; wait $!; s=$?; printf ${mark}; printf ${mark} >&2; echo "end $s" >&3`,
    "",
  ].join("\n");
}

/** What comes before a mark; the end of it is held back until it is known that it is none. */
class Until {
  readonly #mark: Buffer;
  readonly #tell: (chunk: Buffer) => void;
  #held: Buffer = Buffer.alloc(0);
  isOver = false;

  constructor(mark: string, tell: (chunk: Buffer) => void) {
    this.#mark = Buffer.from(mark);
    this.#tell = tell;
  }

  /** How much of the mark may stand at the end already. */
  #begun(all: Buffer): number {
    for (let length = Math.min(MARK_BYTES - 1, all.length); length > 0; length -= 1)
      if (all.subarray(-length).equals(this.#mark.subarray(0, length))) return length;
    return 0;
  }

  take(chunk: Buffer): void {
    if (this.isOver) return;
    const all = this.#held.length === 0 ? chunk : Buffer.concat([this.#held, chunk]);
    const found = all.indexOf(this.#mark);
    this.isOver = found >= 0;
    const at = this.isOver ? found : all.length - this.#begun(all);
    this.#held = all.subarray(at);
    if (at > 0) this.#tell(all.subarray(0, at));
  }
}

interface Job {
  stdout: Until;
  stderr: Until;
  said: string;
  pid: number | undefined;
  status: number | undefined;
  isMissing: boolean;
  heeds: boolean;
  wanted: NodeJS.Signals | undefined;
  settle(end: number | null | Error): void;
}

function failure(code: string, message: string): Error {
  return Object.assign(new Error(message), { code });
}

class Shell {
  readonly #child: ChildProcess;
  readonly #streams: Socket[];
  #job: Job | undefined;
  isOver = false;

  constructor() {
    this.#child = spawn(OWN_SHELL, ["-s"], { cwd: "/", env: {}, stdio: ["pipe", "pipe", "pipe", "pipe"] });
    this.#streams = this.#child.stdio.filter((stream): stream is Socket => stream instanceof Socket);
    this.#child.stdout?.on("data", (chunk: Buffer) => this.#hear((job) => job.stdout.take(chunk)));
    this.#child.stderr?.on("data", (chunk: Buffer) => this.#hear((job) => job.stderr.take(chunk)));
    this.#child.stdio[3]?.on("data", (chunk: Buffer) => this.#hear((job) => this.#status(job, chunk.toString())));
    for (const stream of this.#streams) stream.on("error", () => undefined);
    const lost = (): void => {
      this.isOver = true;
      this.#job?.settle(failure("ESHELL", "the shell that starts programs has ended"));
    };
    this.#child.once("error", lost);
    this.#child.once("exit", lost);
    this.#hold(false);
    // Without a shell on this machine.
    if (this.#child.pid === undefined) this.isOver = true;
    else this.#child.stdin?.write(PRELUDE);
  }

  /** Nothing waits for a shell that has nothing to do. */
  #hold(isBusy: boolean): void {
    for (const one of [this.#child, ...this.#streams]) {
      if (isBusy) one.ref();
      else one.unref();
    }
  }

  #status(job: Job, text: string): void {
    job.said += text;
    for (let end = job.said.indexOf("\n"); end >= 0; end = job.said.indexOf("\n")) {
      const [word, value] = job.said.slice(0, end).split(" ");
      job.said = job.said.slice(end + 1);
      if (word === "none") job.isMissing = true;
      else if (word === "end") job.status = Number(value);
      else if (word === "go") job.heeds = true;
      else job.pid = Number(value);
    }
    if (job.wanted !== undefined) this.#kill(job, job.wanted);
  }

  #kill(job: Job, signal: NodeJS.Signals): void {
    job.wanted = signal;
    if (job.pid === undefined || !job.heeds || job.status !== undefined) return;
    try {
      process.kill(job.pid, signal);
    } catch {
      // It has ended meanwhile.
    }
  }

  #hear(take: (job: Job) => void): void {
    const job = this.#job;
    if (job === undefined) return;
    take(job);
    if (job.status === undefined || !job.stdout.isOver || !job.stderr.isOver) return;
    job.settle(
      job.isMissing
        ? failure("ENOENT", "the program or its folder is not there")
        : job.wanted !== undefined && job.status > SIGNALLED
          ? null
          : job.status,
    );
  }

  start(request: ShortRequest, over: () => void): ShortProcess {
    const mark = randomBytes(MARK_BYTES / 2).toString("hex");
    const { promise, resolve, reject } = Promise.withResolvers<number | null>();
    const job: Job = {
      stdout: new Until(mark, request.onStdout),
      stderr: new Until(mark, request.onStderr),
      said: "",
      pid: undefined,
      status: undefined,
      isMissing: false,
      heeds: false,
      wanted: undefined,
      settle: (end) => {
        // What it started may outlive it, and would go on talking into what the next program says.
        if (job.wanted !== undefined) this.end();
        this.#job = undefined;
        this.#hold(false);
        over();
        if (end instanceof Error) reject(end);
        else resolve(end);
      },
    };
    this.#job = job;
    this.#hold(true);
    this.#child.stdin?.write(script(request, mark));
    return { kill: (signal) => this.#kill(job, signal), ended: promise };
  }

  /** It ends with its input; whatever still talks into its pipes finds them closed. */
  end(): void {
    this.isOver = true;
    for (const stream of this.#streams) stream.destroy();
  }
}

const idle: Shell[] = [];

function inShell(request: ShortRequest): ShortProcess {
  let shell = idle.pop();
  while (shell?.isOver === true) shell = idle.pop();
  const used = shell ?? new Shell();
  if (used.isOver) return directly(request);
  return used.start(request, () => {
    if (used.isOver) return;
    if (idle.length < KEPT_SHELLS) idle.push(used);
    else used.end();
  });
}

function directly({ file, args, cwd, env, input, onStdout, onStderr }: ShortRequest): ShortProcess {
  const child = spawn(file, args, { cwd, env, stdio: [input === undefined ? "ignore" : "pipe", "pipe", "pipe"], windowsHide: true });
  child.stdout?.on("data", onStdout);
  child.stderr?.on("data", onStderr);
  child.stdin?.on("error", () => undefined);
  child.stdin?.end(input);
  const ended = new Promise<number | null>((resolve, reject) => {
    child.once("error", reject);
    child.once("close", resolve);
  });
  return { kill: (signal) => void child.kill(signal), ended };
}

const hasNul = (text: string): boolean => text.includes("\0");

/** Whether a shell can start it with nothing changed. */
function isPlain({ file, args, cwd, env, input }: ShortRequest): boolean {
  return (
    process.platform !== "win32" &&
    (input === undefined || Buffer.byteLength(input) <= MOST_INPUT_BYTES) &&
    path.isAbsolute(file) &&
    path.isAbsolute(cwd) &&
    ![file, cwd, ...args].some(hasNul) &&
    Object.entries(env).every(([name, value]) => NAME.test(name) && !READ_ONLY.has(name) && !hasNul(value))
  );
}

export const startShort = (request: ShortRequest): ShortProcess => (isPlain(request) ? inShell(request) : directly(request));
