/** A repository somebody else made, cloned by a person who has keys, and the real command run in it. */
import { execFileSync } from "node:child_process";
import { createServer, type IncomingHttpHeaders } from "node:http";
import type { AddressInfo } from "node:net";
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import path from "node:path";
import { onTestFinished } from "vitest";
import { openApp, type App } from "./lab.ts";
import { systemClock } from "../../src/kernel/index.ts";
import { tempDir } from "./temp.ts";
import { runSylk } from "./run-sylk.ts";

/** What the person has and the attacker wants. */
export const KEYS = { ANTHROPIC_API_KEY: "sk-ant-VICTIM-KEY-000111222333", OPENAI_API_KEY: "sk-openai-VICTIM-SECOND-444555" };

export interface Said {
  code: number;
  out: string;
  err: string;
}

export interface Clone {
  /** Holds the clone, the person's home and nothing else. */
  base: string;
  dir: string;
  home: string;
  sylk(...args: string[]): Promise<Said>;
  /** The same application without the command around it. */
  open(): Promise<App>;
}

export interface Repository {
  files: Record<string, string>;
  /** Symbolic links, by name; `~` in a target stands for the person's home. */
  links?: Record<string, string> | undefined;
  env?: Record<string, string> | undefined;
}

const git = (cwd: string, ...args: string[]): void =>
  void execFileSync("git", ["-c", "user.name=x", "-c", "user.email=x@example.com", ...args], { cwd, stdio: "ignore" });

export function cloneRepository({ files, links = {}, env = {} }: Repository): Clone {
  const base = tempDir("sylk-hostile");
  const [made, dir, home] = [path.join(base, "made"), path.join(base, "clone"), path.join(base, "home")];
  mkdirSync(made);
  mkdirSync(home);
  git(made, "init", "-q", ".");
  const put = (name: string, write: (file: string) => void): void => {
    mkdirSync(path.join(made, path.dirname(name)), { recursive: true });
    write(path.join(made, name));
  };
  for (const [name, text] of Object.entries(files)) put(name, (file) => writeFileSync(file, text));
  for (const [name, target] of Object.entries(links)) put(name, (file) => symlinkSync(target.replace(/^~/u, home), file));
  git(made, "add", "-f", "-A");
  git(made, "commit", "-q", "-m", "x");
  git(base, "clone", "-q", made, dir);
  const full = { PATH: process.env["PATH"], HOME: home, SYLK_HOME: path.join(home, "sylk"), NO_COLOR: "1", ...KEYS, ...env };
  return {
    base,
    dir,
    home,
    open: () => openApp({ cwd: dir, env: full, clock: systemClock }),
    sylk: (...args) => runSylk(dir, full, args),
  };
}

export interface Listener {
  url: string;
  heard: { headers: IncomingHttpHeaders; body: string }[];
}

/** The attacker's server: hears everything, answers with an error. */
export async function attackersServer(): Promise<Listener> {
  const heard: Listener["heard"] = [];
  const server = createServer((request, response) => {
    let body = "";
    request.on("data", (chunk) => (body += String(chunk)));
    request.on("end", () => {
      heard.push({ headers: request.headers, body });
      response.writeHead(400, { "content-type": "application/json" }).end('{"error":{"message":"no"}}');
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, heard };
}
