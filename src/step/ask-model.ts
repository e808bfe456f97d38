/** One model call for one step, with one repair when its answer cannot be used (CTX-022). */
import { requestPriority, type ModelRequest, type ModelResult } from "../model/index.ts";
import type { RoleSpec } from "../protocol/index.ts";
import type { BuiltContext } from "./context/build-context.ts";
import { parseAnswer, type ParsedAnswer } from "./parse-answer.ts";
import { PROFILES } from "./profiles.ts";
import type { StepRun } from "./step-run.ts";
import type { TaskState } from "./task-state.ts";

type Answered = Extract<ModelResult, { kind: "ok" }>;

export interface StepUsage {
  input: number;
  output: number;
  cached: number;
  cost_usd: number | null;
}

export type Asked =
  | { kind: "answered"; result: Answered; parsed: ParsedAnswer; repaired: boolean; usage: StepUsage }
  | { kind: "unavailable"; result: Exclude<ModelResult, { kind: "ok" }> };

function requestFor(
  role: RoleSpec,
  state: TaskState,
  step: number,
  context: BuiltContext,
  ask: { user: string; purpose: string },
): ModelRequest {
  return {
    model: state.created.model,
    system: context.system,
    user: ask.user,
    tools: context.tools,
    maxOutputTokens: PROFILES[state.created.profile]?.maxOutput ?? 4_096,
    role: state.created.role,
    session: state.created.session,
    task: state.created.id,
    step,
    phase: state.phase,
    purpose: ask.purpose,
    priority: requestPriority(role, "agent"),
    lane: "pipeline",
    inputTokens: context.tokens,
    cachePrefix: { system: true, userChars: context.stableChars },
  };
}

function add(a: StepUsage, result: ModelResult): StepUsage {
  const { usage, costUsd } = result;
  return {
    input: a.input + usage.inputTokens,
    output: a.output + usage.outputTokens,
    cached: a.cached + usage.cacheReadTokens,
    cost_usd: costUsd === undefined ? a.cost_usd : (a.cost_usd ?? 0) + costUsd,
  };
}

export async function askModel(
  { engine, role, signal }: Pick<StepRun, "engine" | "role" | "signal">,
  state: TaskState,
  step: number,
  context: BuiltContext,
): Promise<Asked> {
  const allowed = context.tools.map((tool) => tool.name);
  const first = await engine.gate.stream(requestFor(role, state, step, context, { user: context.user, purpose: "step" }), signal).result();
  if (first.kind !== "ok") return { kind: "unavailable", result: first };
  const usage = add({ input: 0, output: 0, cached: 0, cost_usd: null }, first);
  const parsed = parseAnswer(first, engine.registry, allowed);
  if (parsed.kind === "calls") return { kind: "answered", result: first, parsed, repaired: false, usage };
  const complaint = `${context.user}\n\n# Your last answer could not be used\n${parsed.reason}\nAnswer again with a valid action.`;
  const second = await engine.gate.stream(requestFor(role, state, step, context, { user: complaint, purpose: "repair" }), signal).result();
  if (second.kind !== "ok") return { kind: "unavailable", result: second };
  return {
    kind: "answered",
    result: second,
    parsed: parseAnswer(second, engine.registry, allowed),
    repaired: true,
    usage: add(usage, second),
  };
}
