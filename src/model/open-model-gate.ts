/**
 * The only door to language models. Opens over configuration, environment and clock; everything a
 * call needs is wired here and nowhere else.
 */
import type { ZodType } from "zod";
import { SylkError, type Clock } from "../kernel/index.ts";
import type { ModelConfig } from "./config.ts";
import { generateObject } from "./generate-object.ts";
import { ProviderRegistry, type Environment } from "./routing/provider-registry.ts";
import { newCallId, runCall, type CallDeps } from "./run-call.ts";
import { PartChannel } from "./stream/part-channel.ts";
import type { ModelRequest, ModelResult, ModelStream, ObjectResult, StreamPart } from "./types.ts";

export interface ModelGateOptions {
  config: ModelConfig;
  env: Environment;
  clock: Clock;
  /** Rule files and cassettes are looked up from here. */
  cwd: string;
  /** Takes secrets out of a text. */
  redact: (text: string) => string;
  random?: (() => number) | undefined;
}

export interface ModelGate extends AsyncDisposable {
  /** Starts at once. Aborting frees whatever the call holds. */
  stream(request: ModelRequest, signal: AbortSignal): ModelStream;
  /** A validated value, with one repair round. */
  object<T>(request: ModelRequest, schema: ZodType<T>, signal: AbortSignal): Promise<ObjectResult<T>>;
}

class OpenGate implements ModelGate {
  readonly #deps: CallDeps;
  readonly #running = new Map<string, { stop: AbortController; ended: Promise<ModelResult> }>();

  constructor(options: ModelGateOptions) {
    const { config, env, clock, cwd, redact } = options;
    this.#deps = {
      config,
      clock,
      redact,
      random: options.random ?? Math.random,
      registry: new ProviderRegistry({ config, env, cwd, clock }),
    };
  }

  stream(request: ModelRequest, signal: AbortSignal): ModelStream {
    const { clock, config } = this.#deps;
    const callId = newCallId(clock);
    const stop = new AbortController();
    const channel = new PartChannel<StreamPart>(config.stream.bufferParts, () => stop.abort(new Error("the reader stopped reading")));
    const whole = AbortSignal.any([signal, stop.signal]);
    let index = 0;
    const place = (part: object): StreamPart => ({ ...part, index: index++, at: clock.now() }) as StreamPart;
    const output = {
      callId,
      emit: (part: object) => channel.push(place(part), whole),
      backpressureEvents: () => channel.backpressureEvents,
    };
    const ended = runCall(this.#deps, request, output, whole).then((result) => {
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

  object<T>(request: ModelRequest, schema: ZodType<T>, signal: AbortSignal): Promise<ObjectResult<T>> {
    return generateObject(request, schema, (one) => this.stream(one, signal).result());
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const closed = new SylkError({ code: "MODEL_GATE_CLOSED", tier: "transient", message: "the model gate was closed" });
    const all = [...this.#running.values()];
    for (const call of all) call.stop.abort(closed);
    await Promise.all(all.map((call) => call.ended));
  }
}

export function openModelGate(options: ModelGateOptions): ModelGate {
  return new OpenGate(options);
}
