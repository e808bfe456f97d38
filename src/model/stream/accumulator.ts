/**
 * Collects one attempt's parts into the answer and watches the order of events (LLM-034…043):
 * starting → streaming ⇄ tool_call → complete | error. A part that does not fit is dropped and counted.
 */
import { messageOf, type Json } from "../../kernel/index.ts";
import type { ModelConfig } from "../config.ts";
import { oversizedAnswer } from "../errors/stream-faults.ts";
import type { ProviderPart } from "../providers/types.ts";
import type { PartialAnswer, StopReason, ToolCall, Usage } from "../types.ts";

interface OpenCall {
  name: string;
  raw: string;
  bytes: number;
  closed: ToolCall | undefined;
}

function parseToolCall(id: string, name: string, raw: string): ToolCall {
  const text = raw.trim() === "" ? "{}" : raw;
  try {
    return { id, name, raw, input: JSON.parse(text) as Json };
  } catch (error) {
    return { id, name, raw, input: undefined, invalid: `arguments are not JSON: ${messageOf(error)}` };
  }
}

export type AnswerLimits = Pick<ModelConfig["stream"], "maxAnswerBytes" | "maxArgumentBytes" | "maxToolCalls">;

export class Accumulator {
  readonly #limits: AnswerLimits | undefined;
  readonly #calls = new Map<string, OpenCall>();
  #text: string[] = [];
  #reasoning: string[] = [];
  outputChars = 0;
  #bytes = 0;
  parts = 0;
  dropped = 0;
  vectors: Float32Array[] | undefined;
  firstTextAt: number | undefined;
  firstToolAt: number | undefined;
  finish: { stopReason: StopReason; usage: Usage | undefined } | undefined;

  /** Without limits it only stands for an attempt that brought nothing. */
  constructor(limits?: AnswerLimits) {
    this.#limits = limits;
  }

  /** False when the part has no place here and must not be passed on. Throws before anything is kept beyond the limits. */
  add(part: ProviderPart, now: number): boolean {
    if (this.finish !== undefined) return this.#drop();
    this.parts += 1;
    switch (part.type) {
      case "text":
        this.firstTextAt ??= now;
        this.#grow(part.text);
        this.#text.push(part.text);
        return true;
      case "reasoning":
        this.#grow(part.text);
        this.#reasoning.push(part.text);
        return true;
      case "tool_start":
        if (this.#calls.has(part.id)) return this.#drop();
        if (this.#limits !== undefined && this.#calls.size >= this.#limits.maxToolCalls)
          throw oversizedAnswer("calls", this.#limits.maxToolCalls);
        this.firstToolAt ??= now;
        this.#grow(part.id + part.name);
        this.#calls.set(part.id, { name: part.name, raw: "", bytes: 0, closed: undefined });
        return true;
      case "tool_delta": {
        const call = this.#calls.get(part.id);
        if (call === undefined || call.closed !== undefined) return this.#drop();
        call.bytes += this.#grow(part.argumentsDelta);
        this.#checkArguments(call.bytes);
        call.raw += part.argumentsDelta;
        return true;
      }
      case "tool_end": {
        const call = this.#calls.get(part.id);
        if (call === undefined || call.closed !== undefined) return this.#drop();
        this.#checkArguments(Buffer.byteLength(part.raw));
        call.closed = parseToolCall(part.id, part.name, part.raw === "" ? call.raw : part.raw);
        return true;
      }
      case "finish":
        this.finish = { stopReason: part.stopReason, usage: part.usage };
        return true;
      case "vectors":
        this.vectors = part.vectors;
        return true;
      case "headers":
        return true;
    }
  }

  #grow(text: string): number {
    const bytes = Buffer.byteLength(text);
    this.outputChars += text.length;
    this.#bytes += bytes;
    if (this.#limits !== undefined && this.#bytes > this.#limits.maxAnswerBytes)
      throw oversizedAnswer("answer", this.#limits.maxAnswerBytes);
    return bytes;
  }

  #checkArguments(bytes: number): void {
    if (this.#limits !== undefined && bytes > this.#limits.maxArgumentBytes)
      throw oversizedAnswer("arguments", this.#limits.maxArgumentBytes);
  }

  #drop(): false {
    this.dropped += 1;
    return false;
  }

  toolCall(id: string): ToolCall | undefined {
    return this.#calls.get(id)?.closed;
  }

  /** Closed calls in the order they were opened. */
  get toolCalls(): ToolCall[] {
    return [...this.#calls.values()].flatMap((call) => (call.closed === undefined ? [] : [call.closed]));
  }

  get openCalls(): number {
    return [...this.#calls.values()].filter((call) => call.closed === undefined).length;
  }

  get text(): string {
    return this.#text.join("");
  }

  get reasoning(): string {
    return this.#reasoning.join("");
  }

  get partial(): PartialAnswer {
    return { text: this.text, toolCalls: this.toolCalls };
  }

  /** Everything generated, for counting when the provider reports nothing. */
  get generated(): string {
    return [this.reasoning, this.text, ...[...this.#calls.values()].map((call) => call.raw)].filter((text) => text !== "").join("\n");
  }
}
