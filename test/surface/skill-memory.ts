/** What `skill-memory.test.ts` and its long form share. */
import { mkdirSync } from "node:fs";
import path from "node:path";
import { tempDir } from "../support/temp.ts";
import { runSylk } from "../support/run-sylk.ts";

type Sylk = (...args: string[]) => Promise<{ code: number; out: string; err: string }>;

export function project(): { dir: string; sylk: Sylk } {
  const base = tempDir("sylk-cli");
  const dir = path.join(base, "project");
  mkdirSync(dir, { recursive: true });
  const env = { PATH: process.env["PATH"], HOME: base, SYLK_HOME: path.join(base, "home"), SYLK_MEMORY_PLACE: "project", NO_COLOR: "1" };
  return {
    dir,
    sylk: (...args) => runSylk(dir, env, args),
  };
}
