/** What attack tests share: a victim with a home and keys of their own, and the real command run as they would. */
import { execFileSync } from "node:child_process";
import { mkdirSync, readdirSync, realpathSync, writeFileSync } from "node:fs";
import path from "node:path";
import { openProject, systemPaths } from "../../src/kernel/index.ts";
import { tempDir } from "../support/temp.ts";
import { runSylk } from "../support/run-sylk.ts";

export interface Ran {
  code: number;
  out: string;
  err: string;
}

export interface Victim {
  /** Holds everything below. */
  base: string;
  home: string;
  /** A folder the attacker wants to reach. */
  outside: string;
  env: Record<string, string>;
  sylk(cwd: string, ...args: string[]): Promise<Ran>;
  /** Where the victim's private files for a folder stand. */
  privateOf(folder: string): string;
}

export function victim(more: Record<string, string> = {}): Victim {
  const base = realpathSync(tempDir("sylk-hostile"));
  const [home, outside] = [path.join(base, "victim-home"), path.join(base, "outside")];
  for (const dir of [home, outside]) mkdirSync(dir);
  const env: Record<string, string> = {
    PATH: process.env["PATH"] ?? "",
    HOME: home,
    SYLK_HOME: path.join(home, "sylk"),
    NO_COLOR: "1",
    NODE_COMPILE_CACHE: process.env["NODE_COMPILE_CACHE"] ?? "",
    GIT_CONFIG_NOSYSTEM: "1",
    ...more,
  };
  return {
    base,
    home,
    outside,
    env,
    sylk: (cwd, ...args) => runSylk(cwd, env, args),
    privateOf: (folder) => openProject(folder, systemPaths.dirs({ env, platform: process.platform })).private,
  };
}

/** A repository the attacker made; everything is committed, ignored or not. */
export function repository(
  base: string,
  files: Readonly<Record<string, string>>,
  more: (folder: string) => void = () => undefined,
): string {
  const folder = path.join(base, "attacker-repo");
  mkdirSync(folder);
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(path.dirname(path.join(folder, name)), { recursive: true });
    writeFileSync(path.join(folder, name), text);
  }
  more(folder);
  const git = (...args: string[]) =>
    execFileSync("git", ["-C", folder, "-c", "user.name=Mallory", "-c", "user.email=m@example.org", ...args], { stdio: "ignore" });
  git("init", "-q", "-b", "main");
  git("add", "-f", "-A");
  git("commit", "-q", "-m", "all of it");
  return folder;
}

export function clone(from: string, to: string): string {
  execFileSync("git", ["clone", "-q", from, to], { stdio: "ignore" });
  return realpathSync(to);
}

/** Everything below a folder, by name. */
export const everythingIn = (folder: string): string[] => readdirSync(folder, { recursive: true }).map(String).sort();
