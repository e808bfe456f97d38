/** What `first-run.test.ts` and its long form share. */
import { mkdirSync, readFileSync, realpathSync } from "node:fs";
import path from "node:path";
import { parse } from "yaml";
import { tempDir } from "../support/temp.ts";

/** Nothing listens at its place of Ollama unless a test says so. */
export function place(env: Record<string, string> = {}) {
  const base = realpathSync(tempDir("sylk-first-run"));
  const dir = path.join(base, "project");
  mkdirSync(dir);
  const home = path.join(base, "home");
  const all = { PATH: process.env["PATH"] ?? "", HOME: base, SYLK_HOME: home, OLLAMA_HOST: "127.0.0.1:9", ...env };
  const config = (): unknown => parse(readFileSync(path.join(home, "config.yaml"), "utf8"));
  return { dir, env: all, config };
}

/** Nothing of this reaches anybody: the way out is a port nobody listens to. */
export const AWAY = { HTTPS_PROXY: "http://127.0.0.1:9" };
