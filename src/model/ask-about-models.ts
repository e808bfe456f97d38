/** What surfaces may ask about models and what they have cost. */
import type { Store } from "../journal/index.ts";
import { isoTime, type Clock } from "../kernel/index.ts";
import { readCassette } from "./cassette/cassette-file.ts";
import { queryUsage, type UsageDimension, type UsageReport } from "./usage/query-usage.ts";
import type { ModelGate } from "./open-model-gate.ts";
import type { ModelListing } from "./routing/list-models.ts";
import type { ModelResult } from "./types.ts";
import type { Input, Result } from "../protocol/api/index.ts";
import { DEFAULT_SESSION } from "../protocol/events/index.ts";

export interface ModelTest {
  /** As it was asked for; the answering model may be a fallback. */
  asked: string;
  result: ModelResult;
}

export interface TrippedBreaker {
  id: string;
  state: string;
  until: number | null;
}

export interface ModelApi {
  /** With a signal, servers on this machine are asked whether they are there. */
  list(signal?: AbortSignal): Promise<ModelListing>;
  /** The first model a name stands for; throws when nothing is called so. */
  resolve(model: string): Promise<string>;
  /** What a server offers that speaks OpenAI's protocol. */
  served(url: string, signal: AbortSignal): Promise<Result<"model.served">>;
  /** What the header of a cassette says, and how many calls it holds. */
  cassette(file: string): Result<"model.cassette">;
  /** One small real call. */
  test(model: string | undefined, signal: AbortSignal): Promise<ModelTest>;
  /** Breakers that are not closed, for all processes. */
  tripped(): Promise<TrippedBreaker[]>;
  reset(breaker: string): Promise<void>;
}

type UsagePeriod = Input<"usage.report">["period"];

export interface UsageRequest {
  by: UsageDimension;
  where?: Partial<Record<UsageDimension, string>>;
  period: UsagePeriod;
}

export interface UsageApi {
  report(request: UsageRequest): Promise<UsageReport>;
}

const TEST_PROMPT = { system: "You check a connection.", user: "Answer with the single word: ready" };
/** Enough for a model that thinks before one word. */
const TEST_OUTPUT_TOKENS = 512;

type Listed = ModelListing["providers"][number];

async function asked(provider: Listed, signal: AbortSignal): Promise<Listed> {
  if (provider.server === undefined || provider.status.kind !== "ready") return provider;
  const { whySilent } = await import("./providers/served-models.ts");
  const what = await whySilent(provider.server, signal);
  return what === undefined ? provider : { ...provider, status: { kind: "silent", what } };
}

export function createModelApi(parts: {
  listing: () => Promise<ModelGate>;
  gate: () => Promise<ModelGate>;
  defaultModel: () => string | undefined;
}): ModelApi {
  return {
    async list(signal) {
      const listing = (await parts.listing()).list();
      return signal === undefined
        ? listing
        : { ...listing, providers: await Promise.all(listing.providers.map((one) => asked(one, signal))) };
    },
    resolve: async (model) => (await parts.listing()).resolve(model),
    served: async (url, signal) => (await import("./providers/served-models.ts")).servedModels(url, signal),
    cassette(file) {
      const { header, entries } = readCassette(file);
      const { recorded_at, recording } = header;
      return { recorded_at, calls: entries.length, ...(recording === undefined ? {} : { recording }) };
    },
    async test(model, signal) {
      const asked = model ?? parts.defaultModel() ?? "balanced";
      const gate = await parts.gate();
      const result = await gate
        .stream(
          {
            ...TEST_PROMPT,
            model: asked,
            tools: [],
            maxOutputTokens: TEST_OUTPUT_TOKENS,
            role: "user",
            session: DEFAULT_SESSION,
            task: "models-test",
            step: 0,
            phase: "test",
            purpose: "models-test",
            priority: 100,
            lane: "user",
          },
          signal,
        )
        .result();
      return { asked, result };
    },
    tripped: async () => (await parts.gate()).tripped(),
    reset: async (breaker) => (await parts.gate()).resetBreaker(breaker.startsWith("llm:") ? breaker : `llm:${breaker}`),
  };
}

const DAYS: Record<Exclude<UsagePeriod, "all">, number> = { day: 1, week: 7, month: 30 };
const DAY_MS = 86_400_000;

export function createUsageApi(parts: { existing: () => Promise<Store | undefined>; clock: Clock }): UsageApi {
  return {
    async report({ by, where, period }) {
      const fromDay = period === "all" ? undefined : isoTime(parts.clock.now() - (DAYS[period] - 1) * DAY_MS).slice(0, 10);
      return queryUsage((await parts.existing())?.journal, { by, where, fromDay });
    },
  };
}
