/**
 * From a model's answer to actions that may be done: known, allowed in this phase, with valid arguments. One of them
 * may change something; reads and notes come with it and are done after it. An ending stands alone, but for notes.
 */
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

/** Notes need no room in view. */
const MAX_CALLS = 40;

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

export interface AnswerRules {
  find: FindAction;
  allowed: readonly string[];
  /** Reads that are taken from one answer. */
  maxReads: number;
}

export function parseAnswer(result: Extract<ModelResult, { kind: "ok" }>, { find, allowed, maxReads }: AnswerRules): ParsedAnswer {
  const calls = result.toolCalls.length > 0 ? result.toolCalls : callsInText(result.text);
  if (calls.length === 0) {
    const cut =
      result.stopReason === "max_tokens"
        ? "the answer was cut off at the output limit; do less in one step"
        : "the answer holds no action; call a tool";
    return { kind: "invalid", reason: cut };
  }
  const taken: ParsedCall[] = [];
  const skipped: string[] = [];
  for (const [i, call] of calls.entries()) {
    const parsed = parseCall(call, find, allowed);
    if (typeof parsed === "string") {
      if (i === 0) return { kind: "invalid", reason: parsed };
      skipped.push(parsed);
      continue;
    }
    const why = notTaken(parsed, taken, maxReads);
    if (why === undefined) taken.push(parsed);
    else skipped.push(`${call.name} ${shortLine(call.raw, 80)}: ${why}`);
  }
  const order = ({ action, args }: ParsedCall): number => (changesWorld(action, args) ? 0 : action.ends === undefined ? 1 : 2);
  return { kind: "calls", calls: taken.toSorted((a, b) => order(a) - order(b)), skipped };
}

function notTaken({ action, args }: ParsedCall, taken: readonly ParsedCall[], maxReads: number): string | undefined {
  const changes = changesWorld(action, args);
  const ending = taken.find((one) => one.action.ends !== undefined)?.action.name;
  const isNote = !changes && action.ends === undefined && !looks(action);
  if (ending !== undefined && !isNote) return `not together with ${ending}`;
  if (action.ends !== undefined && taken.some((one) => changesWorld(one.action, one.args) || looks(one.action)))
    return "look at what the rest of this answer brings first";
  if (changes && taken.some((one) => changesWorld(one.action, one.args))) return "only one changing action a step";
  if (looks(action) && taken.filter((one) => looks(one.action)).length >= maxReads) return `at most ${maxReads} reading actions a step`;
  return taken.length >= MAX_CALLS ? `at most ${MAX_CALLS} actions a step` : undefined;
}
