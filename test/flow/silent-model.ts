/** What `silent-model.test.ts` and its long form share. */
import { mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { expect, onTestFinished } from "vitest";
import { stringify } from "yaml";
import { openApp } from "../support/lab.ts";
import { systemClock, type Clock } from "../../src/kernel/index.ts";
import type { LivePart, Result } from "../../src/protocol/api/index.ts";
import { script, scriptedProject } from "../support/scripted-project.ts";
import { startWireServer } from "../support/wire-server/wire-server.ts";
import type { WireAnswer } from "../support/wire-server/wire-types.ts";

/** Time passes faster, for whoever waits and for whoever measures. */
const SPEED = 20;

const quick: Clock = {
  now: () => systemClock.now(),
  monotonic: () => systemClock.monotonic() * SPEED,
  sleep: (ms, signal) => systemClock.sleep(ms / SPEED, signal),
};

export async function asked(
  answer: WireAnswer,
  llm: Record<string, string>,
): Promise<{ code: string | undefined; lines: LivePart[]; usage: Result<"task.show">["usage"] }> {
  const project = scriptedProject({ "a.txt": "one\n" }, script([]));
  const server = await startWireServer(() => answer);
  onTestFinished(() => server[Symbol.asyncDispose]());
  mkdirSync(path.join(project.base, "home"), { recursive: true });
  const providers = { wire: { kind: "openai-chat", base_url: `${server.url}/v1` } };
  writeFileSync(path.join(project.base, "home/config.yaml"), stringify({ llm: { providers, ...llm } }));
  const app = await openApp({ cwd: project.dir, env: project.env, clock: quick });
  onTestFinished(() => app.close());
  const words = { goal: "make a file", type: "implement_feature", role: "engineer", criteria: [], constraints: [], checks: [] };
  const id = await app.tasks.start({ ...words, discoverChecks: false, model: "wire/m", profile: "minimal", maxSteps: undefined });
  const over = new AbortController();
  const heard = Array.fromAsync(app.api.live({ task: id }, over.signal));
  const end = await app.tasks.run(id, () => undefined, new AbortController().signal);
  over.abort();
  expect(end.status).toBe("paused");
  return { code: end.code, lines: (await heard).filter(({ type }) => type === "waiting"), usage: end.usage };
}
