/** A model that says nothing, or never comes to an end: one deadline for the whole step, and a word meanwhile. */
import { mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { stringify } from "yaml";
import { openApp } from "../support/lab.ts";
import { systemClock, type Clock } from "../../src/kernel/index.ts";
import type { LivePart, Result } from "../../src/protocol/api/index.ts";
import { modelConfigSchema } from "../../src/model/config.ts";
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

async function asked(
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

test("V18: a server that stays silent is given one deadline over all attempts, and the person is told whom it waits for", async () => {
  const { code, lines } = await asked({ fault: { kind: "stall", afterFrames: 0 } }, { step_timeout: "60s", timeout: "25s" });
  expect(code).toBe("MODEL_TIMEOUT");
  expect(lines).toMatchObject([
    { provider: "wire", attempt: 1, attempts: 5 },
    { provider: "wire", attempt: 2, attempts: 5 },
  ]);
});

test("23: the step's deadline is told while it waits, and attempts that came to nothing are counted in the cost", async () => {
  const { lines, usage } = await asked({ fault: { kind: "stall", afterFrames: 0 } }, { step_timeout: "60s", timeout: "25s" });
  expect(lines).toMatchObject([{ limit_ms: 60_000 }, { limit_ms: 60_000 }]);
  expect({ ...usage, failed: usage.failed > 0 }).toMatchObject({ calls: expect.any(Number), failed: true });
});

test("23: a model may take ten minutes to its first word, and a step waits once, longer than that", () => {
  const { stream, stepTimeoutMs, maxDurationMs } = modelConfigSchema.parse({});
  expect(stream.firstPartTimeoutMs).toBe(600_000);
  expect(Math.min(stepTimeoutMs, maxDurationMs)).toBeGreaterThan(stream.firstPartTimeoutMs);
});

test("V18: an answer that drips for ever ends with the step's deadline", async () => {
  const { code } = await asked({ text: ".".repeat(20_000), pieceChars: 1, dripMs: 20 }, { step_timeout: "30s" });
  expect(code).toBe("MODEL_TIMEOUT");
});
