/** What `search-while-indexing.test.ts` and its long form share. */
import { existsSync, globSync } from "node:fs";
import { spawnSync } from "node:child_process";
import path from "node:path";
import { expect, onTestFinished } from "vitest";
import { openKnowledgeDatabase } from "../../src/knowledge/store/open-database.ts";
import { knowledgeProject } from "../support/knowledge-project.ts";
import { tempDir } from "../support/temp.ts";
import { MAIN } from "../support/built-command.ts";

export interface Told {
  results: { path: string }[];
  indexing?: { phase: string; done: number; total: number; note: string };
}

export function shop() {
  const project = knowledgeProject({
    "src/session.ts": "/** Brings a visitor back. */\nexport function resumeSession(id: string): string {\n  return id;\n}\n",
  });
  project.commit("feat: visitors keep their session");
  const home = tempDir("sylk-home");
  const env = { PATH: process.env["PATH"] ?? "", HOME: home, SYLK_HOME: home, NODE_COMPILE_CACHE: process.env["NODE_COMPILE_CACHE"] };
  const run = (...args: string[]) => spawnSync(process.execPath, [MAIN, "-C", project.root, ...args], { env, encoding: "utf8" });
  const told = (...args: string[]): Told =>
    JSON.parse(
      run(...args, "--json")
        .stdout.trim()
        .split("\n")
        .at(-1) ?? "",
    ) as Told;
  /** As another process does that writes for long: nothing more is taken into the index meanwhile. */
  const hold = () => {
    const [file = ""] = globSync(path.join(home, "**", "knowledge.db"));
    expect(existsSync(file)).toBe(true);
    const other = openKnowledgeDatabase(file);
    onTestFinished(() => other[Symbol.dispose]());
    other.db.exec("BEGIN IMMEDIATE");
    return () => other.db.exec("ROLLBACK");
  };
  return { ...project, env, run, told, hold };
}
