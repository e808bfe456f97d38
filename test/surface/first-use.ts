/** What `first-use.test.ts` and its long form share. */
import { mkdirSync, realpathSync, writeFileSync } from "node:fs";
import path from "node:path";
import { runSylk, type WarmAnswer } from "../support/run-sylk.ts";
import { tempDir } from "../support/temp.ts";

export const KEY = { ANTHROPIC_API_KEY: "sk-ant-for-tests" };

interface Place {
  dir: string;
  env: Record<string, string | undefined>;
  sylk(args: string[], extra?: Record<string, string>): Promise<WarmAnswer>;
}

export function place(): Place {
  const base = realpathSync(tempDir("sylk-first"));
  const dir = path.join(base, "project");
  mkdirSync(dir);
  writeFileSync(path.join(dir, "n.txt"), "1\n");
  const env = { PATH: process.env["PATH"], HOME: base, SYLK_HOME: path.join(base, "home"), NO_COLOR: "1" };
  return { dir, env, sylk: (args, extra = {}) => runSylk(dir, { ...env, ...extra }, args) };
}

export async function startedModel(at: Place): Promise<string> {
  return (JSON.parse((await at.sylk(["task", "show", "last", "--json"])).out) as { model: string }).model;
}
