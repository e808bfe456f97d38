/** Answers from a rule file: `scripted/<path>`. Used by tests, benchmarks and examples; needs no network. */
import path from "node:path";
import { SylkError, type Clock } from "../../kernel/index.ts";
import { brokenStream } from "../errors/stream-faults.ts";
import { ProviderHttpError } from "./http-error.ts";
import { answerFor, loadRules, type ScriptedAnswer } from "./scripted-rules.ts";
import type { Provider, ProviderCall, ProviderPart } from "./types.ts";

const TEXT_PIECE_CHARS = 64;

function* piecesOf(text: string): Generator<string> {
  for (let from = 0; from < text.length; from += TEXT_PIECE_CHARS) yield text.slice(from, from + TEXT_PIECE_CHARS);
}

function* partsOf(answer: ScriptedAnswer, call: ProviderCall): Generator<ProviderPart> {
  for (const text of piecesOf(answer.reasoning ?? "")) yield { type: "reasoning", text };
  for (const text of piecesOf(answer.text ?? "")) yield { type: "text", text };
  const calls = [
    ...answer.tool_calls.map((one) => ({ name: one.name, raw: JSON.stringify(one.input ?? {}) })),
    ...answer.raw_tool_calls.map((one) => ({ name: one.name, raw: one.arguments })),
  ];
  for (const [index, one] of calls.entries()) {
    const id = `call_${call.facts.task}_${call.facts.step}_${index}`;
    yield { type: "tool_start", id, name: one.name };
    yield { type: "tool_delta", id, argumentsDelta: one.raw };
    yield { type: "tool_end", id, name: one.name, raw: one.raw };
  }
  if (answer.cut) throw brokenStream("the scripted stream was cut");
  const { usage } = answer;
  yield {
    type: "finish",
    stopReason: answer.stop ?? (calls.length > 0 ? "tool_use" : "end_turn"),
    usage:
      usage === undefined
        ? undefined
        : {
            inputTokens: usage.input,
            outputTokens: usage.output,
            cacheReadTokens: usage.cache_read,
            cacheWriteTokens: usage.cache_write,
            reasoningTokens: 0,
            estimated: false,
          },
  };
}

export function createScriptedProvider(options: { cwd: string; clock: Clock }): Provider {
  const files = new Map<string, ReturnType<typeof loadRules>>();
  return {
    check: (model) => void loadRules(path.resolve(options.cwd, model)),
    async *stream(call, signal) {
      const file = path.resolve(options.cwd, call.model);
      const rules = files.get(file) ?? loadRules(file);
      files.set(file, rules);
      const answer = answerFor(rules, call);
      if (answer === undefined) {
        const { role, phase, task, step, purpose } = call.facts;
        throw new SylkError({
          code: "MODEL_SCRIPT_NO_RULE",
          tier: "permanent",
          message: `no rule in ${call.model} answers role=${role} phase=${phase} task=${task} step=${step} attempt=${call.attempt} purpose=${purpose}`,
          fix: "add a rule for it, or a last rule without `when`",
        });
      }
      if (answer.delay_ms > 0) await options.clock.sleep(answer.delay_ms, signal);
      if (answer.error !== undefined) {
        throw new ProviderHttpError({
          status: answer.error.status,
          message: answer.error.message,
          headers: answer.error.retry_after === undefined ? {} : { "retry-after": String(answer.error.retry_after) },
        });
      }
      for (const part of partsOf(answer, call)) {
        signal.throwIfAborted();
        yield part;
        if (answer.drip_ms > 0) await options.clock.sleep(answer.drip_ms, signal);
      }
    },
  };
}
