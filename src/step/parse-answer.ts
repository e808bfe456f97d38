/**
 * From a model's answer to actions that may be done: known, allowed in this phase, with valid
 * arguments. Several are taken only when all of them merely read.
 */
import { must } from "../kernel/index.ts";
import type { ModelResult, ToolCall } from "../model/index.ts";
import { changesWorld, looks, type Action } from "./actions/action.ts";
import { shortLine } from "./context/fit-lines.ts";

export interface ParsedCall {
  action: Action;
  args: unknown;
}

/** The action of a name as tasks of this type have it. */
type FindAction = (name: string) => Action | undefined;

export type ParsedAnswer = { kind: "calls"; calls: ParsedCall[]; skipped: string[] } | { kind: "invalid"; reason: string };

/** As many as can be in view at once; notes need no room there. */
const MAX_READS = 5;
const MAX_CALLS = 12;

/** Models without tool calling write the call as JSON; accept it when it is the only one. */
function callsInText(text: string): ToolCall[] {
  const body = /```(?:json)?\s*(\{[\s\S]*?\})\s*```/.exec(text)?.[1] ?? (/^\s*\{[\s\S]*\}\s*$/.test(text) ? text : undefined);
  if (body === undefined) return [];
  try {
    const value = JSON.parse(body) as { action?: unknown; name?: unknown; args?: unknown; arguments?: unknown; input?: unknown };
    const name = value.action ?? value.name;
    if (typeof name !== "string") return [];
    return [{ id: "text", name, raw: body, input: (value.args ?? value.arguments ?? value.input ?? {}) as ToolCall["input"] }];
  } catch {
    return [];
  }
}

function parseCall(call: ToolCall, find: FindAction, allowed: readonly string[]): ParsedCall | string {
  const action = find(call.name);
  if (action === undefined) return `there is no action "${shortLine(call.name, 60)}"; use one of ${allowed.join(", ")}`;
  if (!allowed.includes(call.name)) return `${call.name} is not allowed in this phase; use one of ${allowed.join(", ")}`;
  if (call.input === undefined) return `${call.name}: the arguments are not valid JSON: ${call.invalid ?? shortLine(call.raw, 200)}`;
  const parsed = action.schema.safeParse(call.input);
  if (!parsed.success)
    return `${call.name}: ${parsed.error.issues.map((issue) => `${issue.path.join(".") || "arguments"}: ${issue.message}`).join("; ")}`;
  return { action, args: parsed.data };
}

export function parseAnswer(result: Extract<ModelResult, { kind: "ok" }>, find: FindAction, allowed: readonly string[]): ParsedAnswer {
  const calls = result.toolCalls.length > 0 ? result.toolCalls : callsInText(result.text);
  if (calls.length === 0) {
    const cut =
      result.stopReason === "max_tokens"
        ? "the answer was cut off at the output limit; do less in one step"
        : "the answer holds no action; call exactly one tool";
    return { kind: "invalid", reason: cut };
  }
  const first = parseCall(must(calls[0]), find, allowed);
  if (typeof first === "string") return { kind: "invalid", reason: first };
  const harmless = ({ action, args }: ParsedCall): boolean => action.ends === undefined && !changesWorld(action, args);
  if (!harmless(first))
    return {
      kind: "calls",
      calls: [first],
      skipped: calls.slice(1).map((call) => `${call.name} ${shortLine(call.raw, 80)}: only one changing action a step`),
    };
  const taken: ParsedCall[] = [first];
  const skipped: string[] = [];
  for (const call of calls.slice(1)) {
    const parsed = parseCall(call, find, allowed);
    if (typeof parsed === "string") skipped.push(parsed);
    else if (!harmless(parsed)) skipped.push(`${call.name}: not together with reading actions`);
    else if (looks(parsed.action) && taken.filter(({ action }) => looks(action)).length >= MAX_READS)
      skipped.push(`${call.name} ${shortLine(call.raw, 80)}: at most ${MAX_READS} reading actions a step`);
    else if (taken.length >= MAX_CALLS) skipped.push(`${call.name}: at most ${MAX_CALLS} actions a step`);
    else taken.push(parsed);
  }
  return { kind: "calls", calls: taken, skipped };
}
