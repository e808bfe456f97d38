/** What one attempt is given, and how it ended. */
import type { SylkError } from "../../kernel/index.ts";
import type { Target } from "../catalogue/target.ts";
import type { ProviderPart } from "../providers/types.ts";
import type { Accumulator } from "../stream/accumulator.ts";
import type { ModelRequest, Usage } from "../types.ts";
import type { ProviderLane } from "./provider-lanes.ts";

export interface AttemptContext {
  callId: string;
  request: ModelRequest;
  target: Target;
  attempt: number;
  preemptions: number;
  /** When the call was first asked for, and its place among equals per provider. */
  createdAt: number;
  orderAt: (lane: ProviderLane) => number;
  onStart: () => Promise<void> | undefined;
  onPart: (part: ProviderPart, accumulator: Accumulator) => Promise<void> | undefined;
}

export type Judgement =
  | { kind: "ok" }
  | { kind: "failed"; error: SylkError; begun: boolean }
  | { kind: "preempted" }
  | { kind: "aborted"; reason: unknown }
  | { kind: "budget"; error: SylkError };

export type AttemptVerdict = Judgement & { accumulator: Accumulator; usage: Usage; costUsd: number; queuedMs: number };
