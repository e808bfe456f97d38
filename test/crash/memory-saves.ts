import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { tempDir } from "../support/temp.ts";

const CHILD = path.join(import.meta.dirname, "memory-child.ts");

/** Eight processes save to one sidecar at once; how many entries are there afterwards. */
export async function saveTogether(each: number): Promise<{ failed: number; entries: number; different: number }> {
  const dir = tempDir("sylk-memory");
  const project = path.join(dir, "project");
  mkdirSync(path.join(project, ".sylk"), { recursive: true });
  const codes = await Promise.all(
    Array.from({ length: 8 }, async (_v, i) => {
      const child = spawn(process.execPath, [CHILD, project, dir, `p${i}`, String(each)], { stdio: "inherit" });
      return (await once(child, "exit"))[0] as number;
    }),
  );
  const log = readFileSync(path.join(project, ".sylk/memory/architect/decision-log.md"), "utf8");
  const titles = [...log.matchAll(/^### \[[^\]]+\] (.*)$/gm)].map((match) => match[1]);
  return { failed: codes.filter((code) => code !== 0).length, entries: titles.length, different: new Set(titles).size };
}
