/**
 * The only door to language models. Opens over configuration, environment, clock and stores;
 * everything a call needs is wired here and nowhere else.
 */
import path from "node:path";
import type { ZodType } from "zod";
import { must, newId, SylkError, type Clock, holders } from "../kernel/index.ts";
import type { Counters, Journal, Work } from "../journal/index.ts";
import { Breakers } from "./breaker/breakers.ts";
import { Budgets } from "./budget/budgets.ts";
import { classifyModelError } from "./errors/classify.ts";
import { ProviderLanes } from "./call/provider-lanes.ts";
import { NO_USAGE } from "./call/call-meter.ts";
import { runCall, type CallDeps } from "./call/run-call.ts";
import { Recorder } from "./cassette/recorder.ts";
import { Catalogue } from "./catalogue/catalogue.ts";
import { targetId } from "./catalogue/target.ts";
import type { ModelConfig, Subscription } from "./config.ts";
import { embedTexts, type EmbedRequest } from "./embed/embed-texts.ts";
import { TroubleTracker } from "./errors/trouble-tracker.ts";
import { generateObject } from "./generate-object.ts";
import { listModels, type ModelListing } from "./routing/list-models.ts";
import { keysOf } from "./routing/provider-access.ts";
import type { Environment } from "./providers/types.ts";
import { ProviderRegistry } from "./routing/provider-registry.ts";
import { resolveModel } from "./routing/resolve-model.ts";
import { PartChannel } from "./stream/part-channel.ts";
import { PartWatchers, type WatchedPart, type WatchFilter } from "./stream/part-watchers.ts";
import { Calibration } from "./tokens/calibration.ts";
import type { EmbedResult, ModelRequest, ModelResult, ModelStream, ObjectResult, StreamPart } from "./types.ts";
import { Signals } from "./usage/signals.ts";
import { UsageLog } from "./usage/usage-log.ts";

/** The storage seams the gate writes through. */
export interface GateStore {
  journal: Journal;
  counters: Counters;
  work: Work;
}

export interface ModelGateOptions {
  config: ModelConfig;
  env: Environment;
  clock: Clock;
  /** Rule files and cassettes are looked up from here. */
  cwd: string;
  /** Whose budget it is, wherever the project's folder is moved; the folder when absent. */
  projectId?: string | undefined;
  /** Takes secrets out of a text. */
  redact: (text: string) => string;
  /** Ceilings of subscription plans, by provider. */
  subscriptions?: Readonly<Record<string, Subscription>> | undefined;
  /** The project's store: usage and signals. Without it nothing is journaled. */
  project?: Pick<GateStore, "journal"> | undefined;
  /** The machine's store: limits, breakers and budgets of all processes. Without it they are this process's own. */
  machine?: GateStore | undefined;
  random?: (() => number) | undefined;
  /** Told of failures that must not stop a call, such as a signal that could not be written. */
  onTrouble?: ((error: unknown) => void) | undefined;
}

export interface QueueStatus {
  provider: string;
  running: number;
  waiting: number;
  oldestWorkMs: number;
  pausedUntil: number;
}

export interface ModelGate extends AsyncDisposable {
  /** Starts at once. Aborting frees whatever the call holds. */
  stream(request: ModelRequest, signal: AbortSignal): ModelStream;
  /** A validated value, with one repair round. */
  object<T>(request: ModelRequest, schema: ZodType<T>, signal: AbortSignal): Promise<ObjectResult<T>>;
  /** Every part of the calls that match, from now on, without taking any from the caller. */
  watch(filter: WatchFilter, signal: AbortSignal): AsyncIterable<WatchedPart>;
  /** Stops a call from outside; false when there is none by that id. */
  cancel(callId: string, reason: string): boolean;
  embed(request: EmbedRequest, signal: AbortSignal): Promise<EmbedResult>;
  /**
   * The first model this name stands for. Throws when there is none, or when it is a rule file or cassette that cannot
   * be read. Makes no call; only a tier needs a key.
   */
  resolve(model: string): string;
  /** Whether the first model this name stands for takes pictures. */
  takesPictures(model: string): boolean;
  /** Resolves when the usage of every finished call is in the journal; rejects when some could not be written. */
  usageWritten(): Promise<void>;
  /** Providers, tiers and known models, with what is missing to use them. */
  list(): ModelListing;
  queues(): QueueStatus[];
  /** Breakers that are not closed: `llm:<provider>` or `llm:<provider>/<model>`. */
  tripped(): Promise<{ id: string; state: string; until: number | null }[]>;
  resetBreaker(id: string): Promise<void>;
}

class OpenGate implements ModelGate {
  readonly #deps: CallDeps;
  readonly #watchers = new PartWatchers();
  readonly #running = new Map<string, { stop: AbortController; ended: Promise<ModelResult> }>();

  constructor(options: ModelGateOptions) {
    const { config, env, clock, cwd, project, machine } = options;
    const keys = keysOf(config, env);
    const redact = (text: string): string => keys.reduce((clean, key) => clean.replaceAll(key, "[REDACTED]"), options.redact(text));
    const random = options.random ?? Math.random;
    const registry = new ProviderRegistry({ config, env, cwd, clock, redact });
    const signals = new Signals(project?.journal, options.onTrouble ?? (() => undefined));
    this.#deps = {
      config,
      clock,
      redact,
      random,
      registry,
      signals,
      providerFor: (name) => registry.get(name),
      catalogue: new Catalogue(config.catalogue, registry),
      calibration: new Calibration(project?.journal, (provider) => registry.family(provider)),
      lanes: new ProviderLanes({ config, clock, registry, machineJournal: machine?.journal, signals, random }),
      breakers: new Breakers({
        config: config.breaker,
        clock,
        journal: machine?.journal,
        owner: `${holders.ofProcess()}/${newId("gate", clock.now())}`,
        onChange: (id, _, after) =>
          after.state === "closed"
            ? signals.circuitRecovered(id)
            : after.state === "open"
              ? signals.circuitTripped(id, after.cooldown_ends)
              : undefined,
      }),
      budgets: new Budgets({
        config,
        clock,
        project: options.projectId ?? cwd,
        store: machine,
        subscriptionOf: (provider) => options.subscriptions?.[provider] ?? null,
        onWarning: (warning) => signals.budgetWarning(warning),
      }),
      trouble: new TroubleTracker(config.retry.trouble),
      recorder: config.record === null ? undefined : new Recorder({ file: path.resolve(cwd, config.record), cwd, clock, redact }),
      usage: new UsageLog(project?.journal),
    };
  }

  #newCallId(): string {
    return newId("call", this.#deps.clock.now());
  }

  stream(request: ModelRequest, signal: AbortSignal): ModelStream {
    const { clock, config } = this.#deps;
    const callId = this.#newCallId();
    const stop = new AbortController();
    const channel = new PartChannel<StreamPart>(config.stream.bufferParts, () => stop.abort(new Error("the reader stopped reading")));
    const whole = AbortSignal.any([signal, stop.signal]);
    let index = 0;
    const place = (part: object): StreamPart => {
      const placed = { ...part, index: index++, at: clock.now() } as StreamPart;
      this.#watchers.offer(callId, request, placed);
      return placed;
    };
    const output = {
      callId,
      emit: (part: object) => channel.push(place(part), whole),
      backpressureEvents: () => channel.backpressureEvents,
    };
    const ended = runCall(this.#deps, request, output, whole)
      .catch((error: unknown) => this.#broken(callId, error))
      .then((result) => {
        void channel.push(place({ type: "usage", usage: result.usage }), whole);
        void channel.push(place(result.kind === "ok" ? { type: "end", result } : { type: "error", result }), whole);
        channel.close();
        this.#running.delete(callId);
        return result;
      });
    this.#running.set(callId, { stop, ended });
    return {
      callId,
      [Symbol.asyncIterator]: () => channel[Symbol.asyncIterator](),
      result: () => {
        channel.drain();
        return ended;
      },
    };
  }

  /** Something of ours broke (a full disk, a closed store); the caller gets it as the one ending. */
  #broken(callId: string, error: unknown): ModelResult {
    const { clock, redact } = this.#deps;
    return {
      kind: "failed",
      error: classifyModelError(error, { provider: "", model: "", nowMs: clock.now(), redact }),
      partial: { text: "", toolCalls: [] },
      callId,
      provider: "",
      model: "",
      usage: NO_USAGE,
      costUsd: 0,
      costAssumed: false,
      attempts: 0,
      metrics: {
        queuedMs: 0,
        timeToFirstTokenMs: undefined,
        timeToFirstToolCallMs: undefined,
        totalMs: 0,
        tokensPerSecond: 0,
        parts: 0,
        backpressureEvents: 0,
        tokensSavedAtMost: 0,
      },
    };
  }

  object<T>(request: ModelRequest, schema: ZodType<T>, signal: AbortSignal): Promise<ObjectResult<T>> {
    return generateObject(request, schema, (one) => this.stream(one, signal).result());
  }

  watch(filter: WatchFilter, signal: AbortSignal): AsyncIterable<WatchedPart> {
    return this.#watchers.watch(filter, signal);
  }

  cancel(callId: string, reason: string): boolean {
    const call = this.#running.get(callId);
    call?.stop.abort(new Error(reason));
    return call !== undefined;
  }

  embed(request: EmbedRequest, signal: AbortSignal): Promise<EmbedResult> {
    return embedTexts(this.#deps, request, () => this.#newCallId(), signal);
  }

  usageWritten(): Promise<void> {
    return this.#deps.usage.flushed();
  }

  resolve(model: string): string {
    const { registry } = this.#deps;
    const targets = resolveModel(model, this.#deps);
    for (const target of targets)
      if (registry.describe(target.provider)?.status.kind === "ready") registry.get(target.provider).check?.(target.model);
    return targetId(must(targets[0]));
  }

  takesPictures(model: string): boolean {
    return this.#deps.catalogue.info(must(resolveModel(model, this.#deps)[0])).images;
  }

  list(): ModelListing {
    return listModels(this.#deps.config, this.#deps.registry, this.#deps.catalogue);
  }

  queues(): QueueStatus[] {
    return this.#deps.lanes.all().map(([provider, { queue, limits }]) => ({
      provider,
      running: queue.running,
      waiting: queue.waiting,
      oldestWorkMs: queue.oldestWorkMs,
      pausedUntil: limits.pausedUntil,
    }));
  }

  async tripped(): Promise<{ id: string; state: string; until: number | null }[]> {
    return (await this.#deps.breakers.tripped()).map(({ id, record }) => ({ id, state: record.state, until: record.cooldown_ends }));
  }

  resetBreaker(id: string): Promise<void> {
    return this.#deps.breakers.reset(id);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const closed = new SylkError({ code: "MODEL_GATE_CLOSED", tier: "transient", message: "the model gate was closed" });
    const all = [...this.#running.values()];
    for (const call of all) call.stop.abort(closed);
    await Promise.all(all.map((call) => call.ended));
    this.#deps.lanes.close();
    await this.#deps.budgets.close();
    await Promise.all([this.#deps.signals.flushed(), this.#deps.usage.flushed()]);
  }
}

export function openModelGate(options: ModelGateOptions): ModelGate {
  return new OpenGate(options);
}
