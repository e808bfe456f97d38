/** What `knowledge-answers.test.ts` and its long form share. */
import { mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { onTestFinished } from "vitest";
import { stringify } from "yaml";
import { openApp, type App } from "../support/lab.ts";
import { systemClock } from "../../src/kernel/index.ts";
import { gitIn, writeIn } from "../support/knowledge-project.ts";
import { tempDir } from "../support/temp.ts";

export const signal = new AbortController().signal;

export const FILES = {
  "src/session.ts": "/** Brings a session back from its cookie. */\nexport function resumeSession(id: string): string {\n  return id;\n}\n",
  "src/cookie.ts": "/** Reads the session cookie. */\nexport function readCookie(name: string): string {\n  return name;\n}\n",
  "src/price.ts": "export const price = 1;\n",
};

export async function project(
  rules: unknown[] | undefined,
  more: Record<string, unknown> = {},
): Promise<{ app: App; root: string; calls: () => Promise<number> }> {
  const root = tempDir("sylk-ask");
  const home = tempDir("sylk-home");
  mkdirSync(home, { recursive: true });
  gitIn(root, "init", "-q", "-b", "main");
  for (const [file, text] of Object.entries(FILES)) writeIn(root, file, text);
  const script = path.join(home, "rules.yaml");
  if (rules !== undefined) writeFileSync(script, stringify({ rules }));
  const retry = { transient: { max_attempts: 1 }, external_degrading: { max_attempts: 1 } };
  writeFileSync(
    path.join(home, "config.yaml"),
    stringify({ llm: { retry, ...(rules === undefined ? {} : { default_model: `scripted/${script}` }) }, ...more }),
  );
  const app = await openApp({ cwd: root, env: { PATH: process.env["PATH"], HOME: home, SYLK_HOME: home }, clock: systemClock });
  onTestFinished(async () => app.close());
  await app.knowledge.index({ signal });
  const calls = async () => (await app.usage.report({ by: "role", period: "all" })).rows.reduce((sum, row) => sum + row.calls, 0);
  return { app, root, calls };
}

export const answer = (purpose: string, text: string) => ({ when: { purpose }, answer: { text } });
