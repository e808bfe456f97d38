/** What `search-bad-input.test.ts` and its long form share. */
import { spawnSync } from "node:child_process";
import path from "node:path";
import { knowledgeProject } from "../support/knowledge-project.ts";
import { tempDir } from "../support/temp.ts";

export const PACKAGE = path.resolve(import.meta.dirname, "../..");

export function shop() {
  const { root } = knowledgeProject({
    "src/session.ts": "/** Brings a visitor back by a cookie. */\nexport function resumeSession(id: string): string {\n  return id;\n}\n",
    "src/price.ts": "export function totalPrice(items: number[]): number {\n  return items.length;\n}\n",
  });
  const home = tempDir("sylk-home");
  return (args: readonly string[], input = "", from = PACKAGE) =>
    spawnSync(process.execPath, [path.join(from, "src/surface/cli/main.ts"), "-C", root, "search", ...args], {
      env: { PATH: process.env["PATH"] ?? "", HOME: home, SYLK_HOME: home, NODE_COMPILE_CACHE: process.env["NODE_COMPILE_CACHE"] },
      encoding: "utf8",
      input,
    });
}
