/** Appends every answered call to a cassette, with secrets taken out first. */
import { appendFileSync, existsSync, mkdirSync } from "node:fs";
import path from "node:path";
import { isoTime, writeError, type Clock } from "../../kernel/index.ts";
import type { ProviderCall } from "../providers/types.ts";
import { targetId, type Target } from "../catalogue/target.ts";
import type { Accumulator } from "../stream/accumulator.ts";
import type { Usage } from "../types.ts";
import { blank, renderEntry, renderHeader, requestKey, withoutProject, type CassetteEntry } from "./cassette-file.ts";

export interface RecorderOptions {
  file: string;
  cwd: string;
  clock: Clock;
  redact: (text: string) => string;
}

export class Recorder {
  readonly #options: RecorderOptions;
  #started = false;

  constructor(options: RecorderOptions) {
    this.#options = options;
  }

  record(call: ProviderCall, target: Target, answer: Accumulator, usage: Usage): void {
    const { redact, cwd } = this.#options;
    const clean = (text: string): string => withoutProject(redact(text), cwd);
    const { role, phase, purpose, step } = call.facts;
    const entry: CassetteEntry = {
      role,
      phase,
      purpose,
      step,
      model: targetId(target),
      key: requestKey(call, cwd, redact),
      request: {
        messages: call.messages.map((message) => ({ role: message.role, content: blank(redact(message.content), cwd) })),
        tools: call.tools.map((tool) => tool.name),
      },
      answer: {
        text: clean(answer.text),
        ...(answer.reasoning === "" ? {} : { reasoning: clean(answer.reasoning) }),
        tool_calls: answer.toolCalls.map((one) => ({ id: one.id, name: one.name, arguments: clean(one.raw) })),
        stop: answer.finish?.stopReason ?? "end_turn",
        usage: {
          input: usage.inputTokens,
          output: usage.outputTokens,
          cache_read: usage.cacheReadTokens,
          cache_write: usage.cacheWriteTokens,
          reasoning: usage.reasoningTokens,
          estimated: usage.estimated,
        },
      },
    };
    this.#append(renderEntry(entry));
  }

  #append(text: string): void {
    const { file, clock } = this.#options;
    try {
      if (!this.#started) {
        mkdirSync(path.dirname(file), { recursive: true });
        if (!existsSync(file)) appendFileSync(file, renderHeader(isoTime(clock.now())), { mode: 0o600 });
        this.#started = true;
      }
      appendFileSync(file, text);
    } catch (error) {
      throw writeError(file, error);
    }
  }
}
