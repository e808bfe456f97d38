/** A real terminal for tests: `script` of util-linux gives the command one, keys are typed when a text appears. */
import { spawn, spawnSync } from "node:child_process";

/** Why there is no terminal here; undefined when there is one. */
export const NO_TERMINAL =
  spawnSync("script", ["-q", "-e", "-f", "-c", "true", "/dev/null"], { stdio: "ignore" }).status === 0
    ? undefined
    : "the program `script` of util-linux is not here";

export const KEYS = { enter: "\r", down: "\u001b[B", ctrlC: "\u0003" };

export interface Typed {
  /** Typed once this was shown, after the keys before. */
  when: string;
  keys: string;
  /** Happens while it is on the screen, before the keys. */
  meanwhile?: () => void;
}

const PATIENCE_MS = 45_000;

const quote = (word: string): string => `'${word.replaceAll("'", "'\\''")}'`;

export async function atTerminal(
  argv: readonly string[],
  options: {
    cwd: string;
    env: Record<string, string | undefined>;
    typed: readonly Typed[];
    onTyped?: () => void;
    columns?: number | undefined;
  },
): Promise<{ code: number | null; screen: string }> {
  const command = `stty cols ${options.columns ?? 200} rows 50; exec ${argv.map(quote).join(" ")}`;
  const child = spawn("script", ["-q", "-e", "-f", "-c", command, "/dev/null"], {
    cwd: options.cwd,
    env: { ...options.env, TERM: "xterm", SHELL: "/bin/sh" },
    stdio: ["pipe", "pipe", "inherit"],
    // A question nobody answers must end as a failure that shows the screen.
    timeout: PATIENCE_MS,
  });
  const chunks: Buffer[] = [];
  const typed = [...options.typed];
  let from = 0;
  child.stdout.on("data", (chunk: Buffer) => {
    chunks.push(chunk);
    const screen = Buffer.concat(chunks).toString("utf8");
    for (let next = typed[0]; next !== undefined; next = typed[0]) {
      const at = screen.indexOf(next.when, from);
      if (at === -1) return;
      from = at + next.when.length;
      typed.shift();
      next.meanwhile?.();
      if (next.keys !== "") child.stdin.write(next.keys);
      if (typed.length === 0) options.onTyped?.();
    }
  });
  const code = await new Promise<number | null>((resolve) => child.on("close", resolve));
  return { code, screen: Buffer.concat(chunks).toString("utf8") };
}
