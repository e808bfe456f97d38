/**
 * The load scenario: many requests of many sessions at once over three providers that misbehave.
 * Runs on real sockets; waits are compared with each other, never with a clock on the wall.
 */
import { systemClock } from "../../src/kernel/index.ts";
import { queryUsage } from "../../src/model/usage/query-usage.ts";
import type { ModelResult } from "../../src/model/index.ts";
import { modelRequest, never, openTestGate, openTestStore } from "../support/model-gate.ts";
import { startWireServer } from "../support/wire-server/wire-server.ts";
import type { WireAnswer, WireRequest } from "../support/wire-server/wire-types.ts";

export interface LoadOptions {
  requests: number;
  sessions: number;
  /** One in so many is a user's. */
  userEvery: number;
  serviceMs: number;
  /** Tokens for everybody; plenty when absent. */
  budgetTokens?: number;
}

export interface LoadReport {
  results: ModelResult[];
  served: number;
  userP99Ms: number;
  pipelineP99Ms: number;
  budgetLimit: number;
  budgetUsed: number;
  usageTokens: number;
  resultTokens: number;
  heapGrowthMb: number;
  peakOpen: number[];
}

const USAGE = { input: 100, output: 50 };

/** Deterministic by request number: about one answer in six goes wrong. */
function answerTo(request: WireRequest, serviceMs: number): WireAnswer {
  const text = "a useful answer in several pieces, long enough to break in the middle";
  const base = { text, usage: USAGE, delayMs: serviceMs, pieceChars: 16 };
  switch (request.n % 24) {
    case 3:
      return { status: 500 };
    case 8:
      return { ...base, fault: { kind: "cut", afterFrames: 3 } };
    case 13:
      return { ...base, fault: { kind: "garbage", afterFrames: 2 } };
    case 19:
      return { status: 429, headers: { "retry-after": "0.02" } };
    default:
      return base;
  }
}

function percentile(values: number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.ceil(sorted.length * share) - 1)] ?? 0;
}

export async function runLoad(options: LoadOptions): Promise<LoadReport> {
  const [project, machine] = [await openTestStore("project"), await openTestStore("machine")];
  const servers = await Promise.all([0, 1, 2].map(() => startWireServer((request) => answerTo(request, options.serviceMs))));
  const kinds = ["anthropic", "openai-chat", "compatible"] as const;
  const budgetLimit = options.budgetTokens ?? options.requests * 400;
  const gate = openTestGate({
    clock: systemClock,
    config: {
      providers: Object.fromEntries(
        servers.map((server, i) => [
          `p${i}`,
          { kind: kinds[i] as (typeof kinds)[number], base_url: `${server.url}/v1`, max_concurrent_requests: 16 },
        ]),
      ),
      budgets: { global: { tokens: budgetLimit, period: "ever" } },
      retry: {
        transient: { max_attempts: 20, initial_delay: "1ms", max_delay: "20ms" },
        external_rate_limit: { max_attempts: 50, initial_delay: "10ms" },
        external_degrading: { max_attempts: 20, initial_delay: "1ms", max_delay: "20ms" },
      },
      breaker: { consecutive_failures: 50, failure_rate_threshold: 0.95 },
      stream: { broken_stream_retries: 20 },
    },
    options: { project, machine },
  });
  globalThis.gc?.();
  const heapBefore = process.memoryUsage().heapUsed;
  const ask = (i: number, user: boolean): Promise<ModelResult> =>
    gate
      .stream(
        modelRequest({
          model: `p${i % 3}/m`,
          session: `session-${i % options.sessions}`,
          task: `task-${i % 97}`,
          pipeline: user ? undefined : `pipeline-${i % 61}`,
          lane: user ? "user" : "pipeline",
          priority: user ? 100 : (([80, 60, 40, 20] as const)[i % 4] ?? 60),
          inputTokens: 100,
          maxOutputTokens: 60,
        }),
        never,
      )
      .result();
  // All pipelines ask at once; users come by while the lines are full.
  const users: Promise<ModelResult>[] = [];
  let finished = 0;
  const pipelines = Array.from({ length: options.requests - Math.floor(options.requests / options.userEvery) }, (_, i) =>
    ask(i, false).then((result) => {
      finished += 1;
      if (finished % (options.userEvery - 1) === 0) users.push(ask(finished / (options.userEvery - 1), true));
      return result;
    }),
  );
  const heapQueued = process.memoryUsage().heapUsed;
  const pipelineResults = await Promise.all(pipelines);
  const userResults = await Promise.all(users);
  const results = [...pipelineResults, ...userResults];
  const waits = (of: ModelResult[]): number[] => of.map((result) => result.metrics.queuedMs);
  await gate[Symbol.asyncDispose]();
  const usage = await queryUsage(project.journal, { by: "session" });
  const report: LoadReport = {
    results,
    served: servers.reduce((sum, server) => sum + server.requests.length, 0),
    userP99Ms: percentile(waits(userResults), 0.99),
    pipelineP99Ms: percentile(waits(pipelineResults), 0.99),
    budgetLimit,
    budgetUsed: await machine.counters.value("budget/global/ever/tokens"),
    usageTokens: usage.total.inputTokens + usage.total.outputTokens,
    resultTokens: results.reduce((sum, result) => sum + result.usage.inputTokens + result.usage.outputTokens, 0),
    heapGrowthMb: (heapQueued - heapBefore) / 2 ** 20,
    peakOpen: servers.map((server) => server.peakOpen),
  };
  for (const server of servers) await server[Symbol.asyncDispose]();
  return report;
}
