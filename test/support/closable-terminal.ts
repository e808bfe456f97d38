/** The real command at a terminal that can be closed below it, and what is left of it afterwards. */
import { spawn } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { MAIN as SYLK } from "./built-command.ts";

/** Processes that have this in their command line or environment. */
export function processesWith(mark: string): string[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/u.test(name) && name !== String(process.pid))
    .filter((pid) => {
      try {
        return ["cmdline", "environ"].some((file) => readFileSync(`/proc/${pid}/${file}`, "latin1").includes(mark));
      } catch {
        return false;
      }
    });
}

export const until = async (is: () => boolean): Promise<void> => {
  while (!is()) await new Promise((resolve) => setTimeout(resolve, 50));
};

export const quote = (word: string): string => `'${word.replaceAll("'", "'\\''")}'`;

/** The real command at a terminal of its own; `ended` is when that terminal is gone. */
export function atPty(dir: string, env: Record<string, string>, ...args: string[]) {
  const line = ["stty cols 80 rows 24;", "exec", process.execPath, SYLK, ...args].map((word, i) => (i < 2 ? word : quote(word))).join(" ");
  const child = spawn("script", ["-q", "-e", "-f", "-c", line, "/dev/null"], {
    cwd: dir,
    env: { ...env, TERM: "xterm", SHELL: "/bin/sh" },
    stdio: ["pipe", "pipe", "inherit"],
  });
  let screen = "";
  child.stdout.on("data", (chunk: Buffer) => {
    screen += chunk.toString("utf8");
  });
  return { child, screen: () => screen, sees: (text: string) => until(() => screen.includes(text)) };
}
