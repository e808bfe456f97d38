/** An answered call as a cassette keeps it: secrets taken out, and nothing that names this machine. */
import type { ProviderCall } from "../providers/types.ts";
import type { CallFacts, StopReason, ToolCall, Usage } from "../types.ts";
import { blank, renderEntry, renderHeader, requestKey, withoutProject, type CassetteEntry, type Recording } from "./cassette-file.ts";

export interface AnsweredCall extends Pick<ProviderCall, "messages" | "tools"> {
  facts: Pick<CallFacts, "role" | "phase" | "purpose" | "step">;
  /** `provider/model`. */
  model: string;
  answer: { text: string; reasoning: string; toolCalls: readonly Pick<ToolCall, "id" | "name" | "raw">[]; stop: StopReason; usage: Usage };
}

export interface CassetteOptions {
  cwd: string;
  redact: (text: string) => string;
}

/** `scripted` and `replay` name a file, which may stand anywhere on this machine. */
const FILE_OF_MODEL = /^((?:scripted|replay)\/).*\//u;

export function cassetteEntry({ facts, model, messages, tools, answer }: AnsweredCall, { cwd, redact }: CassetteOptions): CassetteEntry {
  const clean = (text: string): string => withoutProject(redact(text), cwd);
  const { role, phase, purpose, step } = facts;
  const { usage } = answer;
  return {
    role,
    phase,
    purpose,
    step,
    model: model.replace(FILE_OF_MODEL, "$1"),
    key: requestKey({ messages, tools }, cwd, redact),
    request: {
      messages: messages.map((message) => ({ role: message.role, content: blank(redact(message.content), cwd) })),
      tools: tools.map((tool) => tool.name),
    },
    answer: {
      text: clean(answer.text),
      ...(answer.reasoning === "" ? {} : { reasoning: clean(answer.reasoning) }),
      tool_calls: answer.toolCalls.map((one) => ({ id: one.id, name: one.name, arguments: clean(one.raw) })),
      stop: answer.stop,
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
}

/** A whole cassette: the request and every call that was answered for it. */
export function renderCassette(recordedAt: string, of: Recording, calls: readonly AnsweredCall[], options: CassetteOptions): string {
  const clean = (text: string): string => withoutProject(options.redact(text), options.cwd);
  const { words, constraints, criteria, checks, ...rest } = of.request;
  const request = {
    ...rest,
    words: clean(words),
    constraints: constraints.map(clean),
    criteria: criteria.map(clean),
    checks: checks.map(clean),
  };
  return [renderHeader(recordedAt, { ...of, request }), ...calls.map((call) => renderEntry(cassetteEntry(call, options)))].join("");
}
