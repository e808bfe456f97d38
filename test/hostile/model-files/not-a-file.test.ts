/**
 * The attacker gives the victim a project with a recording and asks them to play it. In place of the recording, or of the
 * rules of a scripted model, stands a pipe that nobody writes to, or a link to a device without an end (git carries it).
 * The attacker wants Sylk to wait so that not even Ctrl+C ends it, or to fill the machine's memory.
 */
import { execFileSync } from "node:child_process";
import { symlinkSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { repository, victim } from "../support.ts";

const WAYS: readonly (readonly string[])[] = [
  ["replay", "tape.yaml"],
  ["task", "start", "try", "--no-checks", "-m", "replay/tape.yaml"],
  ["task", "start", "try", "--no-checks", "-m", "scripted/tape.yaml"],
];
const MAKE: Readonly<Record<string, (file: string) => void>> = {
  "a pipe": (file) => void execFileSync("mkfifo", [file]),
  "a link to a device": (file) => symlinkSync("/dev/zero", file),
};

test.skipIf(process.platform === "win32").each(Object.keys(MAKE))("%s in place of a recording is named, and not read", async (what) => {
  const { sylk, base } = victim();
  const folder = repository(base, { "a.js": "export const a = 1;\n" });
  MAKE[what]?.(path.join(folder, "tape.yaml"));
  for (const words of WAYS) {
    const { code, err } = await sylk(folder, ...words);
    expect({ words, code, told: err.includes("tape.yaml: it is not a regular file") }).toEqual({ words, code: 1, told: true });
  }
});
