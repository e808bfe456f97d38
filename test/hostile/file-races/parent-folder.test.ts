/**
 * The attacker runs a process beside Sylk (a command of the task that went to the background). It swaps a
 * folder of the project for a link to a folder outside, all the time, hoping that a read shows a file of
 * that folder or a write lands in it between the check and the act.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { projectFile } from "../../../src/kernel/index.ts";
import { tempWorkspace } from "../../support/temp-workspace.ts";

const ROUNDS = 400;
const READS = 20_000;
const SWAPPER = path.join(import.meta.dirname, "swapper.ts");

test("M7: no read and no write lands outside while a folder of the path is swapped for a link", async () => {
  using t = tempWorkspace({ "d/a.txt": "inside\n", "d/deep/b.txt": "inside\n" });
  const outside = path.join(t.base, "outside");
  mkdirSync(path.join(outside, "deep"), { recursive: true });
  writeFileSync(path.join(outside, "a.txt"), "PRIVATE\n");
  writeFileSync(path.join(outside, "deep/b.txt"), "PRIVATE\n");
  const child = spawn(process.execPath, [SWAPPER, t.root], { stdio: ["ignore", "pipe", "inherit"] });
  const ended = once(child, "exit");
  let said = "";
  child.stdout.on("data", (chunk: Buffer) => (said += chunk.toString()));
  await once(child.stdout, "data");

  const { files } = t.workspace;
  const seen = { inside: 0, elsewhere: 0, written: 0 };
  /** Races may also end in an error of the system; only what leaks counts. */
  const tried = async <T>(work: Promise<T>): Promise<T | undefined> => work.catch(() => undefined);
  try {
    for (let i = 0; i < ROUNDS; i += 1) {
      for (const file of ["d/a.txt", "d/deep/b.txt"]) {
        const read = await tried(files.read({ path: file }));
        const text = JSON.stringify(read ?? "");
        expect(text).not.toContain("PRIVATE");
        if (read?.kind === "text") seen.inside += 1;
        else seen.elsewhere += 1;
      }
      const wrote = await tried(files.apply([{ kind: "write", path: `d/${i % 2 === 0 ? "" : "made/"}w${i}.txt`, content: "mine\n" }]));
      if (wrote?.kind === "changed") seen.written += 1;
      await tried(
        files.apply([
          { kind: "delete", path: "d/a.txt" },
          { kind: "create", path: `d/c${i}.txt`, content: "x" },
        ]),
      );
      await tried(files.apply([{ kind: "write", path: "d/a.txt", content: "inside\n" }]));
    }
  } finally {
    writeFileSync(path.join(t.base, "stop"), "");
    await ended;
  }
  expect(new Set(readdirSync(outside, { recursive: true, encoding: "utf8" }))).toEqual(new Set(["a.txt", "deep", "deep/b.txt"]));
  expect(readFileSync(path.join(outside, "a.txt"), "utf8")).toBe("PRIVATE\n");
  // Both sides really met: the folder was swapped, and work was done in between.
  expect(Number(said.trim().split("\n").at(-1))).toBeGreaterThan(100);
  expect(seen.inside).toBeGreaterThan(0);
  expect(seen.written).toBeGreaterThan(0);
});

test("M7 H4: what Sylk itself reads of a project is never a file outside, while a folder of the path is swapped for a link", async () => {
  using t = tempWorkspace({ "d/deep/AGENTS.md": "inside\n" });
  const outside = path.join(t.base, "outside");
  mkdirSync(path.join(outside, "deep"), { recursive: true });
  writeFileSync(path.join(outside, "deep/AGENTS.md"), "PRIVATE\n");
  const child = spawn(process.execPath, [SWAPPER, t.root], { stdio: ["ignore", "pipe", "inherit"] });
  const ended = once(child, "exit");
  await once(child.stdout, "data");
  const seen = { inside: 0, elsewhere: 0, leaked: 0 };
  try {
    for (let i = 0; i < READS || seen.inside === 0 || seen.elsewhere === 0; i += 1) {
      const read = projectFile.read(t.root, "d/deep/AGENTS.md");
      if (read.kind !== "read") seen.elsewhere += 1;
      else if (read.text === "inside\n") seen.inside += 1;
      else seen.leaked += 1;
    }
  } finally {
    writeFileSync(path.join(t.base, "stop"), "");
    await ended;
  }
  expect(seen.leaked).toBe(0);
});
