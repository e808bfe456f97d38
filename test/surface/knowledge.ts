/** What `knowledge.test.ts` and its long form share. */
import { spawnSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { knowledgeProject } from "../support/knowledge-project.ts";
import { tempDir } from "../support/temp.ts";
import { MAIN } from "../support/built-command.ts";

export function shop() {
  const project = knowledgeProject({
    "src/session.ts": "/** Brings a visitor back. */\nexport function resumeSession(id: string): string {\n  return id;\n}\n",
    "src/price.ts": "export function totalPrice(items: number[]): number {\n  return items.length;\n}\n",
  });
  project.commit("fix: VAT was counted twice");
  const home = tempDir("sylk-home");
  const run = (args: readonly string[], input?: string) => {
    const env = { PATH: process.env["PATH"] ?? "", HOME: home, SYLK_HOME: home, NODE_COMPILE_CACHE: process.env["NODE_COMPILE_CACHE"] };
    const done = spawnSync(process.execPath, [MAIN, "-C", project.root, ...args], {
      env,
      encoding: "utf8",
      ...(input === undefined ? { stdio: ["ignore", "pipe", "pipe"] as const } : { input }),
    });
    return { code: done.status, out: done.stdout, err: done.stderr };
  };
  const configure = (text: string): void => {
    mkdirSync(home, { recursive: true });
    writeFileSync(path.join(home, "config.yaml"), text);
  };
  return { ...project, run, configure };
}
