/** What `tools-sandbox.test.ts` and its long form share. */
import { spawn } from "node:child_process";
import { mkdirSync } from "node:fs";
import path from "node:path";
import { text } from "node:stream/consumers";
import { tempDir } from "../support/temp.ts";
import { putFiles } from "../support/temp-workspace.ts";
import { MAIN } from "../support/built-command.ts";

interface Said {
  code: number | null;
  out: string;
  err: string;
}

interface Place {
  folder: string;
  sylk: (args: string[], settings?: Record<string, string>) => Promise<Said>;
}

/** A project with tools, and the command in it. */
export function place(): Place {
  const folder = tempDir("sylk-tools");
  mkdirSync(path.join(folder, "project"));
  putFiles(path.join(folder, "project"), {
    "package.json": JSON.stringify({ devDependencies: { vitest: "5.0.0", prettier: "3.0.0" }, scripts: { lint: "eslint ." } }),
    "package-lock.json": "{}",
    ".prettierrc": "{}",
    "src/a.ts": "",
    "src/b.ts": "",
  });
  const sylk = async (args: string[], settings: Record<string, string> = {}): Promise<Said> => {
    const { PATH, NODE_COMPILE_CACHE } = process.env;
    const child = spawn(process.execPath, [MAIN, ...args], {
      cwd: path.join(folder, "project"),
      env: { PATH, NODE_COMPILE_CACHE, HOME: folder, SYLK_HOME: path.join(folder, "home"), NO_COLOR: "1", ...settings },
      stdio: ["ignore", "pipe", "pipe"],
    });
    const [out, err, code] = await Promise.all([
      text(child.stdout),
      text(child.stderr),
      new Promise<number | null>((resolve) => child.on("close", resolve)),
    ]);
    return { code, out, err };
  };
  return { folder, sylk };
}
