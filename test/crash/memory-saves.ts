import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { expect } from "vitest";
import { tempDir } from "../support/temp.ts";

const CHILD = path.join(import.meta.dirname, "memory-child.ts");

/** Eight processes save to one sidecar at once; every entry must be there, once. */
export async function saveTogether(each: number): Promise<void> {
  const dir = tempDir("sylk-memory");
  const project = path.join(dir, "project");
  mkdirSync(path.join(project, ".sylk"), { recursive: true });
  const codes = await Promise.all(
    Array.from({ length: 8 }, async (_v, i) => {
      const child = spawn(process.execPath, [CHILD, project, dir, `p${i}`, String(each)], { stdio: "inherit" });
      return (await once(child, "exit"))[0] as number;
    }),
  );
  expect(codes).toEqual(Array.from({ length: 8 }, () => 0));
  const log = readFileSync(path.join(project, ".sylk/memory/architect/decision-log.md"), "utf8");
  const titles = [...log.matchAll(/^### \[[^\]]+\] (.*)$/gm)].map((match) => match[1]);
  expect(titles).toHaveLength(8 * each);
  expect(new Set(titles).size).toBe(8 * each);
}
