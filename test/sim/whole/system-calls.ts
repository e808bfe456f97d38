/**
 * The system as the lives of a simulation see it: files, process ids, randomness, the network. The calls of Node are
 * replaced while a simulation runs. Reading is done at once; every change is offered to the fate, which says when it
 * happens, and whether. Nothing here waits for the real system, so that a seed reproduces itself.
 */
import childProcess from "node:child_process";
import fs from "node:fs";
import promises from "node:fs/promises";
import { syncBuiltinESMExports } from "node:module";
import path from "node:path";
import type { Life } from "../timeline.ts";
import { SimHandle } from "./sim-handle.ts";
import { FIRST_PID, living, real, type Change, type SystemFate } from "./system-fate.ts";

const realPromises = { ...promises };
const realChildren = { ...childProcess };
const { fetch, setImmediate, clearImmediate, setInterval } = globalThis;
const realGlobals = { fetch, setImmediate, clearImmediate, setInterval };
const realRandom = Math.random;
const realProcess = { pid: process.pid, kill: process.kill.bind(process) };

const READING = ["access", "lstat", "stat", "readFile", "readdir", "readlink", "realpath"] as const;
const GROWING = new Set(["writeFile", "appendFile", "mkdir", "copyFile", "symlink", "link", "cp", "mkdtemp"]);
const CHANGING = ["rename", "rm", "unlink", "rmdir", "chmod", "chown", "utimes", "truncate", ...GROWING] as const;

type Call = (...args: unknown[]) => unknown;
const callOf = (name: string): Call => (real as unknown as Record<string, Call>)[`${name}Sync`] as Call;

const DESCRIPTOR = /^\/proc\/self\/fd\/(\d+)(\/.*)?$/u;

/** The place a way through a descriptor leads to. */
function placeOf(file: unknown): string {
  if (typeof file === "number") return placeOf(`/proc/self/fd/${file}`);
  if (typeof file !== "string") return String(file);
  const match = DESCRIPTOR.exec(file);
  if (match === null) return path.resolve(file);
  return `${real.readlinkSync(`/proc/self/fd/${match[1]}`)}${match[2] ?? ""}`;
}

const changeOf = (name: string, args: readonly unknown[]): Change => ({
  call: name,
  from: name === "rename" ? placeOf(args[0]) : undefined,
  file: placeOf(args[["rename", "copyFile", "symlink", "link", "cp"].includes(name) ? 1 : 0]),
  grows: GROWING.has(name),
});

const PROC = /^\/proc\/(\d+)\/(\w+)$/u;

/** What /proc says of the simulated; undefined when the real one is asked. */
function procFile(fate: SystemFate, file: unknown): { text: string } | undefined {
  const match = typeof file === "string" ? PROC.exec(file) : null;
  if (match === null || Number(match[1]) < FIRST_PID) return undefined;
  const text = fate.proc(Number(match[1]), match[2] as string);
  if (text === undefined) throw Object.assign(new Error(`ENOENT: ${String(file)}`), { code: "ENOENT" });
  return { text };
}

const never = new Promise<never>(() => undefined);
/** A dead process hears no answer. */
const heardBy = <T>(life: Life, work: () => T): Promise<T> => {
  if (!life.alive) return never;
  try {
    return Promise.resolve(work());
  } catch (error) {
    return Promise.reject(error);
  }
};

function readingOf(fate: SystemFate, name: string): Call {
  const call = callOf(name);
  return (...args) => {
    if (name === "readdir" && args[0] === "/proc") return fate.pids().map(String);
    return name === "readFile" ? (procFile(fate, args[0])?.text ?? call(...args)) : call(...args);
  };
}

function isWriting(flags: unknown): boolean {
  if (typeof flags === "number") return (flags & (fs.constants.O_WRONLY | fs.constants.O_RDWR | fs.constants.O_CREAT)) !== 0;
  return typeof flags === "string" && /[wax+]/u.test(flags);
}

function fileCalls(fate: SystemFate): { now: Record<string, Call>; later: Record<string, Call> } {
  const [now, later]: [Record<string, Call>, Record<string, Call>] = [{}, {}];
  for (const name of READING) {
    const call = readingOf(fate, name);
    const usual = (realPromises as unknown as Record<string, Call>)[name] as Call;
    now[`${name}Sync`] = (...args) => (living.getStore() === undefined ? callOf(name)(...args) : call(...args));
    later[name] = (...args) => {
      const life = living.getStore();
      if (life !== undefined && process.env["DBG"]) console.log("later", name, args[0]);
      return life === undefined ? usual(...args) : heardBy(life, () => call(...args));
    };
  }
  // It has properties of its own.
  now["realpathSync"] = real.realpathSync as unknown as Call;
  for (const name of CHANGING) {
    const call = callOf(name);
    const usual = (realPromises as unknown as Record<string, Call>)[name] as Call;
    now[`${name}Sync`] = (...args) => {
      const life = living.getStore();
      return life === undefined ? call(...args) : fate.changeNow(life, changeOf(name, args), () => call(...args));
    };
    later[name] = (...args) => {
      const life = living.getStore();
      return life === undefined ? usual(...args) : fate.change(life, changeOf(name, args), () => call(...args));
    };
  }
  now["openSync"] = (...args) => {
    const life = living.getStore();
    const open = (): unknown => (real.openSync as Call)(...args);
    const isChange = life !== undefined && isWriting(args[1]);
    return isChange ? fate.changeNow(life, { call: "open", file: placeOf(args[0]), grows: true }, open) : open();
  };
  now["writeSync"] = (...args) => {
    const life = living.getStore();
    const write = (): unknown => (real.writeSync as Call)(...args);
    return life === undefined ? write() : fate.changeNow(life, { call: "write", file: placeOf(args[0]), grows: true }, write);
  };
  now["fsyncSync"] = (fd) => {
    const life = living.getStore();
    const sync = (): unknown => real.fsyncSync(fd as number);
    return life === undefined ? sync() : fate.changeNow(life, { call: "sync", file: placeOf(fd), grows: false }, sync);
  };
  now["watch"] = (...args) =>
    living.getStore() === undefined
      ? (real.watch as Call)(...args)
      : { on: () => undefined, close: () => undefined, unref: () => undefined };
  later["open"] = (...args) => {
    const life = living.getStore();
    if (life === undefined) return (realPromises.open as Call)(...args);
    const file = placeOf(args[0]);
    const open = (): SimHandle => new SimHandle(real.openSync(...(args as Parameters<typeof fs.openSync>)), file, life, fate);
    return isWriting(args[1]) ? fate.change(life, { call: "open", file, grows: true }, open) : heardBy(life, open);
  };
  return { now, later };
}

function processCalls(fate: SystemFate): Record<string, Call> {
  return {
    spawn: (...args) => {
      const life = living.getStore();
      if (life === undefined) return (realChildren.spawn as unknown as Call)(...args);
      return fate.spawn(life, args[0] as string, args[1] as string[], args[2] as childProcess.SpawnOptions);
    },
  };
}

/** Immediates of lives that are still to come: until there are none, a step is not over. */
const coming = new Set<NodeJS.Immediate>();
export const isAllQuiet = (): boolean => coming.size === 0;

function globalCalls(fate: SystemFate): Record<string, unknown> {
  return {
    fetch: (input: string | URL | Request, init?: RequestInit) => {
      const life = living.getStore();
      return life === undefined ? realGlobals.fetch(input, init) : fate.fetch(life, init?.body as string, init?.signal ?? undefined);
    },
    setImmediate: (work: Call, ...args: unknown[]) => {
      if (living.getStore() === undefined) return realGlobals.setImmediate(work, ...args);
      const immediate = realGlobals.setImmediate(() => {
        coming.delete(immediate);
        work(...args);
      });
      coming.add(immediate);
      return immediate;
    },
    clearImmediate: (immediate: NodeJS.Immediate) => {
      coming.delete(immediate);
      realGlobals.clearImmediate(immediate);
    },
    // What is done every now and then beside the work is done at its end too.
    setInterval: (work: Call, ms: number) =>
      living.getStore() === undefined ? realGlobals.setInterval(work, ms) : { unref: () => undefined },
  };
}

function pidOf(life: Life | undefined): number {
  return life === undefined ? realProcess.pid : Number(life.holder.split(":").at(-2));
}

function signalled(isThere: boolean): true {
  if (!isThere) throw Object.assign(new Error("kill ESRCH"), { code: "ESRCH" });
  return true;
}

/** Puts others in the place of calls; returns what puts the old ones back. */
function replaced(module: object, calls: Record<string, unknown>): () => void {
  const before = Object.fromEntries(Object.keys(calls).map((name) => [name, (module as Record<string, unknown>)[name]]));
  Object.assign(module, calls);
  return () => void Object.assign(module, before);
}

/** From now until it is disposed. */
export function replaceSystem(fate: SystemFate): Disposable {
  const { now, later } = fileCalls(fate);
  const back = [
    replaced(fs, now),
    replaced(promises, later),
    replaced(childProcess, processCalls(fate)),
    replaced(globalThis, globalCalls(fate)),
    replaced(Math, { random: () => (living.getStore() === undefined ? realRandom() : fate.random()) }),
    replaced(process, {
      kill: (pid: number, signal?: NodeJS.Signals | number) =>
        Math.abs(pid) < FIRST_PID ? realProcess.kill(pid, signal) : signalled(fate.signal(Math.abs(pid), signal ?? "SIGTERM")),
    }),
  ];
  Object.defineProperty(process, "pid", { configurable: true, get: () => pidOf(living.getStore()) });
  syncBuiltinESMExports();
  return {
    [Symbol.dispose]: () => {
      for (const putBack of back) putBack();
      Object.defineProperty(process, "pid", { configurable: true, value: realProcess.pid });
      syncBuiltinESMExports();
    },
  };
}
