/**
 * Plays a cassette: `replay/<path>` needs an equal request, `replay/<path>?lenient` takes the nearest
 * recorded call (nearest-call.ts). Needs no network and no key. Equal requests are answered in the
 * order they were recorded; a resumed process hears the same answers again.
 */
import path from "node:path";
import { SylkError } from "../../kernel/index.ts";
import type { Provider, ProviderCall, ProviderPart } from "../providers/types.ts";
import { blank, readCassette, requestKey, withProject, type CassetteEntry } from "./cassette-file.ts";
import { describeMismatch, type ComparableRequest } from "./describe-mismatch.ts";
import { findNearest, type FindNearest } from "./nearest-call.ts";

const LENIENT = "?lenient";
const TEXT_PIECE_CHARS = 64;

interface Reel {
  entries: CassetteEntry[];
  used: Set<CassetteEntry>;
  nearest: FindNearest;
}

export interface ReplayOptions {
  cwd: string;
  redact: (text: string) => string;
}

function* partsOf({ answer }: CassetteEntry, cwd: string): Generator<ProviderPart> {
  for (const [type, text] of [
    ["reasoning", withProject(answer.reasoning ?? "", cwd)],
    ["text", withProject(answer.text, cwd)],
  ] as const) {
    for (let at = 0; at < text.length; at += TEXT_PIECE_CHARS) yield { type, text: text.slice(at, at + TEXT_PIECE_CHARS) };
  }
  for (const call of answer.tool_calls) {
    const raw = withProject(call.arguments, cwd);
    yield { type: "tool_start", id: call.id, name: call.name };
    yield { type: "tool_delta", id: call.id, argumentsDelta: raw };
    yield { type: "tool_end", id: call.id, name: call.name, raw };
  }
  const { usage } = answer;
  yield {
    type: "finish",
    stopReason: answer.stop,
    usage: {
      inputTokens: usage.input,
      outputTokens: usage.output,
      cacheReadTokens: usage.cache_read,
      cacheWriteTokens: usage.cache_write,
      reasoningTokens: usage.reasoning,
      estimated: usage.estimated,
    },
  };
}

function comparable(call: ProviderCall, options: ReplayOptions): ComparableRequest {
  return {
    messages: call.messages.map((message) => ({ role: message.role, content: blank(options.redact(message.content), options.cwd) })),
    tools: call.tools.map((tool) => tool.name),
  };
}

function mismatch(file: string, reel: Reel, call: ProviderCall, options: ReplayOptions): SylkError {
  const now = comparable(call, options);
  const closest = reel.nearest(call.facts, now, reel.used);
  const { role, phase, purpose, step } = call.facts;
  const diff = closest === undefined ? "the cassette is empty" : describeMismatch(closest.request, now);
  return new SylkError({
    code: "MODEL_REPLAY_MISMATCH",
    tier: "permanent",
    message: `${file} has no answer to this request (role=${role} phase=${phase} step=${step} purpose=${purpose}); against the nearest recorded call:\n${diff}`,
    fix: "record the cassette again, or play it with ?lenient",
  });
}

function openReel(file: string): Reel {
  const { entries } = readCassette(file);
  return { entries, used: new Set(), nearest: findNearest(entries) };
}

export function createReplayProvider(options: ReplayOptions): Provider {
  const reels = new Map<string, Reel>();
  const nameOf = (model: string): string => (model.endsWith(LENIENT) ? model.slice(0, -LENIENT.length) : model);
  return {
    check: (model) => void readCassette(path.resolve(options.cwd, nameOf(model))),
    async *stream(call, signal) {
      const lenient = call.model.endsWith(LENIENT);
      const name = nameOf(call.model);
      const file = path.resolve(options.cwd, name);
      const reel = reels.get(file) ?? openReel(file);
      reels.set(file, reel);
      const key = requestKey(call, options.cwd, options.redact);
      const equal = reel.entries.filter((entry) => entry.key === key);
      const near = (): CassetteEntry | undefined => reel.nearest(call.facts, comparable(call, options), reel.used);
      const entry = equal.find((one) => !reel.used.has(one)) ?? equal.at(-1) ?? (lenient ? near() : undefined);
      if (entry === undefined) throw mismatch(name, reel, call, options);
      reel.used.add(entry);
      for (const part of partsOf(entry, options.cwd)) {
        signal.throwIfAborted();
        yield part;
      }
    },
  };
}
