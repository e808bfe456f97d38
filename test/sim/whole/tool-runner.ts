/**
 * Runs real programs to their end while everything else stands still. A shell of its own starts them: to start one
 * from a process as large as a test costs ten times as much.
 */
import { execFileSync, spawn } from "node:child_process";
import { closeSync, openSync, readFileSync, readSync, writeFileSync, writeSync } from "node:fs";
import path from "node:path";

export interface ToolRun {
  file: string;
  args: readonly string[];
  cwd: string;
  env: Readonly<Record<string, string | undefined>>;
  input: Buffer;
}

export interface ToolResult {
  status: number;
  stdout: Buffer;
  stderr: Buffer;
}

const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;

export class ToolRunner implements Disposable {
  readonly #dir: string;
  readonly #asks: number;
  readonly #answers: number;
  readonly #shell: ReturnType<typeof spawn>;

  constructor(dir: string) {
    this.#dir = dir;
    const [asks, answers] = [path.join(dir, "asks"), path.join(dir, "answers")];
    execFileSync("mkfifo", [asks, answers]);
    const loop = `while read -r job; do ( . "$job" ); echo $?; done < ${quoted(asks)} > ${quoted(answers)}`;
    this.#shell = spawn("/bin/sh", ["-c", loop], { stdio: "ignore", env: {} });
    this.#asks = openSync(asks, "r+");
    this.#answers = openSync(answers, "r+");
  }

  run({ file, args, cwd, env, input }: ToolRun): ToolResult {
    const at = (name: string): string => path.join(this.#dir, name);
    const variables = Object.entries(env).flatMap(([name, value]) => (value === undefined ? [] : [`export ${name}=${quoted(value)}`]));
    const command = [quoted(file), ...args.map(quoted)].join(" ");
    writeFileSync(at("in"), input);
    const streams = `< ${quoted(at("in"))} > ${quoted(at("out"))} 2> ${quoted(at("err"))}`;
    writeFileSync(at("job"), [...variables, `cd ${quoted(cwd)} && exec ${command} ${streams}`, ""].join("\n"));
    writeSync(this.#asks, `${at("job")}\n`);
    const answer = Buffer.alloc(16);
    const size = readSync(this.#answers, answer);
    return { status: Number(answer.toString("utf8", 0, size)), stdout: readFileSync(at("out")), stderr: readFileSync(at("err")) };
  }

  [Symbol.dispose](): void {
    this.#shell.kill();
    closeSync(this.#asks);
    closeSync(this.#answers);
  }
}
