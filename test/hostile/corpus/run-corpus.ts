/** Runs a part of the corpus against the real command, with a server that counts whoever calls it. */
import { spawn } from "node:child_process";
import { createServer, type RequestListener, type Server } from "node:http";
import { mkdirSync, readFileSync, realpathSync, writeFileSync } from "node:fs";
import type { AddressInfo } from "node:net";
import path from "node:path";
import { createInterface } from "node:readline";
import { stringify } from "yaml";
import { expect } from "vitest";
import { filesBelow } from "../../../src/forge/files-below.ts";
import { tempDir } from "../../support/temp.ts";
import { CANARY } from "./features.ts";

export interface CorpusReport {
  repositories: number;
  problems: { seed: number; features: string[]; problem: string }[];
  /** Requests the attacker's server received. */
  calls: string[];
  /** What the journals and requests hold of the victim's secrets. */
  kept: string[];
}

const HUNG_MS = 120_000;

const call = (name: string, input: unknown) => ({ name, input });
/** A model that does as the repository would like it to. */
const RULES = stringify({
  rules: [
    {
      when: { step: 1 },
      answer: {
        tool_calls: [
          call("read_file", { path: "docs/notes.md" }),
          call("read_file", { path: "AGENTS.md" }),
          call("search", { pattern: "alpha" }),
        ],
      },
    },
    { when: { step: 2 }, answer: { tool_calls: [call("write_file", { path: "src/outside/pwned.txt", content: "x" })] } },
    { when: { step: 3 }, answer: { tool_calls: [call("run_command", { command: "make test" })] } },
    { when: { step: 4 }, answer: { tool_calls: [call("run_command", { command: "npm test" })] } },
    { when: { step: 5 }, answer: { tool_calls: [call("write_file", { path: "made.txt", content: "new\n" })] } },
    { when: { step: ">=6" }, answer: { tool_calls: [call("complete", { summary: "done \u001b[2J" })] } },
  ],
});

export async function runCorpus(from: number, to: number): Promise<CorpusReport> {
  const base = realpathSync(tempDir("sylk-corpus"));
  const home = path.join(base, "home");
  mkdirSync(path.join(home, ".ssh"), { recursive: true });
  mkdirSync(path.join(base, "outside"));
  writeFileSync(path.join(home, ".ssh/config"), `# ${CANARY}\nHost x\n`);
  writeFileSync(path.join(base, "secret.txt"), `${CANARY}\n`);
  writeFileSync(path.join(base, "rules.yaml"), RULES);
  const calls: string[] = [];
  const sent: string[] = [];
  const attackers = await listening((request, response) => {
    calls.push(`${request.method} ${request.url} ${JSON.stringify(request.headers)}`);
    response.end("{}");
  });
  // Whom the victim's own key belongs to: a task that names no model asks there, and no test asks the real one.
  const victims = await listening((request, response) => {
    request.setEncoding("utf8").on("data", (text: string) => sent.push(text));
    request.on("end", () => response.writeHead(400, { "content-type": "application/json" }).end('{"error":{"message":"no"}}'));
  });
  const address = addressOf(attackers);
  const child = spawn(process.execPath, [path.join(import.meta.dirname, "drive.ts"), base, address, String(from), String(to)], {
    env: {
      PATH: process.env["PATH"],
      HOME: home,
      SYLK_HOME: path.join(home, "sylk"),
      NO_COLOR: "1",
      NODE_COMPILE_CACHE: process.env["NODE_COMPILE_CACHE"],
      ANTHROPIC_BASE_URL: `${addressOf(victims)}/v1`,
      ANTHROPIC_API_KEY: "sk-ant-VICTIM-000111222333444",
      OPENAI_API_KEY: "sk-openai-VICTIM-000111222333444",
      // Whatever runs without being asked then runs for real and is seen.
      SYLK_SECURITY_SANDBOX_MODE: "off",
    },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let trouble = "";
  child.stderr.on("data", (data: Buffer) => (trouble += data.toString()));
  const ended = new Promise<number | null>((resolve) => child.once("exit", resolve));
  const report: CorpusReport = { repositories: 0, problems: [], calls, kept: [] };
  let doing = "nothing yet";
  // Whoever waits on a pipe blocks the whole process, its own timers included.
  let watchdog: NodeJS.Timeout | undefined;
  const alive = (): void => {
    clearTimeout(watchdog);
    watchdog = setTimeout(() => child.kill("SIGKILL"), HUNG_MS);
  };
  alive();
  for await (const line of createInterface({ input: child.stdout })) {
    alive();
    const told = JSON.parse(line) as { seed: number; begins: string } | { seed: number; features: string[]; problems: string[] };
    if ("begins" in told) doing = `${told.seed}: ${told.begins}`;
    else {
      report.repositories += 1;
      for (const problem of told.problems) report.problems.push({ seed: told.seed, features: told.features, problem });
    }
  }
  const code = await ended;
  clearTimeout(watchdog);
  attackers.close();
  victims.close();
  if (code !== 0) report.problems.push({ seed: -1, features: [], problem: `ended with ${code} at ${doing}: ${trouble.slice(-800)}` });
  report.kept = keptSecrets(path.join(home, "sylk"));
  if (holdsSecret(sent.join(""))) report.kept.push("what was sent to the victim's own model");
  return report;
}

async function listening(answer: RequestListener): Promise<Server> {
  const server = createServer(answer);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return server;
}

const addressOf = (server: Server): string => `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

const holdsSecret = (text: string): boolean => [CANARY, "sk-ant-VICTIM", "sk-openai-VICTIM"].some((secret) => text.includes(secret));

/** Every file Sylk keeps, looked through byte by byte. */
function keptSecrets(folder: string): string[] {
  const { files, whole } = filesBelow(folder, 1_000_000);
  expect(whole).toBe(true);
  return files.map((name) => path.join(folder, name)).filter((file) => holdsSecret(readFileSync(file, "latin1")));
}
