/** The model gate: what it adds to a call, what a waiting request costs, how fast tokens are counted. */
import path from "node:path";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import { sqliteDriver } from "../src/journal/index.ts";
import { systemClock } from "../src/kernel/index.ts";
import {
  countTokens,
  machineModelViews,
  modelConfigSchema,
  openModelGate,
  projectModelViews,
  type ModelGate,
  type ModelGateOptions,
  type ModelRequest,
} from "../src/model/index.ts";
import { startWireServer } from "../test/support/wire-server/wire-server.ts";
import { inTempDir, median, timed } from "./measure.ts";
import type { BenchRow } from "./run.ts";
import type { z } from "zod";

type ConfigInput = z.input<typeof modelConfigSchema>;

const CALLS = 400;
const WARM_UP = 200;
const never = new AbortController().signal;

function request(overrides: Partial<ModelRequest> = {}): ModelRequest {
  return {
    model: "p/m",
    system: "You are careful.",
    user: "Say hello.",
    tools: [],
    maxOutputTokens: 100,
    inputTokens: 20,
    role: "r",
    session: "s",
    task: "t",
    step: 1,
    phase: "p",
    purpose: "x",
    priority: 60,
    lane: "pipeline",
    ...overrides,
  };
}

function gateAt(url: string, config: Partial<ConfigInput>, options: Partial<ModelGateOptions>): ModelGate {
  const parsed = modelConfigSchema.parse({
    providers: { p: { kind: "compatible", base_url: `${url}/v1`, max_concurrent_requests: 8 } },
    ...config,
  });
  return openModelGate({ config: parsed, env: {}, clock: systemClock, cwd: ".", redact: (text) => text, ...options });
}

function direct(url: string): () => Promise<void> {
  const model = createOpenAICompatible({ name: "p", baseURL: `${url}/v1`, apiKey: "none", includeUsage: true })("m");
  return async () => {
    const { stream } = await model.doStream({
      prompt: [
        { role: "system", content: "You are careful." },
        { role: "user", content: [{ type: "text", text: "Say hello." }] },
      ],
      maxOutputTokens: 100,
      abortSignal: AbortSignal.any([never]),
    });
    for await (const part of stream) void part;
  };
}

interface Overhead {
  directMs: number;
  addedMs: number;
  /** With the wait until the usage record is on disk, which a caller does not have. */
  addedWithRecordMs: number;
}

/** Interleaved, so that whatever else the machine does hits both alike. */
async function overhead(plain: () => Promise<void>, gate: ModelGate): Promise<Overhead> {
  const gated = async (): Promise<void> => {
    const result = await gate.stream(request(), never).result();
    if (result.kind !== "ok") throw new Error(`the bench call ended as ${result.kind}`);
  };
  const direct: number[] = [];
  const answered: number[] = [];
  const recorded: number[] = [];
  for (let i = 0; i < WARM_UP + CALLS; i += 1) {
    const from = await timed(plain);
    const answer = await timed(gated);
    const record = await timed(() => gate.usageWritten());
    if (i < WARM_UP) continue;
    direct.push(from);
    answered.push(answer);
    recorded.push(answer + record);
  }
  return { directMs: median(direct), addedMs: median(answered) - median(direct), addedWithRecordMs: median(recorded) - median(direct) };
}

async function queuedMegabytes(url: string): Promise<number> {
  setFlagsFromString("--expose-gc");
  const gc = runInNewContext("gc") as () => void;
  await using gate = gateAt(url, {}, {});
  const controller = new AbortController();
  gc();
  const before = process.memoryUsage().heapUsed;
  const calls = Array.from({ length: 1008 }, (_, i) =>
    gate.stream(request({ session: `s${i % 50}`, user: `request ${i}` }), controller.signal).result(),
  );
  while ((gate.queues()[0]?.waiting ?? 0) < 1000) await new Promise((resolve) => setImmediate(resolve));
  gc();
  const grown = (process.memoryUsage().heapUsed - before) / 2 ** 20;
  controller.abort(new Error("measured"));
  await Promise.all(calls);
  return grown;
}

function bounded(name: string, value: number, unit: string, most: number, note?: string): BenchRow {
  return { name, value, unit, target: `<= ${most} ${unit}`, met: value <= most, note };
}

export function run(): Promise<BenchRow[]> {
  return inTempDir(async (dir) => {
    const rows: BenchRow[] = [];
    await using server = await startWireServer(() => ({ text: "hello there" }));
    const plain = direct(server.url);

    await using bare = gateAt(server.url, {}, {});
    const alone = await overhead(plain, bare);
    rows.push(bounded("gate overhead per call, nothing stored", alone.addedMs, "ms", 1, `direct call ${alone.directMs.toFixed(2)} ms`));
    for (const durability of ["process", "full"] as const) {
      await using project = await sqliteDriver.open({
        path: path.join(dir, `project-${durability}.db`),
        clock: systemClock,
        durability,
        views: projectModelViews,
      });
      await using machine = await sqliteDriver.open({
        path: path.join(dir, `machine-${durability}.db`),
        clock: systemClock,
        durability: "process",
        views: machineModelViews,
      });
      await using stored = gateAt(
        server.url,
        { budgets: { global: { tokens: 1e12, usd: 1e6 }, session: { tokens: 1e12 } } },
        { project, machine },
      );
      const kept = await overhead(plain, stored);
      rows.push(
        bounded(
          `gate overhead, usage and three budgets kept (${durability})`,
          kept.addedMs,
          "ms",
          1,
          `${kept.addedWithRecordMs.toFixed(2)} ms until the record is on disk, direct call ${kept.directMs.toFixed(2)} ms`,
        ),
      );
    }

    server.respond = () => ({ fault: { kind: "stall", afterFrames: 0 } });
    rows.push(bounded("1,000 waiting requests", await queuedMegabytes(server.url), "MB", 20));

    rows.push({ name: "loading the tokenizer", value: await timed(() => countTokens("first")), unit: "ms" });
    const code = Array.from({ length: 700 }, (_, i) => `  const value${i} = await compute(input[${i}], { retries: ${i % 5} });`).join("\n");
    const tokens = countTokens(code);
    rows.push({
      name: `counting ${tokens} tokens for the first time`,
      value: await timed(() => countTokens(`${code}\n// again`)),
      unit: "ms",
    });
    rows.push({ name: "counting the same text again", value: await timed(() => countTokens(code)), unit: "ms" });
    return rows;
  });
}
