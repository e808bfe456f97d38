/**
 * The real command as people run it, without the cost of starting it each time: whole command lines go to processes
 * that have it loaded, one at a time each. Tests of signals, terminals and of starting itself start their own.
 */
import { fork, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { WARM } from "./built-command.ts";

export interface WarmCall {
  args: string[];
  cwd: string;
  env: Record<string, string>;
}

export interface WarmAnswer {
  /** -1: it was cut off. */
  code: number;
  out: string;
  err: string;
}

const idle: ChildProcess[] = [];

async function start(): Promise<ChildProcess> {
  const child = fork(WARM, { stdio: ["ignore", "ignore", "ignore", "ipc"] });
  await once(child, "spawn");
  return child;
}

/** A hang is a failure of its own: the limit is far above what any command needs. */
export async function runSylk(
  cwd: string,
  env: Readonly<Record<string, string | undefined>>,
  args: readonly string[],
  timeoutMs = 90_000,
): Promise<WarmAnswer> {
  const child = idle.pop() ?? (await start());
  child.ref();
  const given = Object.fromEntries(Object.entries(env).filter((entry): entry is [string, string] => entry[1] !== undefined));
  const answer = await new Promise<WarmAnswer>((resolve) => {
    const cut = setTimeout(() => child.kill("SIGKILL"), timeoutMs);
    const ended = (): void => resolve({ code: -1, out: "", err: "it was cut off" });
    child.once("exit", ended);
    child.once("message", (told) => {
      child.off("exit", ended);
      clearTimeout(cut);
      resolve(told as WarmAnswer);
    });
    child.send({ args: [...args], cwd, env: given } satisfies WarmCall);
  });
  if (answer.code !== -1) {
    child.unref();
    child.channel?.unref();
    idle.push(child);
  }
  return answer;
}
