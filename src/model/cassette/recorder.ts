/** Appends every answered call to a cassette, with secrets taken out first. */
import { appendFileSync, existsSync, mkdirSync } from "node:fs";
import path from "node:path";
import { isoTime, writeError, type Clock } from "../../kernel/index.ts";
import type { ProviderCall } from "../providers/types.ts";
import { targetId, type Target } from "../catalogue/target.ts";
import type { Accumulator } from "../stream/accumulator.ts";
import type { Usage } from "../types.ts";
import { renderEntry, renderHeader } from "./cassette-file.ts";
import { cassetteEntry } from "./cassette-entry.ts";

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
    const entry = cassetteEntry(
      {
        facts: call.facts,
        model: targetId(target),
        messages: call.messages,
        tools: call.tools,
        answer: {
          text: answer.text,
          reasoning: answer.reasoning,
          toolCalls: answer.toolCalls,
          stop: answer.finish?.stopReason ?? "end_turn",
          usage,
        },
      },
      this.#options,
    );
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
