/** Structured output: schema in, validated value out. A wrong answer gets one chance to be repaired. */
import { z, type ZodType } from "zod";
import { messageOf, SylkError } from "../kernel/index.ts";
import type { ModelRequest, ModelResult, ObjectResult } from "./types.ts";

/** The JSON value in a text, also when it is fenced or stands between sentences. */
function extractJson(text: string): unknown {
  const fenced = /```(?:json)?\s*\n([\s\S]*?)\n```/.exec(text)?.[1];
  const candidates = [text, fenced, sliceBetween(text, "{", "}"), sliceBetween(text, "[", "]")];
  let reason: unknown;
  for (const candidate of candidates) {
    if (candidate === undefined) continue;
    try {
      return JSON.parse(candidate);
    } catch (error) {
      reason ??= error;
    }
  }
  throw reason instanceof Error ? reason : new Error("no JSON found");
}

function sliceBetween(text: string, open: string, close: string): string | undefined {
  const from = text.indexOf(open);
  const to = text.lastIndexOf(close);
  return from >= 0 && to > from ? text.slice(from, to + 1) : undefined;
}

type Checked<T> = { ok: true; value: T } | { ok: false; problem: string };

function check<T>(text: string, schema: ZodType<T>): Checked<T> {
  let value: unknown;
  try {
    value = extractJson(text);
  } catch (error) {
    return { ok: false, problem: `not valid JSON: ${messageOf(error)}` };
  }
  const parsed = schema.safeParse(value);
  return parsed.success ? { ok: true, value: parsed.data } : { ok: false, problem: z.prettifyError(parsed.error) };
}

export async function generateObject<T>(
  request: ModelRequest,
  schema: ZodType<T>,
  call: (request: ModelRequest) => Promise<ModelResult>,
): Promise<ObjectResult<T>> {
  const responseSchema = z.toJSONSchema(schema, { io: "input" }) as Record<string, unknown>;
  const first: ModelRequest = {
    ...request,
    responseSchema,
    system: `${request.system}\n\nReply with a single JSON value and nothing else. It must conform to this JSON Schema:\n${JSON.stringify(responseSchema)}`,
  };
  const answer = await call(first);
  if (answer.kind !== "ok") return answer;
  const checked = check(answer.text, schema);
  if (checked.ok) return { kind: "ok", value: checked.value, rounds: 1, result: answer };
  const repaired = await call({
    ...first,
    messages: [
      ...(first.messages ?? [{ role: "user", content: first.user }]),
      { role: "assistant", content: answer.text },
      { role: "user", content: `That reply does not conform: ${checked.problem}\nSend the corrected JSON value only.` },
    ],
  });
  if (repaired.kind !== "ok") return repaired;
  const again = check(repaired.text, schema);
  if (again.ok) return { kind: "ok", value: again.value, rounds: 2, result: repaired };
  const { text, reasoning: _, stopReason: __, toolCalls, kind: ___, ...spent } = repaired;
  return {
    ...spent,
    kind: "failed",
    partial: { text, toolCalls },
    error: new SylkError({
      code: "MODEL_OBJECT_INVALID",
      tier: "permanent",
      message: `the model's answer does not conform to the schema after one repair: ${again.problem.replaceAll("\n", " ")}`,
    }),
  };
}
